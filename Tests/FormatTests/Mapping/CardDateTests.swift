import Testing

@testable import Formats

@Suite struct CardDateTests {
    /// What `REV` usually is has a way of its own; it must say what the way for all says.
    @Test(arguments: 0..<40) func theUsualTimestampIsTheOneOfAnyForm(_ seed: UInt64) {
        var random = SeededGenerator(seed)
        func digits(_ count: Int, below limit: UInt64) -> String {
            let number = String(random.next() % limit)
            return String(repeating: "0", count: count - number.count) + number
        }
        for _ in 0..<300 {
            let isBasic = random.next() % 2 == 0
            let (dash, colon) = isBasic ? ("", "") : ("-", ":")
            var text =
                digits(4, below: 10_000) + dash + digits(2, below: 14) + dash
                + digits(2, below: 34)
            text +=
                "T" + digits(2, below: 26) + colon + digits(2, below: 62) + colon
                + digits(2, below: 63) + "Z"
            var characters = Array(text.utf8)
            if random.next() % 3 == 0 {
                let odd = Array("tz+-:.0x\u{7F}é".utf8)
                characters[Int(random.next() % UInt64(characters.count))] =
                    odd[Int(random.next() % UInt64(odd.count))]
            }
            characters.withUnsafeBytes {
                #expect(CardDate.timestamp($0) == CardDate.anyTimestamp($0))
            }
        }
    }
}
