// The words of the command line, sorted into options and operands by a command's table. Purely
// about what was typed: nothing is opened here.

internal import Formats

/// What was typed after the command's name.
struct Arguments {
    /// The words that are no options, in order.
    var operands: [String] = []
    private var values: [String: [String]] = [:]

    /// Sorts words by a table of options.
    /// - Throws: `usage` for unknown options, missing and unexpected values.
    init(_ words: [String], options: [Option], command: String) throws(FormatError) {
        var i = 0
        var onlyOperands = false
        while i < words.count {
            let word = words[i]
            i += 1
            if onlyOperands || word == "-" || !word.hasPrefix("-") {
                operands.append(word)
                continue
            }
            if word == "--" {
                onlyOperands = true
                continue
            }
            var name: String
            var attached: String?
            if word.hasPrefix("--") {
                name = String(word.dropFirst(2))
                if let equals = name.firstIndex(of: "=") {
                    attached = String(name[name.index(after: equals)...])
                    name = String(name[..<equals])
                }
            } else {
                let letter = word[word.index(after: word.startIndex)]
                let rest = word.dropFirst(2)
                name = options.first { $0.short == letter }?.name ?? String(word.dropFirst())
                if !rest.isEmpty { attached = String(rest) }
            }
            guard let option = options.first(where: { $0.name == name }) else {
                throw Arguments.unknown(word, options: options, command: command)
            }
            if option.value == nil {
                if attached != nil {
                    throw FormatError(
                        .usage, "the option --\(name) takes no value",
                        fix: "write --\(name) alone")
                }
                values[name, default: []].append("")
            } else if let attached {
                values[name, default: []].append(attached)
            } else if i < words.count, words[i] == "-" || !words[i].hasPrefix("--") {
                values[name, default: []].append(words[i])
                i += 1
            } else {
                throw FormatError(
                    .usage, "the option --\(name) needs a value (\(option.value ?? ""))",
                    fix: "write --\(name) \(option.value ?? "VALUE")")
            }
        }
    }

    private static func unknown(_ word: String, options: [Option], command: String) -> FormatError {
        let near = nearest(to: word, among: options.map { "--" + $0.name })
        return FormatError(
            .usage, "unknown option \(word)",
            fix: near.map { "did you mean \($0)?" }
                ?? "rtool help \(command) lists the options")
    }

    /// True when a switch was given.
    func has(_ name: String) -> Bool { values[name] != nil }

    /// The last value of an option.
    subscript(name: String) -> String? { values[name]?.last }

    /// All values of an option.
    func all(_ name: String) -> [String] { values[name] ?? [] }

    /// All values of an option, comma-separated lists taken apart.
    func list(_ name: String) -> [String] {
        (values[name] ?? []).flatMap { $0.split(separator: ",").map(trimmed) }
    }

    /// A value that must be a whole number.
    func number(_ name: String) throws(FormatError) -> Int? {
        guard let text = self[name] else { return nil }
        guard let number = Int(text), number >= 0 else {
            throw FormatError(
                .usage, "the option --\(name) needs a whole number, not \"\(text)\"")
        }
        return number
    }

    /// A value that must be one of some words.
    func word(_ name: String, of words: [String]) throws(FormatError) -> String? {
        guard let text = self[name] else { return nil }
        guard words.contains(text) else {
            throw FormatError(
                .usage, "--\(name) knows no \"\(text)\"",
                fix: "use one of: " + words.joined(separator: ", "))
        }
        return text
    }
}

/// A word without surrounding spaces.
func trimmed(_ text: some StringProtocol) -> String {
    var part = text[...]
    while part.first == " " { part.removeFirst() }
    while part.last == " " { part.removeLast() }
    return String(part)
}
