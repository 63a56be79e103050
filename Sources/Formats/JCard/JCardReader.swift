// jCards as rows of `Contact`: each card becomes the lines of a vCard, which the mapper takes like
// any other. A card alone, an array of cards, and the cards inside an RDAP answer are read.

/// Reads jCards as contacts.
final class JCardReader: RecordReader {
    let schema = ContactMapper.schema

    private let source: JSONSource
    private let context: ExchangeContext
    private let mapper: ContactMapper
    private let lines = ContentLines()
    private let lookup = ContactProperty.Lookup()
    private var scanner: JSONScanner
    private var record = 0
    /// Cards with a value that no store can hold are set aside.
    var limitsValues = false
    private var isFirst = true
    /// Cards found inside an object, from the last to the first.
    private var found: [JSONTree] = []
    private var shape = Shape.done
    private static let batchRows = 1000

    private enum Shape {
        /// One card, to be read from the cursor.
        case one
        /// An array of cards, opened.
        case many
        /// Cards inside an object.
        case inside
        case done
    }

    init(input: InputBytes, context: ExchangeContext) throws(FormatError) {
        source = try JSONSource(input)
        self.context = context
        mapper = ContactMapper(context: context, source: input.name)
        scanner = source.scanner()
        do throws(FormatError) { try open() } catch { throw source.located(error) }
    }

    private func open() throws(FormatError) {
        if try scanner.peek() == .object {
            let tree = try JSONTree(&scanner)
            try scanner.finish()
            JCardReader.collect(tree, into: &found)
            found.reverse()
            shape = .inside
            return
        }
        let start = scanner.at
        var first = true
        try scanner.enterArray()
        let begin = scanner
        guard try scanner.nextElement(&first) else {
            shape = .many
            scanner = begin
            return
        }
        if try scanner.peek() == .string {
            scanner.at = start
            shape = .one
        } else {
            scanner = begin
            shape = .many
        }
    }

    /// The values of all members `vcardArray`, in order.
    private static func collect(_ tree: JSONTree, into found: inout [JSONTree]) {
        for element in tree.array ?? [] { collect(element, into: &found) }
        for (name, value) in tree.members ?? [] {
            if name == "vcardArray" {
                found.append(value)
            } else {
                collect(value, into: &found)
            }
        }
    }

    func next(into batch: RecordBatch) throws(FormatError) -> Bool {
        batch.begin(class: 0)
        batch.firstRecord = record + 1
        source.input.release(before: scanner.at)
        do throws(FormatError) {
            while batch.rowCount < JCardReader.batchRows, try step(batch) {}
        } catch { throw source.located(error).with { if $0.record == nil { $0.record = record } } }
        mapper.complete(batch)
        return batch.rowCount > 0
    }

    private func step(_ batch: RecordBatch) throws(FormatError) -> Bool {
        let start: Int
        let tree: JSONTree
        switch shape {
        case .done: return false
        case .inside:
            guard let next = found.popLast() else { return false }
            tree = next
            start = next.offset
        case .one:
            start = scanner.at
            tree = try JSONTree(&scanner)
            try scanner.finish()
            shape = .done
        case .many:
            guard try scanner.nextElement(&isFirst) else {
                try scanner.finish()
                shape = .done
                return false
            }
            start = scanner.at
            tree = try JSONTree(&scanner)
        }
        record += 1
        context.report.read += 1
        if card(tree) {
            mapper.append(lines, to: batch)
            if limitsValues, lines.arena.count > ContactMapper.closeLook,
                let refusal = mapper.refuseLast(batch)
            {
                try setAside(from: start, refusal)
            }
        } else {
            try setAside(
                from: start, FormatError(.malformed, "a jCard is [\"vcard\", [properties]]"))
        }
        return true
    }

    /// Hands a card on as it stands.
    private func setAside(from start: Int, _ reason: FormatError) throws(FormatError) {
        var card = scanner
        card.at = start
        try card.skip()
        context.setAside(
            UnsafeRawBufferPointer(rebasing: source.input.bytes[start..<card.at]),
            source.located(reason.with { $0.offset = start }).with { $0.record = record })
    }

    // MARK: A card

