// HTML as text, for notes that Microsoft To Do keeps as HTML.

/// What a person reads of HTML: tags out, blocks as lines, the common entities as characters.
enum PlainText {
    private static let blocks: Set<Substring> = [
        "br", "p", "div", "li", "tr", "h1", "h2", "h3", "h4", "ul", "ol",
    ]
    private static let entities: [Substring: Character] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": " ",
    ]

    static func of(html: String) -> String {
        var text = ""
        var rest = html[...]
        var hidden = 0
        while let c = rest.first {
            if c == "<" {
                guard let end = rest.firstIndex(of: ">") else { break }
                let tag = rest[rest.index(after: rest.startIndex)..<end].lowercased()
                rest = rest[rest.index(after: end)...]
                let isClosing = tag.hasPrefix("/")
                let name = tag.drop(while: { $0 == "/" }).prefix { $0.isLetter || $0.isNumber }
                if ["style", "script", "head", "title"].contains(name) {
                    hidden = max(0, hidden + (isClosing ? -1 : 1))
                } else if blocks.contains(Substring(name)), !text.hasSuffix("\n"), !text.isEmpty {
                    text.append("\n")
                }
                continue
            }
            rest.removeFirst()
            if hidden > 0 { continue }
            if c == "&", let end = rest.prefix(10).firstIndex(of: ";") {
                let name = rest[..<end]
                if let character = entity(name) {
                    text.append(character)
                    rest = rest[rest.index(after: end)...]
                    continue
                }
            }
            if c.isNewline || c == "\t" {
                if !text.isEmpty, !text.hasSuffix(" "), !text.hasSuffix("\n") { text.append(" ") }
            } else {
                text.append(c)
            }
        }
        while text.last?.isWhitespace == true { text.removeLast() }
        while text.first?.isWhitespace == true { text.removeFirst() }
        return text
    }

    private static func entity(_ name: Substring) -> Character? {
        if let known = entities[name] { return known }
        guard name.hasPrefix("#") else { return nil }
        let digits = name.dropFirst()
        let code =
            digits.hasPrefix("x") || digits.hasPrefix("X")
            ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return code.flatMap { Unicode.Scalar($0) }.map { Character($0) }
    }
}
