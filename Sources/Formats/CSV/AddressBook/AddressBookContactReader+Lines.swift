// Lines of a contact that no list of its class holds, as address books can say them: relations and
// days under labels, columns kept from another table, and what Android, Samsung and Outlook write
// as lines of their own.

extension AddressBookContactReader {
    // MARK: Other lines

    /// Lines of its own kind come back as the columns they were, the older names of relations and
    /// dates as what they mean; others have no column.
    func extras(_ at: Int) {
        let list = lists[at]
        for k in 0..<children.count {
            let child = children[k]
            let name = list.own[0].bytes(child)
            let number = kinds.line(name)
            switch way(number, name) {
            case .unknown, .said: continue
            // How the name sounds, which stands with the name.
            case .sound where isNameSound(list, child): continue
            case .sound, .leftOver: leaveLine(number, at, child)
            case .relation: relation(list, child, nil)
            case .spouse: relation(list, child, "Spouse")
            case .manager: relation(list, child, "Manager")
            case .assistant: relation(list, child, "Assistant")
            case .child: relation(list, child, "Child")
            case .anniversary: addEvent(value(list, child), event("Anniversary"))
            case .death: addEvent(value(list, child), event("death"))
            case .date: addEvent(value(list, child), event("Other"))
            case .birthday where contact[.birthday].isNone:
                contact[.birthday] = value(list, child)
            case .gender where contact[.gender].isNone: gender(list, child)
            case .birthday, .gender: leaveLine(number, at, child)
            case .maidenName: custom(list, child, "Maiden Name")
            case .android: if !android(list, child) { leaveLine(number, at, child) }
            case .kept: kept(list, child)
            case .fileAs: custom(list, child, "File As")
            case .address: address(list, child)
            case .phone: phone(list, child)
            case .membership: contact.add(.categories, value(list, child))
            }
        }
    }

    /// How many lines of a row may become items; nil where some become such as lists have, too.
    func itemLines(_ row: Int) -> Int? {
        let list = columns.extras
        guard list.owner.layout == .collection else { return 0 }
        kinds.bound()
        var count = 0
        for j in list.owner.range(row) where !list.objects.isNull(j) {
            let name = list.own[0].bytes(Int(list.objects.words[j]))
            switch way(kinds.line(name), name) {
            case .said, .sound, .birthday, .gender, .membership, .leftOver: break
            case .address, .phone: return nil
            default: count += 1
            }
        }
        return count
    }

    /// How a line of a name is read.
    @inline(__always)
    private func way(_ number: Int, _ name: UnsafeRawBufferPointer) -> LineWay {
        let known = kinds.wayOfLine[number]
        if known != .unknown { return known }
        let way = LineWay(name, lookup)
        kinds.wayOfLine[number] = way
        return way
    }

    private func isNameSound(_ list: ItemColumns, _ child: Int) -> Bool {
        list.types.range(child).contains {
            NameKey.equals(list.typeElements.bytes($0), "X-IRMC-N")
        }
    }

    private func leaveLine(_ name: Int, _ at: Int, _ child: Int) {
        contact.leftOver.append(.init(name: name, source: .line(list: at, row: child)))
    }

    /// A number under a name of its own.
    private func phone(_ list: ItemColumns, _ child: Int) {
        let value = value(list, child)
        if value.isEmpty { return }
        let i = contact.add(kind(Self.phoneKey, .phones, list, child), .phones)
        contact[i, .value] = value
    }

    /// What a kept line says, without its escapes.
    func value(_ list: ItemColumns, _ child: Int, limit: Int = .max) -> TextPlace {
        let bytes = UnsafeRawBufferPointer(rebasing: list.own[1].bytes(child).prefix(limit))
        return unescaped(bytes)
    }

    private func unescaped(_ bytes: UnsafeRawBufferPointer) -> TextPlace {
        let start = contact.texts.end
        CardBuilder.unescape(bytes, isLegacy: isLegacy, to: contact.texts.storage)
        return contact.texts.repaired(since: start)
    }

    /// What a line without a column says, with its parameters.
    func line(_ list: ItemColumns, _ child: Int) -> TextPlace {
        let texts = contact.texts
        let text = value(list, child, limit: limit)
        guard let elements = list.parameters.elements else { return text }
        let range = list.parameters.range(child)
        if range.isEmpty { return text }
        let start = texts.end
        texts.copy(text)
        for j in range {
            texts.append(j == range.lowerBound ? " (" : ", ")
            _ = texts.add(elements.bytes(j), isKnown: elements.isKnownUTF8)
        }
        texts.append(")")
        return texts.since(start)
    }

    private func gender(_ list: ItemColumns, _ child: Int) {
        let whole = value(list, child)
        let parts = contact.texts.string(whole).split(
            separator: ";", maxSplits: 1, omittingEmptySubsequences: false)
        let sex = parts.first.map(String.init) ?? ""
        if ["M", "F", "O", "N", "U", ""].contains(sex) {
            let text = parts.count > 1 ? String(parts[1]) : ""
            gender(contact.texts.add(sex), contact.texts.add(text))
        } else {
            gender(TextPlace(), whole)
        }
    }

    // MARK: Labels

    /// A column of another table, under its name.
    private func kept(_ list: ItemColumns, _ child: Int) {
        kinds.begin(Self.customKey)
        let elements = list.parameters.elements
        if let elements { for j in list.parameters.range(child) { kinds.add(elements.bytes(j)) } }
        let kind = kinds.number {
            ItemKind(field: .custom, list: .extras, label: keptLabel(list, child))
        }
        let i = contact.add(kind, .extras)
        contact[i, .value] = value(list, child)
    }

