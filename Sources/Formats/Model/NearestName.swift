// "Did you mean": the name nearest to one that does not exist.

/// Finds the name somebody probably meant.
package enum NearestName {
    /// The candidate with the smallest edit distance, case not counted; nil when none is near.
    package static func of(_ name: String, among candidates: some Sequence<String>) -> String? {
        let wanted = Array(name.lowercased().unicodeScalars.prefix(64))
        var best: (name: String, distance: Int)?
        for candidate in candidates {
            let other = Array(candidate.lowercased().unicodeScalars.prefix(64))
            let limit = max(1, min(3, max(wanted.count, other.count) / 3))
            var distance = distance(wanted, other)
            // A cut-off or extended word is near, too.
            if distance > limit, wanted.count >= 3, other.starts(with: wanted) { distance = limit }
            if distance <= limit, distance < best?.distance ?? .max {
                best = (candidate, distance)
            }
        }
        return best?.name
    }

    /// A half sentence for the end of a message, or nothing.
    package static func fix(_ name: String, among candidates: [String]) -> String? {
        if let near = of(name, among: candidates) { return "did you mean \(near)?" }
        if candidates.isEmpty { return nil }
        let shown = candidates.prefix(12).joined(separator: ", ")
        return "there are: \(shown)" + (candidates.count > 12 ? ", …" : "")
    }

    /// Insertions, deletions, changes and swaps of neighbours between two words.
    private static func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
        if a.isEmpty || b.isEmpty { return max(a.count, b.count) }
        var before: [Int] = []
        var previous = Array(0...b.count)
        for i in 1...a.count {
            var current = [i]
            for j in 1...b.count {
                let same = a[i - 1] == b[j - 1]
                var cost = min(
                    previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (same ? 0 : 1))
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
                    cost = min(cost, before[j - 2] + 1)
                }
                current.append(cost)
            }
            before = previous
            previous = current
        }
        return previous[b.count]
    }
}
