// What the columns of an address book do not say of a contact: values without a column, and kinds,
// labels and preferences that reading the file again would not give back.

extension AddressBookWriter {
    /// The name of the first of some columns.
    func header(_ place: AddressBookPlan.Item) -> String {
        place.columns.first.map { profile.headers[$0] } ?? place.name
    }

    /// Notes what has no column, unless it goes to the notes.
    /// - Parameters:
    ///   - item: what the value is of.
    ///   - label: what to call it in the notes.
    private func lost(
        _ property: String, _ value: String?, _ count: Int = 1,
        item: AddressBookContact.Item? = nil, label: String? = nil
    ) {
        let word = label ?? item.map(NotesOverflow.label) ?? NotesOverflow.label(property)
        if let value, count == 1, overflow?.take(word, value) == true {
            return context.report.note(
                .changed, "in-notes", record: record, property: property, value: value,
                action: "the profile \(profile.name) has no column for it; it stands in the notes")
        }
        context.report.note(
            .lost, "no-column", record: record, property: property,
            value: value?.isEmpty == true ? nil : value, count: count,
            action: "the profile \(profile.name) has no column for it; plain keeps everything")
    }

    /// Notes what an item loses in the columns it was put in.
    func noteChange(_ item: AddressBookContact.Item, _ place: AddressBookPlan.Item) {
        for part in ColumnMeaning.Part.allCases where part != .formatted {
            guard place[part] == nil, let value = item.parts[part], !value.isEmpty else { continue }
            if item.field == .im, !place.types.isEmpty { continue }
            // A title has columns of its own.
            if item.field == .org, part == .title { continue }
            lost(item.list, value, item: item)
        }
        // Google's eighth part is the whole address once more.
        let isSaid = AddressBookReader.isTold(item.more, by: [item.text(.formatted)])
        if !item.more.isEmpty, !isSaid { lost(item.list, item.more, item: item) }
        if item.hasText, !place.has(.formatted) {
            let told: [ColumnMeaning.Part] = [
                .pobox, .extended, .street, .city, .region, .code, .country,
            ]
            let text = item.text(.formatted)
            if !AddressBookReader.isTold(text, by: told.map { item.text($0) }) {
                lost(item.list, text, item: item)
            }
        }
        if item.field == .custom, !place.has(.type), let label = item.label,
            HeaderNames.fold(label) != HeaderNames.fold(place.name)
        {
            context.report.note(
                .changed, "custom-renamed", record: record, property: item.list, value: item.shown,
                action: "written under \(header(place))")
        }
        noteLink(item, under: header(place))
        if item.field == .custom || item.field == .org { return }
        noteKind(item, place)
    }

    /// Notes what became of a link to a card.
    private func noteLink(_ item: AddressBookContact.Item, under header: String) {
        if let link = item.link {
            context.report.note(
                .changed, "relation-named", record: record, property: item.list, value: link,
                action: "the link to a card became its name under \(header)")
        } else if item.isLink {
            context.report.note(
                .changed, "relation-uri", record: record, property: item.list, value: item.shown,
                action: "the link to a card that the input does not have stands as its address "
                    + "under \(header)")
        }
    }

