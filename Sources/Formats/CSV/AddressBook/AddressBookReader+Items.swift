// The numbered items of a row (e-mail addresses, phones, messengers, organizations, addresses,
// relations) as lines of the card.

extension AddressBookReader {
    // MARK: Items

    func add(_ item: AddressBookPlan.Item, _ row: Int) {
        if item.columns.allSatisfy({ isEmpty(row, $0) }) { return }
        if item.field == .org { return organization(item, row) }
        if item.field == .address { return addresses(item, row) }
        guard !isEmpty(row, item[.value]) else { return }
        let services = item.field == .im ? places(text(row, item[.service])) : []
        var values = places(text(row, item[.value]))
        if AddressBookPlan.isList(item), values.count == 1 {
            values = values[0].split { $0 == "," || $0 == ";" }.map(String.init)
            if values.count > 1 {
                context.report.note(
                    .guessed, "list-split", source: document.input.name,
                    record: card.lines.record, property: item.name,
                    value: text(row, item[.value]), action: "read as several, cut at the commas")
            }
        }
        let kinds = kinds(item, row, count: values.count)
        for (i, piece) in values.enumerated() {
            let kind = kinds[i]
            let value = HeaderNames.trim(piece)
            if value.isEmpty { continue }
            switch item.field {
            case .email: card.add("EMAIL", kind) { CardBuilder.escape(value, to: $0) }
            case .phone:
                checkDigits(value)
                card.add("TEL", kind) { CardBuilder.escape(value, to: $0) }
            case .url: card.add("URL", kind) { CardBuilder.escape(value, to: $0) }
            case .relation:
                card.add("RELATED", kind, parameters: [("VALUE", "text")]) {
                    CardBuilder.escape(value, to: $0)
                }
            case .im:
                messenger(
                    value,
                    services.count == 1 ? services[0] : i < services.count ? services[i] : "",
                    kind)
            case .event: event(value, kind, item[.value])
            default:
                let label = kind.label ?? item.name
                card.add(AddressBookReader.keptLine, parameters: [("LABEL", label)]) {
                    CardBuilder.escape(value, to: $0)
                }
            }
        }
    }

    /// What the label cell says of each of some values: a label for all of them, or as many as
    /// there are values.
    private func kinds(_ item: AddressBookPlan.Item, _ row: Int, count: Int) -> [CardBuilder.Kind] {
        let text = text(row, item[.type])
        let labels = places(text)
        let hasOwn = labels.count == count
        return (0..<count).map { i in
            var kind = AddressBookLabels.kind(
                hasOwn ? labels[i] : text, item.field, fixed: item.types, label: item.label)
            // One of several values of a kind can be the preferred one.
            if i > 0, !hasOwn { kind.isPreferred = false }
            return kind
        }
    }

    /// A service named by the column stands among the types, with a capital.
    private func messenger(_ value: String, _ named: String, _ kind: CardBuilder.Kind) {
        var kind = kind
        let usual: Set<String> = ["home", "work", "other", "pref"]
        var service = named
        if service.isEmpty, let type = kind.types.first(where: { !usual.contains($0) }) {
            service = type
        }
        kind.types.removeAll { !usual.contains($0) }
        let isURI = Array(value.utf8).withUnsafeBytes { MediaText.hasScheme($0) }
        let account =
            isURI || !Messengers.isPlain(value)
            ? value : Messengers.uri(service: service.isEmpty ? nil : service, user: value)
        card.add(
            "IMPP", kind,
            parameters: service.isEmpty ? [] : [("X-SERVICE-TYPE", service)]
        ) { CardBuilder.escape(account, to: $0) }
    }

    /// Google joins several organisations of one kind with `:::`, part by part.
    private func organization(_ item: AddressBookPlan.Item, _ row: Int) {
        func cell(_ part: ColumnMeaning.Part) -> [String] {
            isEmpty(row, item[part]) ? [] : places(text(row, item[part]))
        }
        let names = cell(.name)
        var units = cell(.department).map { [$0] }
        // Several departments of one company.
        if names.count == 1, units.count > 1 { units = [units.flatMap { $0 }] }
        var kind = AddressBookLabels.kind(text(row, item[.type]), .org, fixed: [], label: nil)
        for i in 0..<max(names.count, units.count) {
            let name = i < names.count ? names[i] : ""
            let units = (i < units.count ? units[i] : []).filter { !$0.isEmpty }
            if name.isEmpty, units.isEmpty { continue }
            card.add("ORG", kind) { out in
                CardBuilder.escape(name, to: out)
                for unit in units {
                    out.append(0x3B)
                    CardBuilder.escape(unit, to: out)
                }
            }
            kind.isPreferred = false
        }
        each("TITLE", item[.title], row)
    }

    /// Google joins the parts of several addresses of one kind with `:::`, part by part.
    func addresses(_ item: AddressBookPlan.Item, _ row: Int) {
        let parts: [ColumnMeaning.Part] = [
            .pobox, .extended, .street, .street2, .street3, .city, .region, .code, .country,
            .formatted,
        ]
        var cells: [ColumnMeaning.Part: [String]] = [:]
        var count = 1
        for part in parts where !isEmpty(row, item[part]) {
            let text = text(row, item[part])
            let pieces = places(text)
            cells[part] = pieces
            count = max(count, pieces.count)
        }
        if cells.isEmpty { return }
        let kinds = kinds(item, row, count: count)
        for i in 0..<count {
            func cell(_ part: ColumnMeaning.Part) -> String {
                guard let pieces = cells[part], i < pieces.count else { return "" }
                return pieces[i]
            }
            let street = [cell(.street), cell(.street2), cell(.street3)].filter { !$0.isEmpty }
                .joined(separator: "\n")
            let fields = [
                cell(.pobox), cell(.extended), street, cell(.city), cell(.region), cell(.code),
                cell(.country),
            ]
            let formatted = cell(.formatted)
            let isTold = AddressBookReader.isTold(formatted, by: fields)
            card.add("ADR", kinds[i], parameters: isTold ? [] : [("LABEL", formatted)]) { out in
                for (k, field) in fields.enumerated() {
                    if k > 0 { out.append(0x3B) }
                    CardBuilder.escape(field, to: out)
                }
            }
        }
    }

    /// Whether every word of a formatted address stands in its parts, too.
    static func isTold(_ formatted: String, by fields: [String]) -> Bool {
        func words(_ text: String) -> [Substring] {
            text.split { $0.isWhitespace || $0 == "," }
        }
        let known = Set(fields.flatMap(words))
        return words(formatted).allSatisfy { known.contains($0) }
    }

    /// A number that a spreadsheet has rounded (`4.91512E+11`) has lost its digits for good.
    private func checkDigits(_ value: String) {
        let bytes = Array(value.utf8)
        guard bytes.count >= 6, bytes.count <= 16,
            let e = bytes.firstIndex(where: { $0 == 0x45 || $0 == 0x65 }), e > 2,
            e + 1 < bytes.count, bytes[e + 1] == 0x2B,
            bytes[..<e].allSatisfy({ $0 &- 0x30 < 10 || $0 == 0x2E || $0 == 0x2C }),
            bytes[(e + 2)...].allSatisfy({ $0 &- 0x30 < 10 })
        else { return }
        context.report.note(
            .guessed, "rounded-number", source: document.input.name, record: card.lines.record,
            property: "TEL", value: value,
            action: "a spreadsheet has replaced digits of this number; they are gone: export again"
        )
    }
}
