// Names in header rows: how they are compared, and how columns without a name of their own are
// called.

package enum HeaderNames {
    /// The form in which two headers are compared: no case, and no spaces, `-`, `_`, `/`, `:`, `.`.
    package static func fold(_ name: String) -> String {
        if let folded = foldASCII(name) { return folded }
        var out = String.UnicodeScalarView()
        for scalar in name.lowercased().unicodeScalars {
            switch scalar {
            case " ", "\t", "\n", "\r", "-", "_", "/", ":", ".", "\u{A0}", "\u{FEFF}": continue
            default: out.append(scalar)
            }
        }
        return String(out)
    }

    /// The form of a plain name, byte by byte; nil when it holds other characters.
    private static func foldASCII(_ name: String) -> String? {
        let bytes = name.utf8
        guard bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
        return String(unsafeUninitializedCapacity: bytes.count) { out in
            var count = 0
            for c in bytes {
                switch c {
                case 9, 10, 13, 32, 45, 46, 47, 58, 95: continue
                default:
                    out[count] = c &- 65 < 26 ? c | 32 : c
                    count &+= 1
                }
            }
            return count
        }
    }

    /// A header cell as a name: without the space around it.
    package static func trim(_ text: String) -> String {
        var scalars = text.unicodeScalars[...]
        func isSpace(_ c: Unicode.Scalar) -> Bool {
            c.properties.isWhitespace || c == "\u{FEFF}"
        }
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