    private func card(_ tree: JSONTree) -> Bool {
        guard let card = tree.array, card.count >= 2, card[0].string?.lowercased() == "vcard",
            var properties = card[1].array
        else { return false }
        // Some servers nest the properties one level too deep.
        if properties.count == 1, let inner = properties[0].array, inner.first?.array != nil {
            properties = inner
        }
        lines.begin(at: nil)
        lines.record = record
        lines.dialect = .vCard4
        lines.isVersionStated = false
        for property in properties {
            guard let parts = property.array, parts.count >= 4,
                parts[0].string?.lowercased() == "version", let text = parts[3].string
            else { continue }
            lines.isVersionStated = true
            lines.dialect = text == "3.0" ? .vCard3 : text == "2.1" ? .legacy : .vCard4
            break
        }
        if !lines.isVersionStated {
            // A jCard is a vCard 4.0 (RFC 7095).
            lines.isVersionStated = true
            lines.open(name: "VERSION")
            lines.lines.base[0].tag = ContactProperty.version.rawValue
            lines.close(value: lines.add("4.0"))
            context.report.note(
                .guessed, "version-missing", source: source.input.name, record: record,
                action: "read as 4.0, which all jCards are")
        }
        for property in properties { line(property) }
        return true
    }

    private func line(_ property: JSONTree) {
        guard let parts = property.array, parts.count >= 3, let name = parts[0].string,
            !name.isEmpty
        else {
            return context.report.note(
                .lost, "bad-property", source: source.input.name, record: record,
                action: "a property is [name, parameters, type, value]")
        }
        let upper = name.uppercased()
        let type = parts[2].string?.lowercased() ?? "unknown"
        lines.open(name: upper == "X-ABLABEL" ? "X-ABLabel" : upper)
        let at = lines.count - 1
        lines.lines.base[at].tag = lookup(lines[at].key, lines.bytes(lines[at].name))
        lines.lines.base[at].flags.insert(.backslash)
        var isBase64 = false
        for (key, value) in parts[1].members ?? [] {
            let values = (value.array ?? [value]).compactMap { JCardReader.text($0) }
            let key = key.uppercased()
            if key == "GROUP" {
                lines.lines.base[at].group = lines.add(values.first ?? "")
                continue
            }
            if key == "ENCODING", lines.dialect != .vCard4 { isBase64 = true }
            parameter(key, values)
        }
        if type == "binary", lines.dialect != .vCard4 {
            if !isBase64 { parameter("ENCODING", ["b"]) }
            lines.lines.base[at].flags.insert([.base64, .folded])
        } else if !JCardTypes.isUsual(type, upper, lines.dialect) {
            parameter("VALUE", [type])
        }
        value(Array(parts.dropFirst(3)), upper, type)
    }

    private func parameter(_ name: String, _ values: [String]) {
        let name = lines.add(name)
        let start = lines.arena.count
        for (k, value) in values.enumerated() {
            if k > 0 { lines.arena.append(0x2C) }
            var value = value
            value.withUTF8 {
                ParameterText.encode(
                    UnsafeRawBufferPointer($0), lines.dialect, into: lines.arena)
            }
        }
        lines.addParameter(name, lines.arenaRange(from: start))
    }

    private func value(_ values: [JSONTree], _ name: String, _ type: String) {
        let start = lines.arena.count
        let out = lines.arena
        // Only an agent is a card, and written as one.
        let type = type == "vcard" && name != "AGENT" ? "unknown" : type
        for (k, value) in values.enumerated() {
            if k > 0 { out.append(type == "text" && JCardTypes.isStructured(name) ? 0x3B : 0x2C) }
            guard let components = value.array else {
                append(JCardReader.text(value) ?? "", type)
                continue
            }
            for (c, component) in components.enumerated() {
                if c > 0 { out.append(0x3B) }
                for (n, item) in (component.array ?? [component]).enumerated() {
                    if n > 0 { out.append(0x2C) }
                    append(JCardReader.text(item) ?? "", type)
                }
            }
        }
        lines.close(value: lines.arenaRange(from: start))
    }

    private func append(_ text: String, _ type: String) {
        let out = lines.arena
        switch type {
        case "text", "vcard":
            var text = text
            text.withUTF8 {
                ValueText.escape(UnsafeRawBufferPointer($0), lines.dialect, into: out)
            }
        case _ where JCardTypes.isTime(type) && lines.dialect == .vCard4:
            out.append(JCardTypes.basic(text))
        case "utc-offset" where lines.dialect == .vCard4: out.append(text.filter { $0 != ":" })
        default: out.append(text.filter { $0 != "\r" && $0 != "\n" && $0 != "\r\n" })
        }
    }

    private static func text(_ tree: JSONTree) -> String? {
        switch tree.value {
        case .string(let text): text
        case .number(let digits): digits
        case .bool(let flag): flag ? "true" : "false"
        default: nil
        }
    }
}
