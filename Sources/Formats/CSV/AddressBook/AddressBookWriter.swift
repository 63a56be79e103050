// Contacts as the CSV of an address book. Each item goes to the first column that is meant for its
// kind; what finds no column is reported, never squeezed in under a wrong name.

/// Writes batches of `Contact` under the header of a profile.
final class AddressBookWriter: RecordWriter {
    let sink: ByteSink
    let profile: AddressBookProfile
    let context: ExchangeContext
    private let fit: AddressBookFit
    private let fields: FieldWriter
    private let options: CSVWriterOptions
    private var reader: AddressBookContactReader?
    private var batch: RecordBatch?
    private var hasBegun = false
    private var cells: [String]
    /// Takes what has no column; nil where that is reported as lost.
    let overflow: NotesOverflow?
    let isGoogle: Bool
    private let isOutlook: Bool
    /// The whole name of the contact at hand says something else than its parts.
    var isNameLost = false
    /// The contact at hand, for notes.
    var record = 0
    /// Names of lines that notes are filed under; a bounded number.
    var named: Set<String> = []

    init(sink: ByteSink, profile: AddressBookProfile, context: ExchangeContext)
        throws(FormatError)
    {
        self.sink = sink
        self.profile = profile
        self.context = context
        fit = AddressBookFit(profile.plan)
        options = try CSVWriterOptions(context.options)
        fields = FieldWriter(sink.buffer, options.dialect)
        cells = Array(repeating: "", count: profile.headers.count)
        overflow = try NotesOverflow.asked(profile, context)
        isGoogle = profile.book.origin == "google"
        isOutlook = profile.book.origin.hasPrefix("outlook")
    }

    func write(_ batch: RecordBatch) throws(FormatError) {
        if self.batch !== batch {
            self.batch = batch
            reader = AddressBookContactReader(batch)
            // Without its escapes a value is half as long at least.
            if overflow != nil { reader?.limit = 2 * NotesOverflow.limit }
        }
        guard let reader else { return }
        begin()
        for row in 0..<batch.rowCount {
            if batch.groups.isGroup.contains(row) {
                // A category of its members.
                context.report.skipped += 1
                continue
            }
            for i in cells.indices { cells[i] = "" }
            var contact = reader.contact(row)
            record = batch.firstRecord + row
            place(&contact)
            noteLoss(contact)
            if let overflow { overflow.settle(into: &cells[overflow.column]) }
            writeRow(cells)
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
                guard let i = best(contact.items, item, isExact) else { continue }
                contact.items[i].isUsed = true
                put(contact.items[i], item)
                noteChange(contact.items[i], item)
            }
        }
        placeAnniversary(&contact)
        placeTitles(&contact)
        placeLists(&contact)
        placeServices(&contact)
        placeCustoms(&contact)
    }

    /// The item that some columns take: of those that fit the preferred one, where the columns
    /// cannot say which one that is.
    private func best(
        _ items: [AddressBookContact.Item], _ place: AddressBookPlan.Item, _ isExact: Bool
    ) -> Int? {
        var found: Int?
        var least = Int.max
        for (i, item) in items.enumerated() where fit.fits(item, place, isExact) {
            if place.has(.type) { return i }
            // A name before the address of a card that tells it.
            let rank = item.rank + (item.isLink ? 1000 : 0)
            if rank < least { (found, least) = (i, rank) }
        }
        return found
    }

    /// Cells that hold several values take what is left of their kind.
    private func placeLists(_ contact: inout AddressBookContact) {
        for place in profile.plan.items where AddressBookPlan.isList(place) {
            guard let column = place[.value] else { continue }
            let isBegun = !cells[column].isEmpty
            for i in contact.items.indices {
                let item = contact.items[i]
                let isOfKind = item.field == place.field && item.label?.lowercased() == "child"
                guard isOfKind, !item.isUsed || isBegun else { continue }
                if item.value.contains(where: { $0 == "," || $0 == ";" }) {
                    context.report.note(
                        .changed, "list-separator", record: record,
                        property: item.list, value: item.value,
                        action: "commas separate values here, so it will be read as several")
                }
                if item.isUsed { continue }
                contact.items[i].isUsed = true
                cells[column] += (cells[column].isEmpty ? "" : ", ") + item.value
            }
        }
    }

    /// Messengers without a column of theirs go to columns for anything.
    private func placeServices(_ contact: inout AddressBookContact) {
        for i in contact.items.indices {
            let item = contact.items[i]
            guard item.field == .im, !item.isUsed else { continue }
            guard let place = profile.plan.items.first(where: { fit.isOpen($0) && isFree($0) }),
                let column = place[.value]
            else { return }
            contact.items[i].isUsed = true
            let service = item.text(.service)
            var said = service.isEmpty ? item.value : "\(service): \(item.value)"
            if let type = place[.type] {
                cells[type] = service.isEmpty ? "IM" : service
                cells[column] = item.value
            } else {
                cells[column] = service.isEmpty ? item.value : service + ":" + item.value
            }
            let kinds = item.types + [item.label].compactMap { $0 }
            if !kinds.isEmpty { said += " (\(kinds.joined(separator: " ")))" }
            context.report.note(
                .changed, "service-as-custom", record: record, property: item.list, value: said,
                action: "\(profile.name) has no column for it; written under \(header(place))")
        }
    }

    /// Values under labels of their own go to columns for anything, with the label before them.
    private func placeCustoms(_ contact: inout AddressBookContact) {
        for i in contact.items.indices {
            let item = contact.items[i]
            guard item.field == .custom, !item.isUsed, let label = item.label else { continue }
            let open = profile.plan.items.first {
                fit.isOpen($0) && !$0.has(.type) && isFree($0)
            }
            guard let open, let column = open[.value] else { return }
            contact.items[i].isUsed = true
            cells[column] = label + ": " + item.value
            context.report.note(
                .changed, "custom-renamed", record: record, property: item.list, value: item.shown,
                action: "written under \(header(open)), with its label")
        }
    }

    private func spelled(_ field: ColumnMeaning.Field, _ value: String) -> String {
        switch field {
        case .categories:
            let words = value.split(separator: "\u{0}")
            guard isGoogle else { return words.joined(separator: ";") }
            let system: Set<Substring> = ["myContacts", "My Contacts", "starred", "Other Contacts"]
            return words.map { system.contains($0) ? "* \($0)" : "\($0)" }
                .joined(separator: " ::: ")
        case .nickname:
            return value.split(separator: "\u{0}").joined(separator: isGoogle ? " ::: " : ", ")
        case .birthday, .anniversary: return date(value)
        default: return value
        }
    }

    /// Outlook reads dates as month/day/year only; one without a part of it cannot be told to it.
    private func date(_ value: String) -> String {
        guard isOutlook else { return value }
        let parts = value.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].count == 4, let month = Int(parts[1]),
            let day = Int(parts[2])
        else {
            context.report.note(
                .lost, "bday-no-year", record: record, property: "dates", value: value,
                action: "\(profile.name) has no date without a day, month or year")
            return ""
        }
        return "\(month)/\(day)/\(parts[0])"
    }

    private func isFree(_ item: AddressBookPlan.Item) -> Bool {
        item.columns.allSatisfy { cells[$0].isEmpty }
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
                !$0.isUsed && $0.field == .event && $0.label?.lowercased() == "anniversary"
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
}
