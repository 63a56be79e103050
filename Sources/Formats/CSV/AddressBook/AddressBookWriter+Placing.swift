// Each item of a contact goes to the first columns that are meant for its kind; what finds none is
// left for the notes, never squeezed in under a wrong name. Values of a record that has columns for
// anything at last go there.

extension AddressBookWriter {
    func place() {
        placeSingles()
        placeName()
        placeItems()
        placeAnniversary()
        placeTitles()
        placeLists()
        placeServices()
        placeCustoms()
    }

    // MARK: Names

    private func placeSingles() {
        for (field, column) in singles {
            let value = contact[field]
            if !value.isEmpty { cells[column] = spelled(field, value) }
        }
    }

    private func placeName() {
        isNameLost = false
        let plan = profile.plan
        guard plan.full == nil else { return }
        let full = contact[.full]
        // Without a column of its own a whole name is kept by the parts it is made of.
        let texts = contact.texts
        let start = texts.end
        var hasParts = false
        for field in [ColumnMeaning.Field.prefix, .given, .middle, .family, .suffix] {
            let part = contact[field]
            if part.isNone { continue }
            hasParts = true
            texts.join(part, since: start, " ")
        }
        isNameLost = !full.isEmpty && hasParts && !texts.isSame(full, texts.since(start))
        // It is taken as the first name when there are no parts.
        if let given = plan.given, !full.isNone, contact[.given].isNone, contact[.family].isNone {
            cells[given] = full
        }
    }

    // MARK: Items

    /// First what fits exactly, then what is left into columns for anything of the kind.
    private func placeItems() {
        let items = contact.items
        unused.base.update(repeating: 0, count: unused.count)
        for i in 0..<items.count { unused[items[i].field.rawValue] += 1 }
        for isExact in [true, false] {
            for seat in 0..<seats.count {
                let its = seats[seat]
                guard unused[its.field.rawValue] > 0, isFree(its),
                    let i = best(seat, its, isExact)
                else { continue }
                use(i)
                put(i, its)
                noteChange(i, seat)
            }
        }
    }

    func use(_ i: Int) {
        contact.items.base[i].isUsed = true
        unused[contact.items[i].field.rawValue] -= 1
    }

    @inline(__always)
    func isFree(_ seat: AddressBookSeats.Seat) -> Bool {
        for k in 0..<seat.count where !cells[seats.column(k, of: seat).column].isEmpty {
            return false
        }
        return true
    }

    /// The item that some columns take: of those that fit the preferred one, where the columns
    /// cannot say which one that is.
    private func best(_ seat: Int, _ its: AddressBookSeats.Seat, _ isExact: Bool) -> Int? {
        var found: Int?
        var least = Int.max
        for i in 0..<contact.items.count {
            let item = contact.items[i]
            guard !item.isUsed, item.field == its.field, seats.fits(item.kind, seat, isExact) else {
                continue
            }
            if its.hasType { return i }
            // A name before the address of a card that tells it.
            let rank = item.rank + (item.isLink ? 1000 : 0)
            if rank < least { (found, least) = (i, rank) }
        }
        return found
    }

    private func put(_ i: Int, _ seat: AddressBookSeats.Seat) {
        for k in 0..<seat.count {
            let (column, part) = seats.column(k, of: seat)
            switch part {
            case .type:
                cells[column] = contact.texts.add(
                    kinds.labelCell(contact.items[i].kind), isKnown: true)
            case .street where seat.hasStreets: putStreet(contact[i, .street], seat)
            case .street2, .street3: break
            case .value where seat.field == .event: cells[column] = date(contact[i, .value])
            default: cells[column] = contact[i, part]
            }
        }
    }

    /// The lines of a street, the last column takes all that is left.
    private func putStreet(_ street: TextPlace, _ seat: AddressBookSeats.Seat) {
        let targets = [ColumnMeaning.Part.street, .street2, .street3].compactMap {
            seats.column($0, of: seat)
        }
        var rest = street
        for i in 0..<3 {
            let line = i < 2 ? nextLine(&rest) : rest
            if line.isEmpty { return }
            append(line, to: targets[min(i, targets.count - 1)], " ")
        }
    }

    /// The next line of a text; a return before its end is part of no line end here.
    private func nextLine(_ rest: inout TextPlace) -> TextPlace {
        let base = contact.texts.storage.base
        let start = rest.start, end = rest.start + rest.count
        func isEnd(_ at: Int) -> Bool { base[at] == 10 && (at == start || base[at - 1] != 13) }
        var from = start
        while from < end, isEnd(from) { from += 1 }
        var to = from
        while to < end, !isEnd(to) { to += 1 }
        rest = TextPlace(start: min(to + 1, end), count: max(end - to - 1, 0))
        return TextPlace(start: from, count: to - from)
    }

