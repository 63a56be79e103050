// The items of a contact's lists: e-mails, phones, addresses, dates. What an item is besides its
// values is its kind, which is made up once for all items that say the same of themselves.

extension AddressBookContactReader {
    func item(_ of: AddressBookContact.List, _ list: ItemColumns, _ child: Int) {
        let contact = contact
        let texts = contact.texts
        let service =
            of == .services ? texts.add(list.own[0], child) : TextPlace()
        let kind = kind(of, list, child, service)
        let i = contact.add(kind, of)
        if list.preference.nulls[child] == 0 {
            contact.items.base[i].rank = Int(min(max(list.preference.words[child], 1), 101))
        }
        switch of {
        case .services:
            contact[i, .service] =
                service.isEmpty ? texts.add(kinds.all[kind].service) : service
            contact[i, .value] = texts.add(list.own[1], child)
            takePage(i, list, child)
        case .organizations:
            contact[i, .name] = texts.add(list.own[0], child)
            contact[i, .department] = words(list.own[1], child)
        case .titles: contact[i, .title] = texts.add(list.own[0], child)
        case .addresses:
            for (k, part) in ColumnMeaning.Part.ofAddress.enumerated() {
                contact[i, part] = texts.add(list.own[k], child)
            }
            contact.items.base[i].more = words(list.own[7], child)
            let formatted = texts.add(list.own[8], child)
            contact.items.base[i].hasText = !formatted.isEmpty
            contact[i, .formatted] = formatted.isEmpty ? self.formatted(i) : formatted
        case .phones:
            let value = texts.add(list.own[0], child)
            let number = texts.add(list.own[2], child)
            contact[i, .value] = number.isEmpty ? value : extended(value, number)
        case .relations:
            contact[i, .value] = texts.add(list.own[0], child)
            if !batch.groups.names.isEmpty, contact.items[i].isLink { nameLink(i) }
        default: contact[i, .value] = texts.add(list.own[0], child)
        }
    }

    /// Puts the name of the card that a relation leads to in the place of the card's address.
    private func nameLink(_ i: Int) {
        let link = contact[i, .value]
        let card = ContactGroups.plain(contact.texts.string(link))
        guard let name = batch.groups.names[card] else { return }
        contact[i, .value] = contact.texts.add(name)
        contact.items.base[i].link = link
    }

    /// Keeps the address of a page that tells more than the user's name beside it.
    private func takePage(_ i: Int, _ list: ItemColumns, _ child: Int) {
        guard list.own[2].nulls[child] == 0 else { return }
        let page = list.own[2].bytes(child)
        guard ContactMapper.isPage(page), !page.elementsEqual(list.own[1].bytes(child)) else {
            return
        }
        contact.items.base[i].more = contact.texts.add(list.own[2], child)
    }

    private func extended(_ value: TextPlace, _ number: TextPlace) -> TextPlace {
        let texts = contact.texts
        let start = texts.end
        texts.copy(value)
        texts.append(";ext=")
        texts.copy(number)
        return texts.since(start)
    }

    /// An address as one text.
    func formatted(_ i: Int) -> TextPlace {
        let texts = contact.texts
        let start = texts.end
        for part in [ColumnMeaning.Part.street, .extended, .pobox] {
            texts.join(contact[i, part], since: start, "\n")
        }
        // The town and what stands beside it are a line.
        var hasLine = false
        for (part, separator) in Self.line {
            let text = contact[i, part]
            if text.isEmpty { continue }
            if hasLine {
                texts.append(separator)
                texts.copy(text)
            } else {
                texts.join(text, since: start, "\n")
                hasLine = true
            }
        }
        texts.join(contact[i, .country], since: start, "\n")
        return texts.since(start)
    }

    private static let line: [(ColumnMeaning.Part, StaticString)] = [
        (.city, ""), (.region, ", "), (.code, " "),
    ]

    // MARK: Kinds

    /// The kind of an item of a list.
    private func kind(
        _ of: AddressBookContact.List, _ list: ItemColumns, _ child: Int, _ service: TextPlace
    ) -> Int {
        let isPreferred = list.preference.nulls[child] == 0 && list.preference.words[child] == 1
        kinds.begin(of.rawValue, isPreferred: isPreferred)
        if list.label.nulls[child] == 0 {
            kinds.add(list.label.bytes(child))
        } else {
            kinds.addNone()
        }
        for j in list.types.range(child) { kinds.add(list.typeElements.bytes(j)) }
        if of == .services {
            kinds.addNone()
            kinds.add(contact.texts.bytes(service))
        }
        return kinds.number {
            var kind = ItemKind(
                field: of.field, list: of, types: types(list, child), label: label(list, child),
                isPreferred: isPreferred)
            // Apple's programs name some kinds by a label.
            if let label = kind.label, kind.field != .relation,
                let types = AddressBookLabels.types(label.lowercased(), kind.field)
            {
                kind.types += types.filter { !kind.types.contains($0) }
                kind.label = nil
            }
            switch of {
            case .services: kind.settle(service: contact.texts.string(service))
            case .relations: kind.settleRelation()
            case .phones: kind.settlePhone()
            default: break
            }
            return kind
        }
    }

    func types(_ list: ItemColumns, _ child: Int) -> [String] {
        list.types.range(child).map { list.typeElements.string($0).lowercased() }
    }