    private func noteKind(_ item: AddressBookContact.Item, _ place: AddressBookPlan.Item) {
        let text =
            place.has(.type)
            ? AddressBookLabels.text(
                types: item.types, label: item.label, isPreferred: item.isPreferred, item.field)
            : ""
        let read = AddressBookLabels.kind(
            text, item.field, fixed: place.types, label: place.label)
        let said = AddressBookLabels.kind(
            item.label ?? "", item.field, fixed: item.types, label: nil)
        func note(_ kind: Report.ItemClass, _ code: String, _ value: String, _ action: String) {
            context.report.note(
                kind, code, record: record, property: item.list, value: value,
                action: "\(action); written under \(header(place))")
        }
        func kinds(_ types: [String]) -> Set<String> {
            var kinds = Set(types.map { $0.lowercased() }).subtracting(AddressBookLabels.ignored)
            kinds.remove("other")
            if kinds.contains("iphone") { kinds.insert("cell") }
            return kinds
        }
        let isService = item.field == .im && !place.types.isEmpty
        let had = kinds(said.types)
        if had != kinds(isService ? [] : read.types) {
            let words = had.sorted().joined(separator: " ")
            note(
                .changed, "kind-changed", words.isEmpty ? item.shown : "\(item.shown) (\(words))",
                "\(profile.name) has no column with room for this kind")
        }
        if let label = said.label, read.label.map(HeaderNames.fold) != HeaderNames.fold(label) {
            let isKept =
                overflow?.take(NotesOverflow.label(item), NotesOverflow.value(item)) == true
            note(
                isKept ? .changed : .lost, isKept ? "in-notes" : "label-dropped", item.shown,
                "\(profile.name) has no place for the label"
                    + (isKept ? "; it stands in the notes" : ""))
        }
        if item.isPreferred, !read.isPreferred, !isFirst(place) {
            note(
                .changed, "pref-order", item.shown,
                "\(profile.name) has no place for what is preferred")
        }
    }

    /// The first of several like columns holds what is preferred.
    private func isFirst(_ place: AddressBookPlan.Item) -> Bool {
        guard place.field == .email || place.field == .url || place.field == .im else {
            return place.field == .relation
        }
        return profile.plan.items.first { $0.field == place.field }?.columns == place.columns
    }

    /// Notes what found no column.
    func noteLoss(_ contact: AddressBookContact) {
        if isNameLost { lost("formattedName", contact.single[.full]) }
        if profile.plan.categories != nil, let words = contact.single[.categories] {
            let separator = isGoogle ? ":::" : ";"
            for word in words.split(separator: "\u{0}") where word.contains(separator) {
                context.report.note(
                    .changed, "category-separator", source: sink.name, record: record,
                    property: "categories", value: String(word),
                    action: "\(separator) separates categories here, so it will be read as several")
            }
        }
        for item in contact.items where !item.isUsed {
            lost(
                item.list, overflow == nil ? item.shown : NotesOverflow.value(item), item: item)
        }
        for (name, count, value) in contact.leftOver { lost(bounded(name), value, count) }
        let names: [(ColumnMeaning.Field, String)] = [
            (.prefix, "names"), (.given, "names"), (.middle, "names"), (.family, "names"),
            (.suffix, "names"), (.phoneticGiven, "names"), (.phoneticMiddle, "names"),
            (.phoneticFamily, "names"), (.nickname, "nicknames"), (.role, "roles"),
            (.gender, "gender"), (.categories, "categories"), (.note, "notes"),
            (.photo, "photos"), (.uid, "uid"),
        ]
        for (field, list) in names where profile.plan.column(field) == nil {
            guard let value = contact.single[field], !value.isEmpty else { continue }
            // Where there is one column for the whole name, it says these parts.
            if field == .given || field == .family, profile.plan.full != nil { continue }
            if field == .photo, contact.photoFiles.contains(value) { continue }
            lost(
                list, value.split(separator: "\u{0}").joined(separator: ", "),
                label: NotesOverflow.labels[field])
        }
        let parts: [ColumnMeaning.Field] = [.birthYear, .birthMonth, .birthDay]
        let isPlaced =
            profile.plan.birthMonth != nil && parts.contains { contact.single[$0] != nil }
        if profile.plan.birthday == nil, !isPlaced, let value = contact.single[.birthday],
            !value.isEmpty
        {
            lost("dates", value, label: "Birthday")
        }
    }

    /// The name of a line, as long as there are few different ones.
    private func bounded(_ name: String) -> String {
        if named.count < 100 { named.insert(name) }
        return named.contains(name) ? name : "extras"
    }
}