    /// Adds a text to what a cell holds.
    private func append(_ text: TextPlace, to column: Int, _ separator: StaticString) {
        if cells[column].isEmpty { return cells[column] = text }
        let texts = contact.texts
        let start = texts.end
        texts.copy(cells[column])
        texts.append(separator)
        texts.copy(text)
        cells[column] = texts.since(start)
    }

    // MARK: What is left

    private func placeAnniversary() {
        guard unused[ColumnMeaning.Field.event.rawValue] > 0,
            let column = profile.plan.anniversary, cells[column].isEmpty,
            let i = contact.items.elements.firstIndex(where: {
                !$0.isUsed && $0.field == .event
                    && kinds.all[$0.kind].label?.lowercased() == "anniversary"
            })
        else { return }
        use(i)
        cells[column] = date(contact[i, .value])
    }

    /// A title has a column beside its organisation's.
    private func placeTitles() {
        for seat in 0..<seats.count where unused[ColumnMeaning.Field.org.rawValue] > 0 {
            let its = seats[seat]
            guard its.field == .org, let column = seats.column(.title, of: its),
                cells[column].isEmpty,
                let i = contact.items.elements.firstIndex(where: {
                    !$0.isUsed && $0.list == .titles
                })
            else { continue }
            use(i)
            cells[column] = contact[i, .title]
        }
    }

    /// Cells that hold several values take what is left of their kind.
    private func placeLists() {
        for seat in 0..<seats.count where seats[seat].isList {
            guard let column = seats.column(.value, of: seats[seat]) else { continue }
            let isBegun = !cells[column].isEmpty
            for i in 0..<contact.items.count {
                let item = contact.items[i]
                guard item.field == seats[seat].field, !item.isUsed || isBegun,
                    kinds.all[item.kind].label?.lowercased() == "child"
                else { continue }
                let value = contact[i, .value]
                if contact.texts.bytes(value).contains(where: { $0 == 0x2C || $0 == 0x3B }) {
                    notes.add(
                        .listSeparator, Int(item.list.rawValue),
                        value: contact.texts.string(value),
                        action: "commas separate values here, so it will be read as several")
                }
                if item.isUsed { continue }
                use(i)
                append(value, to: column, ", ")
            }
        }
    }

    /// Messengers without a column of theirs go to columns for anything.
    private func placeServices() {
        if unused[ColumnMeaning.Field.im.rawValue] == 0 { return }
        for i in 0..<contact.items.count {
            let item = contact.items[i]
            guard item.field == .im, !item.isUsed else { continue }
            let open = (0..<seats.count).first { seats[$0].isOpen && isFree(seats[$0]) }
            guard let open, let column = seats.column(.value, of: seats[open]) else { return }
            use(i)
            let texts = contact.texts
            let service = contact[i, .service]
            let value = contact[i, .value]
            if let type = seats.column(.type, of: seats[open]) {
                cells[type] = service.isEmpty ? texts.add("IM" as String) : service
                cells[column] = value
            } else {
                let start = texts.end
                texts.copy(service)
                texts.join(value, since: start, ":")
                if !service.isEmpty, value.isEmpty { texts.append(":") }
                cells[column] = texts.since(start)
            }
            notes.add(
                .serviceAsCustom, Int(item.list.rawValue), value: said(i),
                action:
                    "\(profile.name) has no column for it; written under \(header(seats.places[open]))"
            )
            notePage(i)
        }
    }

    private func said(_ i: Int) -> String {
        let kind = kinds.all[contact.items[i].kind]
        let value = contact.texts.string(contact[i, .value])
        let said = kind.service.isEmpty ? value : "\(kind.service): \(value)"
        let words = kind.types + [kind.label].compactMap { $0 }
        return words.isEmpty ? said : said + " (\(words.joined(separator: " ")))"
    }

    /// Values under labels of their own go to columns for anything, with the label before them.
    private func placeCustoms() {
        if unused[ColumnMeaning.Field.custom.rawValue] == 0 { return }
        for i in 0..<contact.items.count {
            let item = contact.items[i]
            guard item.field == .custom, !item.isUsed, let label = kinds.all[item.kind].label else {
                continue
            }
            let open = (0..<seats.count).first {
                seats[$0].isOpen && !seats[$0].hasType && isFree(seats[$0])
            }
            guard let open, let column = seats.column(.value, of: seats[open]) else { return }
            use(i)
            let texts = contact.texts
            let start = texts.end
            texts.storage.append(label)
            texts.append(": ")
            texts.copy(contact[i, .value])
            cells[column] = texts.since(start)
            notes.add(
                .customRenamed, Int(item.list.rawValue),
                value: contact.shown(i, kinds.all[item.kind]),
                action: "written under \(header(seats.places[open])), with its label")
        }
    }
}
