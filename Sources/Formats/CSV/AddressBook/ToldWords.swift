// Whether a text says anything that other texts of a row do not: a formatted address beside its
// parts, the display name of an e-mail beside the names.

/// The words of some texts.
final class ToldWords {
    /// What stands between words besides white space.
    enum Separators {
        /// `,`
        case ofAddresses
        /// `,`, brackets and apostrophes.
        case ofNames

        @inline(__always)
        func contains(_ byte: UInt8) -> Bool {
            byte == 0x2C || self == .ofNames && (byte &- 0x27 < 3)
        }
    }

    private let separators: Separators
    private let words = RawVector<CellSlice>(capacity: 32)

    init(_ separators: Separators) { self.separators = separators }

    deinit { words.destroy() }

    /// Forgets all.
    func removeAll() { words.removeAll() }

    /// Adds the words of a text, which stays where it is.
    func add(_ text: CellSlice) {
        var rest = text
        while let word = next(&rest) { words.append(word) }
    }

    /// Whether there are all the words of a text.
    func tells(_ text: CellSlice) -> Bool {
        var rest = text
        while let word = next(&rest) {
            if !contains(word) { return false }
        }
        return true
    }

    /// Takes the next word off a text.
    @inline(__always)
    private func next(_ rest: inout CellSlice) -> CellSlice? {
        let bytes = rest.bytes
        let end = rest.count
        var start = 0
        while start < end {
            let width = separator(bytes, start, end)
            if width == 0 { break }
            start &+= width
        }
        guard start < end else { return nil }
        var stop = start &+ 1
        while stop < end, separator(bytes, stop, end) == 0 { stop &+= 1 }
        let word = rest.part(start, stop)
        rest = rest.part(stop, end)
        return word
    }

    /// How many bytes a separator at a place has; 0 for a letter, or the inside of one.
    @inline(__always)
    private func separator(_ bytes: UnsafeRawBufferPointer, _ at: Int, _ end: Int) -> Int {
        if separators.contains(bytes[at]) { return 1 }
        return CellSlice.space(bytes, at, end)
    }

    private func contains(_ word: CellSlice) -> Bool {
        let bytes = word.bytes
        for known in words.elements where ByteNumbers.isSame(known.bytes, bytes) { return true }
        return containsEqual(bytes)
    }

    /// Whether a word is there in another of the spellings Unicode has.
    private func containsEqual(_ word: UnsafeRawBufferPointer) -> Bool {
        let isASCII = word.allSatisfy { $0 < 0x80 }
        var text: String?
        for known in words.elements {
            if isASCII, known.bytes.allSatisfy({ $0 < 0x80 }) { continue }
            let own = text ?? String(decoding: word, as: UTF8.self)
            text = own
            if own == known.string { return true }
        }
        return false
    }
}

extension AddressBookReader {
    /// Whether every word of a formatted address stands in its parts, too.
    static func isTold(_ formatted: String, by fields: [String]) -> Bool {
        func words(_ text: String) -> [Substring] {
            text.split { $0.isWhitespace || $0 == "," }
        }
        let known = Set(fields.flatMap(words))
        return words(formatted).allSatisfy { known.contains($0) }
    }
}