    private func keptLabel(_ list: ItemColumns, _ child: Int) -> String {
        var label = ""
        if let elements = list.parameters.elements {
            for j in list.parameters.range(child) {
                let parameter = elements.string(j)
                if parameter.hasPrefix("LABEL=") { label = String(parameter.dropFirst(6)) }
            }
        }
        if label.hasPrefix("\""), label.count >= 2 {
            label = String(label.dropFirst().dropLast())
        }
        return label
    }

    private func custom(_ list: ItemColumns, _ child: Int, _ label: StaticString) {
        kinds.begin(Self.customKey, isPreferred: true)
        kinds.add(label)
        let kind = kinds.number { ItemKind(field: .custom, list: .extras, label: "\(label)") }
        let i = contact.add(kind, .extras)
        contact[i, .value] = value(list, child)
    }

    /// A relation under a label; under its own where none is given.
    private func relation(_ list: ItemColumns, _ child: Int, _ label: StaticString?) {
        kinds.begin(
            Self.relationKey,
            isPreferred: !list.preference.isNull(child) && list.preference.words[child] == 1)
        if let label {
            kinds.add(label)
        } else if !list.label.isNull(child) {
            kinds.add(list.label.bytes(child))
        }
        let kind = kinds.number {
            ItemKind(
                field: .relation, list: .relations,
                label: label.map { "\($0)" } ?? self.label(list, child),
                isPreferred: !list.preference.isNull(child) && list.preference.words[child] == 1)
        }
        addNew(kind, .relations, value(list, child))
    }

    /// Adds an item that is not there yet: the same is often said in two ways.
    private func addNew(_ kind: Int, _ list: AddressBookContact.List, _ value: TextPlace) {
        let label = kinds.all[kind].label
        for i in 0..<contact.items.count where contact.items[i].field == list.field {
            let other = contact.items[i].kind
            if other == kind || kinds.all[other].label == label,
                contact.texts.isSame(contact[i, .value], value)
            {
                return
            }
        }
        let i = contact.add(kind, list)
        contact[i, .value] = value
    }

    private func addEvent(_ text: TextPlace, _ kind: Int) {
        var value = text
        if let date = CardDate(contact.texts.bytes(text)) {
            let day = dateText(date.year, date.month, date.day)
            if !day.isEmpty { value = day }
        }
        addNew(kind, .dates, value)
    }

    // MARK: Lines of phones

    /// The components of a kept line, without their escapes; at most 16.
    private func components(_ list: ItemColumns, _ child: Int) -> [TextPlace] {
        CardBuilder.pieces(list.own[1].bytes(child), limit: 16).map(unescaped)
    }

    /// `X-ANDROID-CUSTOM:mimetype;value;kind;label`; false when it means nothing here.
    private func android(_ list: ItemColumns, _ child: Int) -> Bool {
        let texts = contact.texts
        let values = components(list, child)
        guard values.count >= 2, !values[1].isEmpty else { return false }
        let type = texts.bytes(values[0])
        let kind = values.count > 2 ? Int(texts.string(values[2])) ?? -1 : -1
        let custom = values.count > 3 ? values[3] : TextPlace()
        if ByteNumbers.isSame(type, "vnd.android.cursor.item/nickname") {
            contact.add(.nickname, values[1])
        } else if ByteNumbers.isSame(type, "vnd.android.cursor.item/contact_event") {
            let date = CardDate(texts.bytes(values[1]))
            let day = date.map { dateText($0.year, $0.month, $0.day) } ?? TextPlace()
            let text = day.isEmpty ? values[1] : day
            switch kind {
            case 3 where isBirthday(text, date): break
            case 3: addEvent(text, event("birthday"))
            case 1: addEvent(text, event("Anniversary"))
            case 0 where !custom.isEmpty: addEvent(text, event(texts.bytes(custom)))
            default: addEvent(text, event("Other"))
            }
        } else if ByteNumbers.isSame(type, "vnd.android.cursor.item/relation") {
            addNew(androidRelation(kind, custom), .relations, values[1])
        } else {
            return false
        }
        return true
    }

    /// Takes a birthday where there is none; false where there is another.
    private func isBirthday(_ text: TextPlace, _ date: CardDate?) -> Bool {
        let known = contact[.birthday]
        guard known.isNone || known.isEmpty else { return contact.texts.isSame(known, text) }
        contact[.birthday] = text
        contact[.birthYear] = digits(date?.year)
        contact[.birthMonth] = digits(date?.month)
        contact[.birthDay] = digits(date?.day)
        return true
    }

    private func androidRelation(_ kind: Int, _ custom: TextPlace) -> Int {
        let known = VCardUpgrade.androidRelations
        let isKnown = known.indices.contains(kind) && kind > 0
        kinds.begin(Self.relationKey + 1, isPreferred: isKnown)
        if isKnown {
            kinds.add(known[kind])
        } else {
            kinds.add(contact.texts.bytes(custom))
        }
        return kinds.number {
            let label = isKnown ? known[kind] : contact.texts.string(custom)
            return ItemKind(
                field: .relation, list: .relations,
                label: label.isEmpty ? "Other" : label.prefix(1).uppercased() + label.dropFirst())
        }
    }

    /// An address under a name of its own.
    private func address(_ list: ItemColumns, _ child: Int) {
        let texts = components(list, child)
        guard texts.contains(where: { !$0.isEmpty }) else { return }
        let i = contact.add(kind(Self.addressKey, .addresses, list, child), .addresses)
        for (part, text) in zip(ColumnMeaning.Part.ofAddress, texts) { contact[i, part] = text }
        let start = contact.texts.end
        for text in texts.dropFirst(7) { contact.texts.join(text, since: start, " ") }
        contact.items.base[i].more = contact.texts.since(start)
        contact[i, .formatted] = formatted(i)
    }
}
