// Contacts as the CSV of an address book. Each item goes to the first column that is meant for its
// kind; what finds no column is reported, never squeezed in under a wrong name.

/// Writes batches of `Contact` under the header of a profile.
final class AddressBookWriter: RecordWriter {
    private let sink: ByteSink
    private let profile: AddressBookProfile
    private let context: ExchangeContext
    private let fields: FieldWriter
    private let options: CSVWriterOptions
    private var reader: AddressBookContactReader?
    private var batch: RecordBatch?
    private var hasBegun = false
    private var cells: [String]
    private let isGoogle: Bool
    private let isOutlook: Bool
    /// The whole name of the contact at hand says something else than its parts.
    private var isNameLost = false

    init(sink: ByteSink, profile: AddressBookProfile, context: ExchangeContext)
        throws(FormatError)
    {
        self.sink = sink
        self.profile = profile
        self.context = context
        options = try CSVWriterOptions(context.options)
        fields = FieldWriter(sink.buffer, options.dialect)
        cells = Array(repeating: "", count: profile.headers.count)
        isGoogle = profile.book.origin == "google"
        isOutlook = profile.book.origin.hasPrefix("outlook")
    }

    func write(_ batch: RecordBatch) throws(FormatError) {
        if self.batch !== batch {
            self.batch = batch
            reader = AddressBookContactReader(batch)
        }
        guard let reader else { return }
        begin()
        for row in 0..<batch.rowCount {
            for i in cells.indices { cells[i] = "" }
            var contact = reader.contact(row)
            place(&contact)
            writeRow(cells)
            noteLoss(contact, batch.firstRecord + row)
            context.report.written += 1
            try sink.flushIfFull()
        }
    }

    func finish() throws(FormatError) {
        begin()
        try sink.finish()
    }

    private func begin() {
        if hasBegun { return }
        hasBegun = true
        if options.hasMark { sink.buffer.append("\u{FEFF}") }
        writeRow(profile.headers)
    }

    private func writeRow(_ cells: [String]) {
        for (i, cell) in cells.enumerated() {
            if i > 0 { sink.buffer.append(options.dialect.delimiter) }
            if !cell.isEmpty { fields.write(cell) }
        }
        sink.buffer.append(13)
        sink.buffer.append(10)
    }

    // MARK: Placing

    private func place(_ contact: inout AddressBookContact) {
        let plan = profile.plan
        for (field, value) in contact.single {
            guard !value.isEmpty, let column = plan.column(field) else { continue }
            cells[column] = spelled(field, value)
        }
        // Without a column of its own a whole name is kept by the parts it is made of.
        let parts = [.prefix, .given, .middle, .family, .suffix].compactMap {
            contact.single[$0 as ColumnMeaning.Field]
        }
        let full = contact.single[.full] ?? ""
        isNameLost =
            plan.full == nil && !full.isEmpty && !parts.isEmpty
            && full != parts.filter { !$0.isEmpty }.joined(separator: " ")
        // A profile without a column for the whole name takes it as the first name when there
        // are no parts.
        if plan.full == nil, let given = plan.given, let full = contact.single[.full],
            contact.single[.given] == nil, contact.single[.family] == nil
        {
            cells[given] = full
        }
        // First what fits exactly, then what is left into columns for anything of the kind.
        for isExact in [true, false] {
            for item in plan.items where isFree(item) {
                guard let i = contact.items.firstIndex(where: { fits($0, item, isExact) }) else {
                    continue
                }
                contact.items[i].isUsed = true
                put(contact.items[i], item)
            }
        }
        placeAnniversary(&contact)
        placeTitles(&contact)
    }

    private func spelled(_ field: ColumnMeaning.Field, _ value: String) -> String {
        switch field {
        case .categories:
            let words = value.split(separator: "\u{0}")
            guard isGoogle else { return words.joined(separator: ";") }
            let system: Set<Substring> = ["myContacts", "My Contacts", "starred", "Other Contacts"]
            return words.map { system.contains($0) ? "* \($0)" : "\($0)" }
                .joined(separator: " ::: ")
        case .birthday, .anniversary: return date(value)
        default: return value
        }
    }

