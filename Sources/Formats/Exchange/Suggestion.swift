// "Did you mean": the nearest of some words, for messages.

/// The nearest of some words by edit distance, nil when none is near.
package func nearest(to word: String, among words: [String]) -> String? {
    let typed = Array(word.lowercased().utf8)
    guard typed.count <= 64 else { return nil }
    var best: (distance: Int, word: String)?
    for candidate in words {
        let distance = editDistance(typed, Array(candidate.lowercased().utf8))
        if distance < (best?.distance ?? .max) { best = (distance, candidate) }
    }
    guard let best, best.distance <= max(1, min(3, typed.count / 2)) else { return nil }
    return best.word
}

private func editDistance(_ a: [UInt8], _ b: [UInt8]) -> Int {
    guard b.count <= 256 else { return .max }
    var row = Array(0...b.count)
    for (i, x) in a.enumerated() {
        var diagonal = row[0]
        row[0] = i + 1
        for (j, y) in b.enumerated() {
            let above = row[j + 1]
            row[j + 1] = min(above + 1, row[j] + 1, diagonal + (x == y ? 0 : 1))
            diagonal = above
        }
    }
    return row[b.count]
}

/// A next step for a name that does not exist: the nearest one, or what there is.
package func suggestion(for word: String, among words: [String]) -> String? {
    if let near = nearest(to: word, among: words) { return "did you mean \(near)?" }
    if words.isEmpty { return nil }
    let shown = words.prefix(12).joined(separator: ", ")
    return "there are: \(shown)" + (words.count > 12 ? ", …" : "")
}
