// What a relation is called: a TYPE word of 4.0 (RFC 6350), or the label that older cards and
// address books have. Which lines carry them is the converters' matter.

/// The words for relations.
enum RelationTypes {
    /// The words of RFC 6350 but for `agent`, which is a property of its own before 4.0.
    static let known: Set<String> = [
        "contact", "acquaintance", "friend", "met", "co-worker", "colleague", "co-resident",
        "neighbor", "child", "parent", "sibling", "spouse", "kin", "muse", "crush", "date",
        "sweetheart", "me", "emergency",
    ]

    /// The labels that Apple's programs show in the user's language.
    static let builtIn: Set<String> = [
        "other", "spouse", "mother", "father", "parent", "brother", "sister", "child", "friend",
        "partner", "assistant", "manager",
    ]

    /// The word of the standard that says a narrower one more broadly.
    private static let broader = [
        "mother": "parent", "father": "parent", "brother": "sibling", "sister": "sibling",
    ]

    /// The types that a label means; none for one that has no word of its own in 4.0.
    static func types(of label: String) -> [String] {
        if label == "Other" { return [] }
        let word = label.lowercased()
        if known.contains(word) { return [word] }
        if let broad = broader[word] { return [broad, "x-" + word] }
        let isWord =
            !word.isEmpty
            && word.utf8.allSatisfy { $0 &- 0x61 < 26 || $0 &- 0x30 < 10 || $0 == 0x2D }
        return isWord ? ["x-" + word] : []
    }

    /// The label that types mean, and the types that it does not say.
    static func label(of types: [String]) -> (text: String, rest: [String]) {
        let words = types.map { $0.lowercased() }
        let own = words.first { $0.hasPrefix("x-") && $0.utf8.count > 2 }
        guard let kind = own ?? words.first(where: known.contains) ?? words.first else {
            return ("Other", [])
        }
        let word = own == nil ? kind : String(kind.dropFirst(2))
        let isSaid = own != nil || known.contains(kind)
        let rest = words.filter { isSaid ? $0 != kind && $0 != broader[word] : true }
        let text = builtIn.contains(word) ? word.prefix(1).uppercased() + word.dropFirst() : word
        return (text, rest)
    }

    /// Whether the types of a label give back that very label.
    static func isTold(_ label: String) -> Bool {
        let types = types(of: label)
        return types.isEmpty ? label == "Other" : RelationTypes.label(of: types).text == label
    }
}
