// Reports that can be shown to others (`--private`): a hash stands where a value of the data was, so
// that equal values can still be told to be equal.

extension Report {
    /// Puts a hash in the place of every value, also of those that stand in quotes in a sentence.
    ///
    /// The hash is the same in every run, on every machine; whoever guesses a value can confirm the
    /// guess. To be called once, when everything was noted.
    public func hideValues() {
        for i in items.indices {
            items[i].value = items[i].value.map(Report.hash)
            items[i].action = items[i].action.map(Report.hidingQuoted)
            for j in items[i].others.indices {
                items[i].others[j].value = items[i].others[j].value.map(Report.hash)
            }
        }
    }

    /// What stands for a value: `#` and 16 hex digits of SipHash-2-4.
    static func hash(_ text: String) -> String {
        var hash = SipHash(key0: 0x7274_6f6f_6c20_7265, key1: 0x706f_7274_2068_6964)
        var text = text
        text.withUTF8 { hash.add(UnsafeRawBufferPointer($0)) }
        let digits = String(hash.finish64(), radix: 16)
        return "#" + String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }

    /// A sentence with a hash for each text in double quotes.
    static func hidingQuoted(_ text: String) -> String {
        let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
        guard parts.count > 2 else { return text }
        var out = ""
        for (i, part) in parts.enumerated() {
            if i > 0 { out += "\"" }
            // What no quote ends may be cut off, but is a value all the same.
            out += i % 2 == 1 && !part.isEmpty ? hash(String(part)) : String(part)
        }
        return out
    }
}

extension FormatError {
    /// The same error with a hash for each value of the data, and without the text around it.
    public var hidingValues: FormatError {
        with {
            $0.message = Report.hidingQuoted($0.message)
            $0.recordName = $0.recordName.map(Report.hash)
            $0.excerpt = nil
            $0.excerptNote = nil
        }
    }
}
