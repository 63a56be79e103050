// What the lines of cards have before their values (name, types, other parameters, the label of a
// group), made once and copied into each card that has such a line: many cards, few heads. What the
// values are is for those who add the lines.

/// The beginning of a line.
struct CardHead: BitwiseCopyable {
    /// Where its texts begin in those of all heads, the name first.
    fileprivate(set) var start = 0
    fileprivate(set) var length = 0
    fileprivate(set) var nameLength: UInt32 = 0
    /// What the line is about.
    fileprivate(set) var tag: UInt16 = 0
    fileprivate(set) var hasLabel = false
    fileprivate(set) var isLabelEscaped = false
    fileprivate(set) var key: UInt64 = 0
    fileprivate(set) var firstParameter = 0
    fileprivate(set) var parameterCount = 0
    /// The label as its line has it, behind the texts.
    fileprivate(set) var labelLength = 0
    /// What the values begin with, behind the label.
    fileprivate(set) var prefixLength = 0

    var property: ContactProperty { ContactProperty(rawValue: tag) ?? .other }
}

/// The heads of lines and their texts.
final class CardHeads {
    private let text = RawVector<UInt8>(capacity: 1024)
    /// Those of all heads; their places count from the beginning of their head's texts.
    private let parameters = RawVector<ContentParameter>(capacity: 64)
    private let lookup = ContactProperty.Lookup()
    private let labelName: StaticString = "X-ABLabel"
    private let labelKey = NameKey.of("X-ABLabel")

    deinit {
        text.destroy()
        parameters.destroy()
    }

    // MARK: Making

    /// Makes a head.
    /// - Parameter prefix: what its values begin with.
    func make(
        _ name: String, _ kind: CardBuilder.Kind = CardBuilder.Kind(),
        parameters: [(String, String)] = [], prefix: String = ""
    ) -> CardHead {
        var head = CardHead()
        head.start = text.count
        text.append(name)
        head.nameLength = UInt32(text.count - head.start)
        head.key = NameKey.of(name)
        head.tag = lookup(head.key, text.bytes(from: head.start, to: text.count))
        head.firstParameter = self.parameters.count
        for type in kind.types { add("TYPE", head) { $0.append(type) } }
        if kind.isPreferred { add("TYPE", head) { $0.append("pref") } }
        for (name, value) in parameters {
            add(name, head) { out in
                var value = value
                value.withUTF8 {
                    ParameterText.encode(UnsafeRawBufferPointer($0), .vCard3, into: out)
                }
            }
        }
        head.parameterCount = self.parameters.count - head.firstParameter
        head.length = text.count - head.start
        if let label = kind.label {
            head.hasLabel = true
            head.isLabelEscaped = CardBuilder.escape(label, to: text)
            head.labelLength = text.count - head.start - head.length
        }
        text.append(prefix)
        head.prefixLength = prefix.utf8.count
        return head
    }

    private func add(_ name: String, _ head: CardHead, value: (RawVector<UInt8>) -> Void) {
        func range(from start: Int) -> TextRange {
            TextRange(
                place: 0x8000_0000 | UInt32(truncatingIfNeeded: start - head.start),
                length: UInt32(truncatingIfNeeded: text.count - start))
        }
        let start = text.count
        text.append(name)
        let name = range(from: start)
        let valueStart = text.count
        value(text)
        parameters.append(
            ContentParameter(
                name: name, value: range(from: valueStart),
                key: NameKey.of(text.bytes(from: start, to: valueStart)), isBare: false,
                needsDecoding: CardHeads.needsDecoding(
                    text.bytes(from: valueStart, to: text.count))))
    }

    /// Whether the value of a parameter is not its own text.
    static func needsDecoding(_ value: UnsafeRawBufferPointer) -> Bool {
        value.contains { $0 == 0x22 || $0 == 0x5C || $0 == 0x5E || $0 >= 0x80 }
    }

    /// How much there is, for `drop`.
    var mark: (Int, Int) { (text.count, parameters.count) }

    /// Drops the heads that were made since.
    func drop(to mark: (Int, Int)) {
        text.truncate(to: mark.0)
        parameters.truncate(to: mark.1)
    }

    // MARK: Adding to cards

    /// Appends a line with this head to a card, without its value.
    @inline(__always)
    func append(_ head: CardHead, group: TextRange, to lines: ContentLines) {
        var line = ContentLine()
        let place = 0x8000_0000 | UInt32(truncatingIfNeeded: lines.arena.count)
        lines.arena.append(
            few: text.bytes(from: head.start, to: head.start &+ head.length))
        line.group = group
        line.name = TextRange(place: place, length: head.nameLength)
        line.key = head.key
        line.tag = head.tag
        line.flags = .decoded
        line.firstParameter = UInt32(truncatingIfNeeded: lines.parameters.count)
        line.parameterCount = UInt32(truncatingIfNeeded: head.parameterCount)
        var j = head.firstParameter
        while j < head.firstParameter &+ head.parameterCount {
            var parameter = parameters[j]
            parameter.name.place &+= place & 0x7FFF_FFFF
            parameter.value.place &+= place & 0x7FFF_FFFF
            lines.parameters.append(parameter)
            j &+= 1
        }
        lines.lines.append(line)
    }

    /// Appends the line that gives a group the head's label.
    func append(labelOf head: CardHead, group: TextRange, to lines: ContentLines) {
        var line = ContentLine()
        let start = lines.arena.count
        lines.arena.append(labelName.utf8Start, count: labelName.utf8CodeUnitCount)
        line.group = group
        line.name = lines.arenaRange(from: start)
        line.key = labelKey
        line.tag = ContactProperty.abLabel.rawValue
        line.flags = head.isLabelEscaped ? [.decoded, .backslash] : .decoded
        line.firstParameter = UInt32(truncatingIfNeeded: lines.parameters.count)
        let from = head.start &+ head.length
        line.value = lines.add(text.bytes(from: from, to: from &+ head.labelLength))
        lines.lines.append(line)
    }

    /// What the values of a head begin with.
    func prefix(of head: CardHead) -> UnsafeRawBufferPointer {
        let from = head.start &+ head.length &+ head.labelLength
        return text.bytes(from: from, to: from &+ head.prefixLength)
    }
}
