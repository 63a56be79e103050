// Contacts as objects with the short names that people and programs give them (`fn`, `n`, `tel`,
// `email`, `adr`, `org` …): each object becomes the lines of a card, which the mapper takes like
// any other card. Members nobody knows become lines of their own; nothing is dropped.

/// Reads objects with short names as contacts.
final class ContactObjectsReader: RecordReader {
    let schema = ContactMapper.schema

    private let source: JSONSource
    private let context: ExchangeContext
    private let mapper: ContactMapper
    private let card = CardBuilder()
    private let groups: [JSONRowsLayout.Group]
    private var scanner: JSONScanner
    private var at = 0
    private var isOpen = false
    private var isFirst = true
    private var record = 0
    /// Contacts with a value that no store can hold are set aside.
    var limitsValues = false
    private static let batchRows = 1000

    /// True when objects with these members are contacts by short names.
    static func fits(_ names: Set<String>) -> Bool {
        names.contains("fn") && !names.contains("formattedName")
    }

    init(input: InputBytes, isLines: Bool = false, context: ExchangeContext) throws(FormatError) {
        source = try JSONSource(input)
        self.context = context
        do throws(FormatError) {
            let layout = try JSONRowsLayout(
                source, path: context.options.extra["path"], target: nil, isLines: isLines)
            layout.noteBeside(source, context.report)
            groups = layout.groups
        } catch { throw source.located(error) }
        scanner = source.scanner()
        mapper = ContactMapper(context: context, source: input.name)
        mapper.firstOrder = ContactMapper.madeOrder
    }

    func next(into batch: RecordBatch) throws(FormatError) -> Bool {
        batch.begin(class: 0)
        batch.firstRecord = record + 1
        source.input.release(before: scanner.at)
        do throws(FormatError) {
            while at < groups.count, batch.rowCount < ContactObjectsReader.batchRows {
                if try !step(groups[at].kind, groups[at].offset, batch) {
                    at += 1
                    isOpen = false
                }
            }
        } catch { throw source.located(error).with { if $0.record == nil { $0.record = record } } }
        mapper.complete(batch)
        return batch.rowCount > 0
    }

    /// Reads one object; false at the end of the group.
    private func step(_ kind: JSONRowsLayout.Kind, _ offset: Int, _ batch: RecordBatch)
        throws(FormatError) -> Bool
    {
        if !isOpen {
            scanner.at = offset
            isOpen = true
            isFirst = true
            if kind == .array { try scanner.enterArray() }
        } else if kind == .single {
            return false
        }
        switch kind {
        case .array: guard try scanner.nextElement(&isFirst) else { return false }
        case .lines: if scanner.isAtEnd() { return false }
        case .single: break
        }
        let start = scanner.at
        record += 1
        context.report.read += 1
        do throws(FormatError) {
            let tree = try JSONTree(&scanner)
            source.noteLoneSurrogates(from: start, to: scanner.at, record: record, in: context)
            guard let members = tree.members else {
                throw FormatError(.malformed, "a contact is an object", offset: start)
            }
            card.begin(record: record)
            fill(members)
            mapper.append(card.lines, to: batch)
            if limitsValues, scanner.at - start > ContactMapper.closeLook,
                let refusal = mapper.refuseLast(batch)
            {
                context.setAside(
                    UnsafeRawBufferPointer(rebasing: source.input.bytes[start..<scanner.at]),
                    refusal.with {
                        $0.file = source.input.name
                        $0.record = record
                    })
            }
        } catch {
            if kind == .lines {
                scanner.at = start
                _ = scanner.skipLine()
            } else if error.code != .malformed || scanner.at <= start {
                throw error
            }
            let bytes = source.input.bytes
            context.setAside(
                UnsafeRawBufferPointer(rebasing: bytes[start..<min(scanner.at, bytes.count)]),
                source.located(error).with { $0.record = record })
        }
        return true
    }

    // MARK: Members