    /// Outlook reads dates as month/day/year only; one without a year cannot be told to it.
    private func date(_ value: String) -> String {
        guard isOutlook else { return value }
        let parts = value.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].count == 4, let month = Int(parts[1]),
            let day = Int(parts[2])
        else { return value }
        return "\(month)/\(day)/\(parts[0])"
    }

    private func isFree(_ item: AddressBookPlan.Item) -> Bool {
        item.columns.allSatisfy { cells[$0].isEmpty }
    }

    /// Whether an item may stand in some columns.
    private func fits(
        _ item: AddressBookContact.Item, _ place: AddressBookPlan.Item, _ isExact: Bool
    ) -> Bool {
        guard !item.isUsed, item.field == place.field else { return false }
        switch item.field {
        case .org:
            return item.list == "organizations"
                ? place.has(.name) : place.has(.title) && !place.has(.name)
        case .custom:
            if place.has(.type) { return true }
            return item.label.map { HeaderNames.fold($0) == HeaderNames.fold(place.name) } ?? false
        case .email, .event: return place.types.isEmpty || item.types.contains(place.types[0])
        default: break
        }
        // Columns with a cell for the label take anything.
        if place.has(.type) { return true }
        if let label = place.label {
            return item.label.map { HeaderNames.fold($0) == HeaderNames.fold(label) } ?? false
        }
        let wanted = Set(place.types)
        if item.field == .phone { return fits(phone: item, wanted, isExact) }
        if item.field == .im {
            return wanted.isEmpty
                || wanted.contains { item.text(.service).lowercased() == $0.lowercased() }
        }
        if wanted.isEmpty { return isExact ? item.types.isEmpty : true }
        if wanted.contains("other") {
            return !item.has("home") && !item.has("work") || !isExact
        }
        if wanted.contains(where: { item.has($0) }) { return true }
        // An address or page without a type goes where there is room.
        return !isExact && !item.has("home") && !item.has("work") && item.label == nil
    }

    private func fits(
        phone item: AddressBookContact.Item, _ wanted: Set<String>, _ isExact: Bool
    ) -> Bool {
        let kinds: Set<String> = ["fax", "pager", "cell", "car", "isdn", "main"]
        let own = kinds.intersection(item.types)
        if item.label != nil, own.isEmpty, !item.has("home"), !item.has("work") {
            return !isExact && wanted.isSubset(of: ["other", "pref"])
        }
        let wantedKinds = kinds.intersection(wanted)
        if !wantedKinds.isEmpty {
            guard wantedKinds.isSubset(of: own) else { return false }
            let places = wanted.intersection(["home", "work"])
            return places.isEmpty
                ? !isExact || own == wantedKinds && !item.has("home") || own == ["cell"]
                : places.isSubset(of: Set(item.types))
        }
        if !own.isEmpty {
            return !isExact && own == ["main"] && wanted.isSubset(of: ["other", "pref"])
        }
        if wanted.contains("home") { return item.has("home") || (!isExact && isUntyped(item)) }
        if wanted.contains("work") { return item.has("work") || (!isExact && isUntyped(item)) }
        if wanted.contains("other") { return isUntyped(item) || !isExact }
        return !isExact
    }

    private func isUntyped(_ item: AddressBookContact.Item) -> Bool {
        !item.has("home") && !item.has("work") && item.label == nil
    }

    private func put(_ item: AddressBookContact.Item, _ place: AddressBookPlan.Item) {
        for part in ColumnMeaning.Part.allCases {
            guard let column = place[part] else { continue }
            switch part {
            case .type:
                cells[column] = AddressBookLabels.text(
                    types: item.types, label: item.label, isPreferred: item.isPreferred, item.field)
            case .street where place.has(.street2):
                let lines = item.text(.street).split(separator: "\n", maxSplits: 2)
                let targets = [place[.street], place[.street2], place[.street3]].compactMap { $0 }
                for (i, line) in lines.enumerated() {
                    let target = targets[min(i, targets.count - 1)]
                    cells[target] += (cells[target].isEmpty ? "" : " ") + line
                }
            case .street2, .street3: break
            case .value where item.field == .event: cells[column] = date(item.value)
            default: cells[column] = item.text(part)
            }
        }
    }

    private func placeAnniversary(_ contact: inout AddressBookContact) {
        guard let column = profile.plan.anniversary, cells[column].isEmpty,
            let i = contact.items.firstIndex(where: {
                !$0.isUsed && $0.field == .event && $0.label == "Anniversary"
            })
        else { return }
        contact.items[i].isUsed = true
        cells[column] = date(contact.items[i].value)
    }

    /// A title has a column beside its organisation's.
    private func placeTitles(_ contact: inout AddressBookContact) {
        for place in profile.plan.items where place.field == .org {
            guard let column = place[.title], cells[column].isEmpty,
                let i = contact.items.firstIndex(where: { !$0.isUsed && $0.list == "titles" })
            else { continue }
            contact.items[i].isUsed = true
            cells[column] = contact.items[i].text(.title)
        }
    }

    // MARK: Loss

    private func noteLoss(_ contact: AddressBookContact, _ record: Int) {
        func note(_ list: String, _ value: String?, _ count: Int = 1) {
            context.report.note(
                .lost, "no-column", record: record, property: list,
                value: value, count: count,
                action: "the profile \(profile.name) has no column for it; plain keeps everything")
        }
        if isNameLost { note("formattedName", contact.single[.full]) }
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
            note(item.list, item.value.isEmpty ? item.text(.name) : item.value)
        }
        for (list, count) in contact.leftOver { note(list, nil, count) }
        let names: [(ColumnMeaning.Field, String)] = [
            (.prefix, "names"), (.middle, "names"), (.suffix, "names"),
            (.phoneticGiven, "names"), (.phoneticFamily, "names"), (.nickname, "nicknames"),
            (.role, "roles"), (.gender, "gender"), (.categories, "categories"),
            (.note, "notes"), (.photo, "photos"),
        ]
        for (field, list) in names where profile.plan.column(field) == nil {
            guard let value = contact.single[field], !value.isEmpty else { continue }
            note(list, value.split(separator: "\u{0}").joined(separator: ", "))
        }
        if profile.plan.birthday == nil, profile.plan.birthMonth == nil,
            let value = contact.single[.birthday], !value.isEmpty
        {
            note("dates", value)
        }
    }
}
