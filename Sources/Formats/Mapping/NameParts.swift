// A whole name taken apart, for versions and programs that demand the parts: `Berg, Ann`,
// `Dr. Ann M. Berg Jr.`. A guess, which whoever uses it reports.

/// The parts of a name.
struct NameParts: Equatable {
    var family = ""
    var given = ""
    var prefix = ""
    var suffix = ""

    /// Words that stand before names, lower-case and without a dot.
    private static let prefixes: Set<String> = [
        "dr", "prof", "mr", "mrs", "ms", "miss", "mx", "herr", "frau", "sir", "mme", "mlle",
        "dipl.-ing",
    ]
    /// Those that are names without their dot.
    private static let dottedPrefixes: Set<String> = ["rev.", "hon.", "ing."]
    /// Words that stand behind names; their case tells them from names.
    private static let suffixes: Set<String> = [
        "Jr.", "Jr", "jr.", "Sr.", "Sr", "sr.", "II", "III", "IV", "Esq.", "Esq", "PhD", "Ph.D.",
        "MD", "M.D.", "MBA", "DDS",
    ]

    /// The parts a whole name seems to have; a single word is a given name.
    init(_ full: String) {
        var pieces = full.split(separator: ",").map { $0.split(separator: " ") }
            .filter { !$0.isEmpty }
        var behind: [Substring] = []
        while pieces.count > 1, let last = pieces.last, last.allSatisfy(Self.isSuffix) {
            behind = last + behind
            pieces.removeLast()
        }
        let isReversed = pieces.count > 1
        var words = isReversed ? pieces[1...].flatMap { $0 } : pieces.first ?? []
        var before: [Substring] = []
        while let word = words.first, words.count > 1 || isReversed, Self.isPrefix(word) {
            before.append(words.removeFirst())
        }
        while let word = words.last, words.count > 1, Self.isSuffix(word) {
            behind.insert(words.removeLast(), at: 0)
        }
        prefix = before.joined(separator: " ")
        suffix = behind.joined(separator: " ")
        if isReversed {
            family = pieces[0].joined(separator: " ")
        } else if words.count > 1 || !before.isEmpty {
            family = words.popLast().map(String.init) ?? ""
        }
        given = words.joined(separator: " ")
    }

    private static func isPrefix(_ word: Substring) -> Bool {
        let word = word.lowercased()
        return dottedPrefixes.contains(word)
            || prefixes.contains(word.hasSuffix(".") ? String(word.dropLast()) : word)
    }

    private static func isSuffix(_ word: Substring) -> Bool { suffixes.contains(String(word)) }
}