    private func fill(_ members: [(name: String, value: JSONTree)]) {
        for (name, value) in members {
            switch name {
            case "version": line("VERSION", value)
            case "fn": line("FN", value)
            case "kind", "uid", "rev", "prodid": line(name.uppercased(), value)
            case "title", "role", "note", "lang", "tz", "geo": texts(name.uppercased(), value)
            case "n": name_(value)
            case "nickname", "categories": list(name.uppercased(), value)
            case "tel": items("TEL", value)
            case "email", "url", "impp", "related", "member": items(name.uppercased(), value)
            case "adr": for item in each(value) { address(item) }
            case "org": for item in each(value) { organization(item) }
            case "bday": date("BDAY", value)
            case "anniversary": date("ANNIVERSARY", value)
            case "deathdate": date("DEATHDATE", value)
            case "gender": gender(value)
            case "photo", "logo", "sound", "key":
                for item in each(value) { media(name.uppercased(), item) }
            case "labels": for item in each(value) { items("LABEL", item) }
            case "unknown": for item in each(value) { unknown(item) }
            default: keep(name, value)
            }
        }
    }

    private func each(_ tree: JSONTree) -> [JSONTree] { tree.elementsOrSelf }

    private func text(_ tree: JSONTree?) -> String? { tree?.plainText }

    private func strings(_ tree: JSONTree?) -> [String] {
        tree.map(each)?.compactMap { text($0) } ?? []
    }

    private func line(_ name: String, _ value: JSONTree) {
        guard let text = text(value) else { return }
        card.add(name) { CardBuilder.escape(text, to: $0) }
    }

    private func texts(_ name: String, _ value: JSONTree) {
        for item in each(value) {
            if item.members != nil {
                items(name, item)
            } else {
                line(name, item)
            }
        }
    }

    private func kind(_ item: JSONTree) -> CardBuilder.Kind {
        var kind = CardBuilder.Kind()
        kind.types = strings(item["types"] ?? item["type"]).filter { $0.lowercased() != "pref" }
        kind.isPreferred =
            item["pref"]?.int == 1 || item["pref"]?.bool == true
            || strings(item["types"] ?? item["type"]).contains { $0.lowercased() == "pref" }
        kind.label = text(item["label"])
        if kind.label?.isEmpty == true { kind.label = nil }
        return kind
    }

    private func rank(_ item: JSONTree) -> [(String, String)] {
        guard let rank = item["pref"]?.int, rank > 1 else { return [] }
        return [("PREF", String(rank))]
    }

    private func items(_ name: String, _ value: JSONTree) {
        for item in each(value) {
            let kind = item.members == nil ? CardBuilder.Kind() : kind(item)
            guard var value = text(item) ?? text(item["value"]) ?? text(item["uri"]) else {
                continue
            }
            if name == "TEL", let ext = text(item["ext"]), !ext.isEmpty {
                value = text(item["uri"]) ?? value + ";ext=" + ext
            }
            card.add(name, kind, parameters: rank(item)) { CardBuilder.escape(value, to: $0) }
        }
    }

    private func list(_ name: String, _ value: JSONTree) {
        let words = each(value).compactMap { text($0) ?? text($0["value"]) }
        if words.isEmpty { return }
        card.add(name) { CardBuilder.escape([words], to: $0) }
    }

    private func name_(_ value: JSONTree) {
        if let whole = text(value) {
            return card.add("N") { CardBuilder.escape([[whole], [""], [""], [""], [""]], to: $0) }
        }
        var parts = ["family", "given", "additional", "prefixes", "suffixes"].map {
            strings(value[$0])
        }
        for (k, short) in [(3, "prefix"), (4, "suffix")] where parts[k].isEmpty {
            parts[k] = strings(value[short])
        }
        if parts.allSatisfy(\.isEmpty) { return }
        let sort = strings(value["sort_as"] ?? value["sortAs"]).joined(separator: ",")
        card.add("N", parameters: sort.isEmpty ? [] : [("SORT-AS", sort)]) {
            CardBuilder.escape(parts, to: $0)
        }
    }

