// Which of the names that are gone may be which of the new ones: by likeness of name, type and
// place. A guess that is only ever offered as a question.

internal import Formats

/// Likeness of names, properties and classes, from 0 to 1.
enum DraftNames {
    /// The likeness of two names: the share of one edit script, or of common words.
    static func likeness(_ a: String, _ b: String) -> Double {
        let x = Array(a.lowercased().utf8.filter { $0 != 0x5F })
        let y = Array(b.lowercased().utf8.filter { $0 != 0x5F })
        guard !x.isEmpty, !y.isEmpty, x.count <= 64, y.count <= 64 else { return 0 }
        if x == y { return 1 }
        var row = Array(0...y.count)
        for (i, p) in x.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, q) in y.enumerated() {
                let above = row[j + 1]
                row[j + 1] = min(above + 1, row[j] + 1, diagonal + (p == q ? 0 : 1))
                diagonal = above
            }
        }
        let edit = 1 - Double(row[y.count]) / Double(max(x.count, y.count))
        let (short, long) = x.count < y.count ? (x, y) : (y, x)
        let isPart = short.count >= 3 && (long.starts(with: short) || long.hasSuffix(short))
        let shared = Set(words(a)).intersection(words(b)).contains { $0.count >= 3 }
        return max(edit, isPart ? 0.7 : 0, shared ? 0.6 : 0)
    }

    /// The words of a camel-case or snake-case name.
    private static func words(_ name: String) -> [String] {
        var words: [String] = []
        var word = ""
        for c in name {
            if c == "_" || c.isUppercase, !word.isEmpty {
                words.append(word.lowercased())
                word = ""
            }
            if c != "_" { word.append(c) }
        }
        return words + (word.isEmpty ? [] : [word.lowercased()])
    }

    /// How likely a property is another one under a new name; 0 where it cannot be.
    /// - Parameter i: its place among the properties of its type that are gone; `j` among the new.
    static func likeness(
        _ old: Property, at i: Int, _ new: Property, at j: Int
    ) -> Double {
        guard old.collection == new.collection, old.target == new.target else { return 0 }
        let name = likeness(old.name, new.name)
        if old.type == new.type {
            return 0.6 * name + 0.3 + (i == j ? 0.2 : 0)
        }
        guard old.type != .link, new.type != .link, name >= 0.6 else { return 0 }
        return 0.6 * name
    }

    /// How likely a class is another one under a new name.
    static func likeness(_ old: ClassSchema, _ new: ClassSchema) -> Double {
        guard old.kind == new.kind else { return 0 }
        let a = Set(old.properties.map { "\($0.name) \($0.type.rawValue)" })
        let b = Set(new.properties.map { "\($0.name) \($0.type.rawValue)" })
        let all = a.union(b).count
        let shared = all == 0 ? 0 : Double(a.intersection(b).count) / Double(all)
        return 0.75 * shared + 0.35 * likeness(old.name, new.name)
    }

    /// Pairs the likeliest first, each side once.
    static func pairs(_ scores: [(old: Int, new: Int, score: Double)]) -> [(old: Int, new: Int)] {
        var taken: (Set<Int>, Set<Int>) = ([], [])
        var result: [(old: Int, new: Int)] = []
        for entry in scores.sorted(by: {
            ($1.score, $0.old, $0.new) < ($0.score, $1.old, $1.new)
        }) where entry.score >= 0.5 {
            guard !taken.0.contains(entry.old), !taken.1.contains(entry.new) else { continue }
            taken.0.insert(entry.old)
            taken.1.insert(entry.new)
            result.append((entry.old, entry.new))
        }
        return result.sorted { $0.old < $1.old }
    }
}

extension [UInt8] {
    fileprivate func hasSuffix(_ other: [UInt8]) -> Bool {
        suffix(other.count).elementsEqual(other)
    }
}
