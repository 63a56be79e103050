// The numbered items of a row (e-mail addresses, phones, messengers, organizations, addresses,
// relations) as lines of the card.

extension AddressBookReader {
    // MARK: Items

    func add(_ item: BookItem) {
        if item.field == .org { return organization(item) }
        if item.field == .address { return addresses(item) }
        let cell = cells[item.value]
        if cell.isEmpty { return }
        pieces.removeAll()
        var count = cell.split(into: pieces, keepsEmpty: true)
        if item.isList, count == 1 { count = splitList(item, cell) }
        let label = label(item, count)
        if item.field == .im { return messengers(item, label, count) }
        for i in 0..<count {
            let value = pieces[i].trimmed
            if value.isEmpty { continue }
            let head = head(item, label, i)
            switch item.field {
            case .event: event(head, value, item.value)
            case .phone:
                checkDigits(value)
                card.add(head, value.bytes)
            default: card.add(head, value.bytes)
            }
        }
    }

    /// Cuts a cell that holds several values between commas.
    private func splitList(_ item: BookItem, _ cell: CellSlice) -> Int {
        pieces.removeAll()
        let count = cell.split(into: pieces) { $0 == 0x2C || $0 == 0x3B }
        if count > 1 {
            context.report.note(
                .guessed, "list-split", source: document.input.name, record: card.lines.record,
                property: plan.items[item.number].name, value: cell.string,
                action: "read as several, cut at the commas")
        }
        return count
    }

    // MARK: Labels

    /// The label cell of an item: a label for all of its values, or as many as there are values,
    /// which then are in `labels`.
    struct LabelCell {
        let cell: CellSlice
        let hasOwn: Bool
    }

    func label(_ item: BookItem, _ count: Int) -> LabelCell {
        let cell = cells[item.type]
        labels.removeAll()
        return LabelCell(
            cell: cell, hasOwn: cell.split(into: labels, keepsEmpty: true) == count)
    }

    /// The head of one of an item's values.
    @inline(__always)
    func head(
        _ item: BookItem, _ label: LabelCell, _ i: Int, service: CellSlice = .empty
    ) -> CardHead {
        heads.head(
            item.number, label.hasOwn ? labels[i] : label.cell, isFirst: i == 0 || label.hasOwn,
            service: service)
    }

    // MARK: Messengers

    private func messengers(_ item: BookItem, _ label: LabelCell, _ count: Int) {
        services.removeAll()
        let named = cells[item.service].split(into: services, keepsEmpty: true)
        for i in 0..<count {
            let value = pieces[i].trimmed
            if value.isEmpty { continue }
            let service = named == 1 ? services[0] : i < named ? services[i] : .empty
            let head = head(item, label, i, service: service)
            card.open(head)
            let isURI = MediaText.hasScheme(value.bytes)
            if !isURI, Messengers.isPlain(value.bytes) { card.append(card.heads.prefix(of: head)) }
            card.append(value.bytes)
            card.close(head)
        }
    }

    // MARK: Organizations

    /// Google joins several organisations of one kind with `:::`, part by part.
    private func organization(_ item: BookItem) {
        pieces.removeAll()
        labels.removeAll()
        let nameCell = cells[steps.column(item.number, .name)]
        let unitCell = cells[steps.column(item.number, .department)]
        let names = nameCell.isEmpty ? 0 : nameCell.split(into: pieces, keepsEmpty: true)
        let units = unitCell.isEmpty ? 0 : unitCell.split(into: labels, keepsEmpty: true)
        // Several departments of one company.
        let isOne = names == 1 && units > 1
        var isFirst = true
        for i in 0..<(isOne ? 1 : max(names, units)) {
            let name = i < names ? pieces[i] : .empty
            let own = isOne ? 0..<units : i < units ? i..<i + 1 : 0..<0
            if name.isEmpty, own.allSatisfy({ labels[$0].isEmpty }) { continue }
            let head = heads.head(item.number, cells[item.type], isFirst: isFirst)
            card.open(head)
            card.append(name.bytes)
            for k in own where !labels[k].isEmpty {
                card.append(separator: 0x3B)
                card.append(labels[k].bytes)
            }
            card.close(head)
            isFirst = false
        }
        let title = steps.column(item.number, .title)
        if !cells[title].isEmpty { each(steps.title, title) }
    }

    // MARK: Numbers

    /// A number that a spreadsheet has rounded (`4.91512E+11`) has lost its digits for good.
    private func checkDigits(_ value: CellSlice) {
        let bytes = value.bytes
        guard bytes.count >= 6, bytes.count <= 16 else { return }
        var e = 0
        while e < bytes.count, bytes[e] &- 0x30 < 10 || bytes[e] == 0x2E || bytes[e] == 0x2C {
            e += 1
        }
        guard e > 2, e + 1 < bytes.count, bytes[e] | 0x20 == 0x65, bytes[e + 1] == 0x2B,
            bytes[(e + 2)...].allSatisfy({ $0 &- 0x30 < 10 })
        else { return }
        context.report.note(
            .guessed, "rounded-number", source: document.input.name, record: card.lines.record,
            property: "TEL", value: value.string,
            action: "a spreadsheet has replaced digits of this number; they are gone: export again"
        )
    }
}