    func label(_ list: ItemColumns, _ child: Int) -> String? {
        list.label.isNull(child) ? nil : list.label.string(child)
    }

    /// The kind of something that has types alone.
    func kind(
        _ source: UInt8, _ of: AddressBookContact.List, _ list: ItemColumns, _ child: Int
    ) -> Int {
        kinds.begin(source)
        for j in list.types.range(child) { kinds.add(list.typeElements.bytes(j)) }
        return kinds.number {
            var kind = ItemKind(field: of.field, list: of, types: types(list, child))
            if of == .phones { kind.settlePhone() }
            return kind
        }
    }

    /// An address as one text stands beside the addresses.
    func takeLabel(_ list: ItemColumns, _ child: Int) {
        contact.labels.append(
            .init(
                kind: kind(Self.labelKey, .labels, list, child),
                text: contact.texts.add(list.own[0], child)))
    }

    // What the first byte of a key is where the item is of no list of its own.
    static let labelKey: UInt8 = 100
    static let addressKey: UInt8 = 101
    static let phoneKey: UInt8 = 102
    static let eventKey: UInt8 = 103
    static let customKey: UInt8 = 104
    static let relationKey: UInt8 = 105

    // MARK: Dates

    func dates(_ at: Int) {
        let list = lists[at]
        let texts = contact.texts
        let birthday = birthday(list)
        for k in 0..<children.count {
            let child = children[k]
            var value = dateText(
                number(list, 1, child), number(list, 2, child), number(list, 3, child))
            if value.isEmpty { value = texts.add(list.own[5], child) }
            if !list.own[4].isNull(child) {
                let start = texts.end
                texts.storage.append(0x54)
                _ = texts.add(list.own[4], child)
                leave(name(at), texts.since(start))
            }
            if child == birthday {
                contact[.birthday] = value
                contact[.birthYear] = digits(number(list, 1, child))
                contact[.birthMonth] = digits(number(list, 2, child))
                contact[.birthDay] = digits(number(list, 3, child))
                continue
            }
            let i = contact.add(dateKind(list, child), .dates)
            contact[i, .value] = value
        }
    }

    /// A day is a better birthday than a text.
    private func birthday(_ list: ItemColumns) -> Int? {
        var found: Int?
        for k in 0..<children.count {
            let child = children[k]
            guard ByteNumbers.isSame(list.own[0].bytes(child), "birthday") else { continue }
            if !list.own[3].isNull(child) { return child }
            if found == nil { found = child }
        }
        return found
    }

    private func number(_ list: ItemColumns, _ column: Int, _ child: Int) -> Int? {
        list.own[column].isNull(child) ? nil : Int(list.own[column].words[child])
    }

    private func dateKind(_ list: ItemColumns, _ child: Int) -> Int {
        if !list.label.isNull(child) {
            return event(list.label.bytes(child))
        }
        let kind = list.own[0].bytes(child)
        return ByteNumbers.isSame(kind, "anniversary") ? event("Anniversary") : event(kind)
    }

    func event(_ label: StaticString) -> Int {
        event(UnsafeRawBufferPointer(start: label.utf8Start, count: label.utf8CodeUnitCount))
    }

    /// The kind of days under a label.
    func event(_ label: UnsafeRawBufferPointer) -> Int {
        kinds.begin(Self.eventKey)
        kinds.add(label)
        return kinds.number {
            ItemKind(
                field: .event, list: .dates, label: String(decoding: label, as: UTF8.self))
        }
    }

    func digits(_ value: Int?) -> TextPlace {
        guard let value else { return .none }
        let start = contact.texts.end
        contact.texts.append(value, width: 1)
        return contact.texts.since(start)
    }

    /// A date as ISO text, without a year as `--MM-DD`; empty for parts that make none.
    func dateText(_ year: Int?, _ month: Int?, _ day: Int?) -> TextPlace {
        let texts = contact.texts
        let start = texts.end
        if let year {
            texts.append(year, width: 4)
        } else if month != nil {
            texts.append("-")
        }
        if let month {
            texts.append("-")
            texts.append(month, width: 2)
            if let day {
                texts.append("-")
                texts.append(day, width: 2)
            }
        } else if let day, year == nil {
            texts.append("---")
            texts.append(day, width: 2)
        }
        return texts.since(start)
    }
}

// MARK: -

extension ItemKind {
    /// Some name the service by a type.
    mutating func settle(service: String) {
        let usual: Set<String> = ["home", "work", "other", "internet", "voice"]
        self.service = service
        if service.isEmpty, let i = types.firstIndex(where: { !usual.contains($0) }) {
            self.service = types.remove(at: i)
        }
    }

    /// Kinds of numbers that have a column of their own in some address books.
    mutating func settlePhone() {
        guard label == nil else { return }
        for word in ["assistant", "callback", "radio", "telex"] {
            guard let i = types.firstIndex(where: { $0 == word || $0 == "x-" + word }) else {
                continue
            }
            types.remove(at: i)
            label = word.prefix(1).uppercased() + word.dropFirst()
            return
        }
    }

    /// A relation is called by its label, or by what its types mean.
    mutating func settleRelation() {
        if let label {
            let told = RelationTypes.types(of: label)
            types.removeAll { told.contains($0) }
        } else if !types.isEmpty {
            let said = RelationTypes.label(of: types)
            label = said.text.prefix(1).uppercased() + said.text.dropFirst()
            types = said.rest.filter { $0 != said.text }
        }
    }
}