    private func address(_ item: JSONTree) {
        if let whole = text(item) {
            return card.add("ADR", parameters: [("LABEL", whole)]) { $0.append(";;;;;;") }
        }
        let names = [
            ["pobox", "poBox"], ["extended"], ["street"], ["locality", "city"],
            ["region", "state"], ["code", "postalCode", "zip"], ["country"],
        ]
        let parts = names.map { names in
            [names.lazy.compactMap { self.text(item[$0]) }.first ?? ""]
        }
        var parameters = rank(item)
        if let formatted = text(item["formatted"]), !formatted.isEmpty {
            parameters.append(("LABEL", formatted))
        }
        card.add("ADR", kind(item), parameters: parameters) { CardBuilder.escape(parts, to: $0) }
    }

    private func organization(_ item: JSONTree) {
        let name = text(item) ?? text(item["name"]) ?? ""
        let units = item.members == nil ? [] : strings(item["units"] ?? item["department"])
        card.add("ORG", item.members == nil ? CardBuilder.Kind() : kind(item)) {
            CardBuilder.escape([[name]] + units.map { [$0] }, to: $0)
        }
    }

    private func date(_ name: String, _ value: JSONTree) {
        if case .null = value.value { return }
        func number(_ part: String, _ range: ClosedRange<Int64>) -> Int? {
            value[part]?.int.flatMap { range.contains($0) ? Int($0) : nil }
        }
        let year = number("year", 0...9999)
        let month = number("month", 1...12)
        let day = number("day", 1...31)
        if year != nil || month != nil || day != nil {
            return card.addDate(name, year: year, month: month, day: day, time: text(value["time"]))
        }
        guard var text = text(value) ?? text(value["text"]) else { return }
        let isDate = text.withUTF8 { bytes -> Bool in
            guard let date = CardDate(UnsafeRawBufferPointer(bytes)) else { return false }
            let time = date.time.map { String(decoding: bytes[$0], as: UTF8.self) }
            card.addDate(name, year: date.year, month: date.month, day: date.day, time: time)
            return true
        }
        if !isDate {
            card.add(name, parameters: [("VALUE", "text")]) { CardBuilder.escape(text, to: $0) }
        }
    }

    private func gender(_ value: JSONTree) {
        guard let text = text(value) else { return }
        card.add("GENDER") {
            CardBuilder.escape(text.split(separator: ";").map { [String($0)] }, to: $0)
        }
    }

    private func media(_ name: String, _ item: JSONTree) {
        if let uri = text(item) ?? text(item["uri"]) {
            return card.add(name, parameters: [("VALUE", "uri")]) {
                CardBuilder.escape(uri, to: $0)
            }
        }
        guard let data = text(item["data"]) ?? text(item["data"]?["$binary"]?["base64"]) else {
            context.report.note(
                .lost, "no-content", source: source.input.name, record: record, property: name,
                action: "the object describes \(name) but does not hold it")
            return
        }
        card.add(name, parameters: [("ENCODING", "b")]) { $0.append(data) }
        card.lines.lines.base[card.lines.count - 1].flags.insert([.base64, .folded])
    }

    /// A line as it stood: group, name, parameters, raw value.
    private func unknown(_ item: JSONTree) {
        guard let name = text(item["name"]), let value = text(item["value"]) else { return }
        var parameters: [(String, String)] = []
        for parameter in item["params"]?.array ?? [] {
            guard let pair = parameter.array, pair.count == 2 else { continue }
            let values = strings(pair[1]).joined(separator: ",")
            let key = text(pair[0]) ?? "TYPE"
            if key != "ENCODING", key != "CHARSET" { parameters.append((key, values)) }
        }
        card.add(name, parameters: parameters) { $0.append(value) }
    }

    private func keep(_ name: String, _ value: JSONTree) {
        for item in each(value) {
            guard let text = text(item) ?? text(item["value"]) else {
                context.report.note(
                    .lost, "unknown-member", source: source.input.name, record: record,
                    property: name, action: "no property of a contact holds it")
                continue
            }
            card.add("X-JSON-FIELD", parameters: [("LABEL", name)]) {
                CardBuilder.escape(text, to: $0)
            }
        }
    }
}
