// Contacts as jCards: each row becomes the lines of a vCard 4.0, older versions converted first,
// and each line an array of name, parameters, type and values.

/// Writes contacts as jCards: one alone, several as an array.
final class JCardWriter: RecordWriter {
    private let sink: ByteSink
    private let context: ExchangeContext
    private let mapper: ContactMapper
    private let upgrade: VCardUpgrade
    private let lines = ContentLines()
    private let scratch = RawVector<UInt8>(capacity: 256)
    /// The first card, held until it is known whether it is the only one.
    private let first = RawVector<UInt8>(capacity: 4096)
    private var count = 0

    init(sink: ByteSink, context: ExchangeContext) {
        self.sink = sink
        self.context = context
        mapper = ContactMapper(context: context, mintsIDs: false)
        upgrade = VCardUpgrade(context: context)
    }

    deinit {
        scratch.destroy()
        first.destroy()
    }

    func write(_ batch: RecordBatch) throws(FormatError) {
        guard batch.classSchema.name == "Contact" else { return }
        for row in 0..<batch.rowCount {
            mapper.lines(of: row, in: batch, into: lines)
            lines.record = batch.firstRecord + row
            let card = upgrade.convert(lines, to: .vCard4)
            if count == 1 {
                sink.buffer.append("[\n")
                sink.buffer.append(bytes: UnsafeRawBufferPointer(first.elements))
            }
            if count > 0 { sink.buffer.append(",\n") }
            write(card, to: count == 0 ? first : sink.buffer)
            count += 1
            context.report.written += 1
            try sink.flushIfFull()
        }
    }

    func finish() throws(FormatError) {
        switch count {
        case 0: sink.buffer.append("[]\n")
        case 1:
            sink.buffer.append(bytes: UnsafeRawBufferPointer(first.elements))
            sink.buffer.append("\n")
        default: sink.buffer.append("\n]\n")
        }
        try sink.finish()
    }

    // MARK: A card

    private func write(_ card: ContentLines, to out: RawVector<UInt8>) {
        out.append("[\"vcard\", [")
        var isFirst = true
        for i in 0..<card.count {
            let line = card[i]
            if line.flags.contains(.noColon) || line.name.isEmpty {
                context.report.note(
                    .lost, "line-without-colon", record: card.record,
                    value: String(decoding: card.bytes(line.value).prefix(80), as: UTF8.self),
                    action: "a line that is no property has no place in a jCard")
                continue
            }
            out.append(isFirst ? "\n  " : ",\n  ")
            isFirst = false
            property(line, card, to: out)
        }
        out.append("\n]]")
    }

    private func property(_ line: ContentLine, _ card: ContentLines, to out: RawVector<UInt8>) {
        let name = card.string(line.name)
        out.append("[")
        JSONText.write(name.lowercased(), to: out)
        out.append(", {")
        var type: String?
        var isFirst = true
        func begin(_ key: String) {
            if !isFirst { out.append(", ") }
            isFirst = false
            JSONText.write(key, to: out)
            out.append(": ")
        }
        if !line.group.isEmpty {
            begin("group")
            JSONText.write(card.string(line.group), to: out)
        }
        // Parameters of one name are one member.
        var seen: [(name: String, values: [String])] = []
        for j in card.parameterIndices(line) {
            let parameter = card.parameters[j]
            let key = parameter.isBare ? "type" : card.string(parameter.name).lowercased()
            if key == "charset" || key == "encoding" { continue }
            var values: [String] = []
            if key == "type" {
                ParameterText.forEachType(
                    card.bytes(parameter.value), carets: card.dialect != .legacy, scratch: scratch
                ) { values.append(String(decoding: $0, as: UTF8.self)) }
            } else {
                ParameterText.forEachValue(parameter, of: card, scratch: scratch) {
                    values.append(String(decoding: $0, as: UTF8.self))
                }
            }
            if key == "value" {
                type = values.first?.lowercased()
                continue
            }
            if let k = seen.firstIndex(where: { $0.name == key }) {
                seen[k].values += values
            } else {
                seen.append((key, values))
            }
        }
        for (key, values) in seen {
            begin(key)
            if values.count == 1 {
                JSONText.write(values[0], to: out)
            } else {
                out.append("[")
                for (k, value) in values.enumerated() {
                    if k > 0 { out.append(", ") }
                    JSONText.write(value, to: out)
                }
                out.append("]")
            }
        }
        out.append("}, ")
        let upper = name.uppercased()
        var kind = type ?? JCardTypes.usual(upper) ?? "unknown"
        let value = card.bytes(line.value)
        if type == nil, upper == "UID", value.contains(0x5C), !MediaText.hasScheme(value) {
            // Free text, whose escapes JSON does not have.
            kind = "text"
        }
        JSONText.write(kind, to: out)
        out.append(", ")
        self.value(line, card, upper, kind, seen.first { $0.name == "type" }?.values.last, to: out)
        out.append("]")
    }

