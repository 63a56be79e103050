// The encoding of a table whose bytes prove none, by the words of its header: in the right one they
// are names that tables of its language have. Programs write tables in the encoding of the system
// they run on and do not say so.

/// Finds the encoding in which a header has known names.
enum HeaderCharset {
    /// The first one is what is taken without a sign.
    private static let candidates = [
        "windows-1252", "windows-1250", "windows-1251", "shift_jis", "gb18030", "big5", "euc-kr",
        "euc-jp", "windows-1253", "windows-1254", "windows-1257", "windows-1255", "windows-1256",
        "iso-8859-2", "koi8-r", "macintosh", "x-mac-ce", "x-mac-cyrillic", "ibm866", "ibm852",
    ]

    /// The encoding in which at least half of the cells of a row that are not ASCII are among the
    /// words; nil for none, and for the one that is taken without a sign.
    /// - Parameter words: names of columns; those in ASCII say nothing.
    static func find(_ bytes: UnsafeRawBufferPointer, _ words: [String]) -> Charset? {
        let head = UnsafeRawBufferPointer(rebasing: bytes.prefix(4096))
        let lines = head.split(whereSeparator: { $0 == 10 || $0 == 13 }).prefix(10)
            .filter { line in line.contains { $0 >= 0x80 } }
        guard !lines.isEmpty else { return nil }
        let known = Set(
            words.lazy.filter { word in word.utf8.contains { $0 >= 0x80 } }.map(HeaderNames.fold))
        guard !known.isEmpty else { return nil }
        var best: (hits: Int, name: String) = (0, "")
        let out = RawVector<UInt8>(capacity: 4096)
        defer { out.destroy() }
        for name in candidates {
            guard let charset = Charset.named(name) else { continue }
            for line in lines {
                out.removeAll()
                guard charset.decode(UnsafeRawBufferPointer(rebasing: line), into: out) == 0
                else { continue }
                let hits = hits(UnsafeRawBufferPointer(out.elements), known)
                if hits > best.hits { best = (hits, name) }
            }
        }
        return best.hits == 0 || best.name == candidates[0] ? nil : Charset.named(best.name)
    }

    /// How many cells of a line are known names, where that is at least half of those that are not
    /// ASCII.
    private static func hits(_ line: UnsafeRawBufferPointer, _ known: Set<String>) -> Int {
        var hits = 0
        var cells = 0
        for cell in line.split(whereSeparator: { [0x2C, 0x3B, 0x09, 0x7C].contains($0) })
        where cell.count <= 200 && cell.contains(where: { $0 >= 0x80 }) {
            cells += 1
            let text = String(decoding: cell.filter { $0 != 0x22 }, as: UTF8.self)
            if known.contains(HeaderNames.fold(HeaderNames.trim(text))) { hits += 1 }
        }
        return hits * 2 >= cells ? hits : 0
    }
}
