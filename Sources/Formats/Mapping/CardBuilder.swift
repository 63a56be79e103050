// The lines of a card made of something that never was one: a row of an address book, an object of
// JSON. Values are escaped as a vCard 3.0 has them; a label of one's own becomes the label line of a
// group.

/// Builds the lines of cards.
final class CardBuilder {
    let lines = ContentLines()
    private let lookup = ContactProperty.Lookup()
    private var group = 0

    func begin(record: Int) {
        lines.begin(at: nil)
        lines.dialect = .vCard3
        lines.isVersionStated = false
        lines.isComplete = false
        lines.record = record
        group = 0
    }

    /// What the label cell of an item says.
    struct Kind {
        var types: [String] = []
        var label: String?
        var isPreferred = false
    }

    /// Adds a line; `value` appends the escaped value to the arena.
    func add(
        _ name: String, _ kind: Kind = Kind(), parameters: [(String, String)] = [],
        value: (RawVector<UInt8>) -> Void
    ) {
        var range = TextRange.empty
        if kind.label != nil {
            group += 1
            range = lines.add("item\(group)")
        }
        lines.open(name: name, group: range)
        let at = lines.count - 1
        lines.lines.base[at].tag = lookup(lines[at].key, lines.bytes(lines[at].name))
        var types = kind.types
        if kind.isPreferred { types.append("pref") }
        for type in types { lines.addParameter("TYPE", type) }
        for (name, value) in parameters {
            lines.addParameter(name, CardBuilder.parameter(value))
        }
        let start = lines.arena.count
        value(lines.arena)
        let text = lines.arenaRange(from: start)
        lines.close(value: text)
        if lines.bytes(text).contains(0x5C) { lines.lines.base[at].flags.insert(.backslash) }
        if let label = kind.label {
            add("X-ABLabel", inGroup: range) { CardBuilder.escape(label, to: $0) }
        }
    }

    private func add(_ name: String, inGroup group: TextRange, value: (RawVector<UInt8>) -> Void) {
        lines.open(name: name, group: group)
        let at = lines.count - 1
        lines.lines.base[at].tag = lookup(lines[at].key, lines.bytes(lines[at].name))
        let start = lines.arena.count
        value(lines.arena)
        let text = lines.arenaRange(from: start)
        lines.close(value: text)
        if lines.bytes(text).contains(0x5C) { lines.lines.base[at].flags.insert(.backslash) }
    }

    /// A parameter value, in quotes where it needs them.
    private static func parameter(_ text: String) -> String {
        var out = ""
        var needsQuotes = false
        for c in text.unicodeScalars {
            switch c {
            case "\"": out += "'"
            case "\r": break
            case "\n": out += "\\n"
            case ",", ";", ":":
                needsQuotes = true
                out.unicodeScalars.append(c)
            default: out.unicodeScalars.append(c)
            }
        }
        return needsQuotes ? "\"\(out)\"" : out
    }

    /// Appends text with the escapes of a vCard 3.0; a CR LF counts as one line end.
    static func escape(_ text: UnsafeRawBufferPointer, to out: RawVector<UInt8>) {
        for (i, byte) in text.enumerated() {
            switch byte {
            case 0x5C, 0x3B, 0x2C:
                out.append(0x5C)
                out.append(byte)
            case 13 where i + 1 < text.count && text[i + 1] == 10: break
            case 10, 13:
                out.append(0x5C)
                out.append(0x6E)
            default: out.append(byte)
            }
        }
    }

    /// The components of a value between semicolons, without their escapes; at most 16.
    static func components(_ value: UnsafeRawBufferPointer, isLegacy: Bool) -> [String] {
        var pieces = ValuePieces(value, separator: 0x3B)
        let scratch = RawVector<UInt8>(capacity: 64)
        defer { scratch.destroy() }
        var texts: [String] = []
        while let piece = pieces.nextBytes(), texts.count < 16 {
            scratch.removeAll()
            unescape(piece, isLegacy: isLegacy, to: scratch)
            texts.append(String(decoding: scratch.elements, as: UTF8.self))
        }
        return texts
    }

    /// Appends a value of a kept line without its escapes, those of 2.1 or of the later versions.
    static func unescape(
        _ text: UnsafeRawBufferPointer, isLegacy: Bool, to out: RawVector<UInt8>
    ) {
        ValueText.unescape(text, isLegacy ? .legacy : .vCard3, into: out)
    }

    /// Appends components between semicolons, each a text or a list.
    static func escape(_ components: [[String]], to out: RawVector<UInt8>) {
        for (i, component) in components.enumerated() {
            if i > 0 { out.append(0x3B) }
            for (k, text) in component.enumerated() {
                if k > 0 { out.append(0x2C) }
                escape(text, to: out)
            }
        }
    }

    /// Adds a date; without a year as Apple writes it, which 3.0 readers understand.
    func addDate(
        _ name: String, _ kind: Kind = Kind(), year: Int?, month: Int?, day: Int?,
        time: String? = nil
    ) {
        let omits = year == nil && month != nil && day != nil
        var time = time ?? ""
        let hasTime = !time.isEmpty
        add(name, kind, parameters: omits ? [("X-APPLE-OMIT-YEAR", "1604")] : []) { out in
            time.withUTF8 {
                CardDate.write(
                    year: year, month: month, day: day,
                    time: hasTime ? UnsafeRawBufferPointer($0) : nil,
                    omittedYear: omits ? 1604 : nil, .vCard3, into: out)
            }
        }
    }

    static func escape(_ text: String, to out: RawVector<UInt8>) {
        var text = text
        text.withUTF8 { escape(UnsafeRawBufferPointer($0), to: out) }
    }
}
