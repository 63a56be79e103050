// Names in header rows: how they are compared, and how columns without a name of their own are
// called.

package enum HeaderNames {
    /// The form in which two headers are compared: no case, and no spaces, `-`, `_`, `/`, `:`, `.`.
    package static func fold(_ name: String) -> String {
        if let folded = foldLatin(name) { return folded }
        return foldSlowly(name)
    }

    /// The same for any name.
    static func foldSlowly(_ name: String) -> String {
        var out = String.UnicodeScalarView()
        for scalar in name.lowercased().unicodeScalars {
            switch scalar {
            case " ", "\t", "\n", "\r", "-", "_", "/", ":", ".", "\u{A0}", "\u{FEFF}": continue
            default: out.append(scalar)
            }
        }
        return String(out)
    }

    /// The form of a name in letters of Latin-1, byte by byte; nil when it holds others. Tables of
    /// some thousand names are folded before the first row.
    private static func foldLatin(_ name: String) -> String? {
        var isLatin = true
        let folded = String(unsafeUninitializedCapacity: name.utf8.count) { out in
            var count = 0
            // True behind the first byte of a capital letter or a small one.
            var isLetter = false
            for c in name.utf8 {
                switch c {
                case 9, 10, 13, 32, 45, 46, 47, 58, 95: continue
                case 0xC3: isLetter = true
                case 0x80...0x9E where isLetter && c != 0x97:
                    out[count] = c | 0x20
                    count &+= 1
                    isLetter = false
                    continue
                case 0x80...0xBF where isLetter: isLetter = false
                case 0x80...: isLatin = false
                default: break
                }
                out[count] = c &- 65 < 26 ? c | 32 : c
                count &+= 1
            }
            return count
        }
        return isLatin ? folded : nil
    }

    /// A header cell as a name: without the space around it.
    package static func trim(_ text: String) -> String {
        // White space as Unicode has it, and the byte order mark.
        func isSpace(_ c: Unicode.Scalar) -> Bool {
            switch c.value {
            case 9...13, 32, 0x85, 0xA0, 0x1680, 0x2000...0x200A, 0x2028, 0x2029, 0x202F, 0x205F,
                0x3000, 0xFEFF:
                true
            default: false
            }
        }
        guard let first = text.unicodeScalars.first, let last = text.unicodeScalars.last,
            isSpace(first) || isSpace(last)
        else { return text }
        var scalars = text.unicodeScalars[...]
        while let c = scalars.first, isSpace(c) { scalars.removeFirst() }
        while let c = scalars.last, isSpace(c) { scalars.removeLast() }
        return String(scalars)
    }

    /// Gives each column a name of its own: `column N` for none, `_2` for the second of a name.
    package static func unique(_ names: [String]) -> [String] {
        var seen = Set<String>()
        var counts: [String: Int] = [:]
        let taken = Set(names)
        return names.enumerated().map { i, name in
            let wanted = name.isEmpty ? "column \(i + 1)" : name
            if seen.insert(wanted).inserted { return wanted }
            var n = counts[wanted] ?? 2
            while taken.contains("\(wanted)_\(n)") || seen.contains("\(wanted)_\(n)") { n += 1 }
            counts[wanted] = n + 1
            seen.insert("\(wanted)_\(n)")
            return "\(wanted)_\(n)"
        }
    }
}
