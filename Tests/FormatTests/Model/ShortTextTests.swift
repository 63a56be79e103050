import Testing

@testable import Formats

@Suite struct ShortTextTests {
    @Test(arguments: 1...8) func aShortTextIsWhatItsBytesAre(_ count: Int) {
        var random = SeededGenerator(UInt64(count))
        for _ in 0..<500 {
            let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            bytes.withUnsafeBytes { raw in
                let short = ShortText(raw)
                var word: UInt64 = 0
                var lower: UInt64 = 0
                for (i, byte) in bytes.enumerated() {
                    word |= UInt64(byte) << UInt64(8 * i)
                    lower |= UInt64(NameKey.fold(byte)) << UInt64(8 * i)
                }
                #expect(short.word == word)
                #expect(short.lowercased == lower)
                #expect(short.key == NameKey.of(raw))
                let other = UInt8(truncatingIfNeeded: random.next()) | 1
                #expect(short.contains(other) == bytes.contains(other))
                if bytes[count - 1] != 0 { #expect(short.contains(bytes[count - 1])) }
            }
        }
    }

    @Test func namesAreEqualWhereEachFoldedByteIs() {
        var random = SeededGenerator(7)
        let letters = Array("aAzZ@[`{kK0-".utf8)
        for count in 0..<40 {
            for _ in 0..<50 {
                let a = (0..<count).map { _ in letters[Int(random.next() % 12)] }
                var b = a.map { random.next() % 2 == 0 ? NameKey.fold($0) : $0 }
                if count > 0, random.next() % 3 == 0 {
                    b[Int(random.next() % UInt64(count))] = letters[Int(random.next() % 12)]
                }
                let isEqual = a.map(NameKey.fold) == b.map(NameKey.fold)
                let known = String(decoding: b, as: UTF8.self)
                #expect(a.withUnsafeBytes { NameKey.equals($0, known) } == isEqual)
            }
        }
    }

    @Test func everyKnownPropertyIsFoundInAnyCase() {
        let lookup = ContactProperty.Lookup()
        for property in ContactProperty.allCases where !property.canonicalName.isEmpty {
            for name in [property.canonicalName, property.canonicalName.lowercased()] {
                let found = bytes(name) { lookup(NameKey.of($0), $0) }
                #expect(found == property.rawValue)
            }
            let longer = property.canonicalName + "X"
            #expect(bytes(longer) { lookup(NameKey.of($0), $0) } != property.rawValue)
        }
    }
}
