// The lines of a card made of something that never was one: a row of an address book, an object of
// JSON. Values are escaped as a vCard 3.0 has them; a label of one's own becomes the label line of a
// group.

/// Builds the lines of cards.
final class CardBuilder {
    let lines = ContentLines()
    /// The beginnings of lines that come again and again.
    let heads = CardHeads()
    private let lookup = ContactProperty.Lookup()
    @exclusivity(unchecked) private var group = 0
    /// Where the value of the line at hand begins, and whether it has escapes.
    @exclusivity(unchecked) private var valueStart = 0
    @exclusivity(unchecked) private var hasEscapes = false

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
        for type in types { addType(type) }
        for (name, value) in parameters {
            addParameter(name, value)
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

    /// Adds a type to the line at hand.
    private func addType(_ type: String) {
        lines.addParameter("TYPE", type)
        let last = lines.parameters.count - 1
        lines.parameters.base[last].needsDecoding = CardHeads.needsDecoding(
            lines.bytes(lines.parameters[last].value))
    }

    // MARK: Lines with a head

    /// Begins a line; `append` adds to its value, and `close` ends it.
    @inline(__always)
    func open(_ head: CardHead) {
        heads.append(head, group: head.hasLabel ? nextGroup() : .empty, to: lines)
        valueStart = lines.arena.count
        hasEscapes = false
    }

    /// The group of an item with a label of its own.
    private func nextGroup() -> TextRange {
        group += 1
        let start = lines.arena.count
        lines.arena.append("item")
        ScalarText.write(Int64(group), to: lines.arena)
        return lines.arenaRange(from: start)
    }

    /// Adds a parameter to the line at hand, which has no value yet.
    func addParameter(_ name: String, _ value: String) {
        var value = value
        value.withUTF8 { addParameter(name, UnsafeRawBufferPointer($0)) }
    }

    /// Adds a parameter to the line at hand, which has no value yet.
    func addParameter(_ name: String, _ value: UnsafeRawBufferPointer) {
        let name = lines.add(name)
        let start = lines.arena.count
        ParameterText.encode(value, .vCard3, into: lines.arena)
        lines.addParameter(name, lines.arenaRange(from: start))
        valueStart = lines.arena.count
    }

    /// Appends text to the value of the line at hand.
    @inline(__always)
    func append(_ text: UnsafeRawBufferPointer) {
        if CardBuilder.escape(text, to: lines.arena) { hasEscapes = true }
    }

    /// Appends what separates parts of the value of the line at hand.
    @inline(__always)
    func append(separator: UInt8) { lines.arena.append(separator) }

    /// Ends the line at hand; the label of its head becomes a line, too.
    @inline(__always)
    func close(_ head: CardHead) {
        let at = lines.count &- 1
        lines.lines.base[at].value = lines.arenaRange(from: valueStart)
        if hasEscapes { lines.lines.base[at].flags.insert(.backslash) }
        if head.hasLabel {
            heads.append(labelOf: head, group: lines.lines.base[at].group, to: lines)
        }
    }

    /// Adds a line of one text.
    @inline(__always)
    func add(_ head: CardHead, _ text: UnsafeRawBufferPointer) {
        open(head)
        append(text)
        close(head)
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
}