    // MARK: Values

    private func value(
        _ line: ContentLine, _ card: ContentLines, _ name: String, _ type: String,
        _ mediaType: String?, to out: RawVector<UInt8>
    ) {
        let bytes = card.bytes(line.value)
        let property = ContactProperty(rawValue: line.tag) ?? .other
        if line.flags.contains(.base64) {
            let word = mediaType ?? "octet-stream"
            let type =
                VCardUpgrade.mediaType(word, word == "octet-stream" ? .key : property)
            return JSONText.write(
                "data:\(type);base64," + String(decoding: bytes, as: UTF8.self), to: out)
        }
        if type == "text", JCardTypes.isStructured(name) {
            return components(bytes, card, lists: JCardTypes.hasLists(name), to: out)
        }
        if type == "text", JCardTypes.isList(name) {
            var pieces = ValuePieces(bytes, separator: 0x2C)
            var isFirst = true
            while let piece = pieces.nextBytes() {
                if !isFirst { out.append(", ") }
                isFirst = false
                text(piece, card, to: out)
            }
            return
        }
        let plain = String(decoding: bytes, as: UTF8.self)
        switch type {
        case "text": text(bytes, card, to: out)
        case "integer":
            if ScalarText.int(bytes) != nil {
                out.append(bytes: bytes)
            } else {
                JSONText.write(plain, to: out)
            }
        case "boolean":
            let word = plain.lowercased()
            if word == "true" || word == "false" {
                out.append(word)
            } else {
                JSONText.write(plain, to: out)
            }
        case "utc-offset": JSONText.write(JCardTypes.offset(plain), to: out)
        case _ where JCardTypes.isTime(type):
            JSONText.write(JCardTypes.extended(plain), to: out)
        default: JSONText.write(plain, to: out)
        }
    }

    /// Components as an array; one alone stands bare.
    /// - Parameter lists: whether a list inside a component is an array of its own.
    private func components(
        _ bytes: UnsafeRawBufferPointer, _ card: ContentLines, lists: Bool,
        to out: RawVector<UInt8>
    ) {
        var all: [UnsafeRawBufferPointer] = []
        var pieces = ValuePieces(bytes, separator: 0x3B)
        while let piece = pieces.nextBytes() { all.append(piece) }
        if all.count > 1 { out.append("[") }
        for (k, component) in all.enumerated() {
            if k > 0 { out.append(", ") }
            if !lists {
                text(component, card, to: out)
                continue
            }
            var words: [UnsafeRawBufferPointer] = []
            var list = ValuePieces(component, separator: 0x2C)
            while let word = list.nextBytes() { words.append(word) }
            if words.count > 1 { out.append("[") }
            for (n, word) in words.enumerated() {
                if n > 0 { out.append(", ") }
                text(word, card, to: out)
            }
            if words.count > 1 { out.append("]") }
        }
        if all.count > 1 { out.append("]") }
    }

    private func text(
        _ bytes: UnsafeRawBufferPointer, _ card: ContentLines, to out: RawVector<UInt8>
    ) {
        scratch.removeAll()
        ValueText.unescape(bytes, card.dialect, into: scratch)
        JSONText.write(String(decoding: scratch.elements, as: UTF8.self), to: out)
    }
}
