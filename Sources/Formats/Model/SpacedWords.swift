// Words of a text, as the formats of tasks part them: by the space of ASCII and nothing else.

/// Words with spaces between them, found by bytes.
enum SpacedWords {
    /// The words of a text.
    /// - Parameter keepsEmpty: whether there is an empty word between two spaces.
    static func split(_ text: String, keepsEmpty: Bool = false) -> [Substring] {
        text.utf8.split(separator: 0x20, omittingEmptySubsequences: !keepsEmpty)
            .map { Substring($0) }
    }

    /// A text with a character in the place of each one that is white space.
    static func replacingSpace(in text: String, with mark: Character) -> String {
        // The bytes that white space begins with; few other scalars do.
        let hasNone = text.hasNone {
            $0 == 0x20 || $0 &- 0x09 < 5 || $0 == 0xC2 || $0 == 0xE1 || $0 == 0xE2 || $0 == 0xE3
        }
        return hasNone ? text : String(text.map { $0.isWhitespace ? mark : $0 })
    }
}
