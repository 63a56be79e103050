// jCard (RFC 7095) as a format of the registry: cards of vCard 4.0 as JSON arrays.

extension Format {
    /// Contact cards as JSON, RFC 7095.
    static let jcard = Format(
        name: "jcard", extensions: ["jcard"], summary: "contact cards as JSON (RFC 7095)",
        content: .contacts, detect: { JCardDetection.likelihood($0) },
        read: { (request) throws(FormatError) in
            let reader = try JCardReader(input: request.input, context: request.context)
            reader.limitsValues = request.isForStore
            return ReadSource(reader: reader, content: .contacts)
        },
        write: { (request) throws(FormatError) in
            JCardWriter(sink: request.sink, context: request.context)
        })
}

/// Tells jCards from other JSON.
enum JCardDetection {
    /// How sure one can be that bytes are jCards: one, an array of them, or the answer of an
    /// RDAP server that holds some.
    static func likelihood(_ bytes: UnsafeRawBufferPointer) -> Int {
        var s = JSONScanner(bytes)
        if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { s.at = 3 }
        guard !s.isAtEnd() else { return 0 }
        if s.base[s.at] == 0x7B {
            let head = UnsafeRawBufferPointer(rebasing: bytes.prefix(1 << 16))
            return contains("\"vcardArray\"", head) ? 85 : 0
        }
        // `["vcard",` or `[["vcard",`
        for _ in 0..<2 {
            guard !s.isAtEnd(), s.base[s.at] == 0x5B else { return 0 }
            s.at += 1
            if s.isAtEnd() { return 0 }
            let rest = UnsafeRawBufferPointer(start: s.base + s.at, count: s.end - s.at)
            if NameKey.starts(rest, with: "\"vcard\"") { return 95 }
            // An array without cards: the name of the file must say the rest.
            if s.base[s.at] == 0x5D {
                s.at += 1
                return s.isAtEnd() ? 25 : 0
            }
        }
        return 0
    }

    private static func contains(_ word: String, _ bytes: UnsafeRawBufferPointer) -> Bool {
        let word = Array(word.utf8)
        var i = 0
        while i + word.count <= bytes.count {
            if bytes[i] == word[0], bytes[i..<i + word.count].elementsEqual(word) { return true }
            i += 1
        }
        return false
    }
}
