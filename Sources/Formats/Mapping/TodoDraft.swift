// One to-do as a plain value, for the task formats that come record by record and are small: they
// fill drafts, and drafts become rows. iCalendar, which is large and has lines, fills rows itself.

/// A date of a to-do.
package struct TodoMoment: Equatable, Sendable {
    /// ISO 8601 without an offset; a whole day has no `T`.
    package var local: String
    /// The zone as it was named; `UTC`; nil for a clock time that is the same everywhere.
    package var tzid: String?
    /// The IANA zone meant.
    package var zone: String?

    /// A date.
    package init(local: String, tzid: String? = nil, zone: String? = nil) {
        self.local = local
        self.tzid = tzid
        self.zone = zone
    }

    /// True for a whole day.
    package var isDay: Bool { !local.utf8.contains(0x54) }
    /// The calendar day as it is written.
    package var day: String { local.leading(10) }
    /// The clock time as it is written, `HH:MM:SS`; nil for a whole day.
    package var time: String? { isDay ? nil : String(local.dropFirst(11)) }

    /// A date from ISO 8601 text; `Z` and offsets give universal time. nil when it is none.
    package init?(iso text: String) {
        var text = text
        let moment = text.withUTF8 { TodoMoment.parse(UnsafeRawBufferPointer($0)) }
        guard let moment else { return nil }
        self = moment
    }

    /// A moment in universal time from `20260205T100000Z`; nil for anything else.
    package init?(basic text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 16, bytes[8] == 0x54, bytes[15] == 0x5A,
            let seconds = TodoMoment.date(text), let local = TodoMoment.localText(seconds)
        else { return nil }
        self.init(local: local, tzid: "UTC")
    }

    /// True for a time of ISO 8601 with a part of a second that is not nothing.
    package static func hasFraction(_ text: String) -> Bool {
        guard text.utf8.count > 19, text.utf8.contains(0x2E), let point = text.lastIndex(of: ".")
        else { return false }
        return text[text.index(after: point)...].prefix { $0.isNumber }.contains { $0 != "0" }
    }

    private static func parse(_ bytes: UnsafeRawBufferPointer) -> TodoMoment? {
        guard bytes.count >= 10, bytes[0] &- 0x30 < 10 else { return nil }
        if let plain = plain(bytes) { return plain }
        let text = String(decoding: bytes, as: UTF8.self)
        if bytes.count == 10 {
            guard date(text + "T00:00:00Z") != nil else { return nil }
            return TodoMoment(local: text)
        }
        var parts = text
        if bytes[10] == 0x20 {
            parts = text.prefix(10) + "T" + text.dropFirst(11)
        }
        // Graph writes seven digits of a second's fraction.
        if let seconds = date(parts), let local = localText(seconds) {
            return TodoMoment(local: local, tzid: "UTC")
        }
        guard let seconds = date(parts + "Z") else { return nil }
        return localText(seconds).map { TodoMoment(local: $0) }
    }

    private static func date(_ text: String) -> Int64? {
        var text = text
        return text.withUTF8 { ScalarText.date(UnsafeRawBufferPointer($0)) }.map {
            // Fractions go, also before 1970.
            $0.nanoseconds < 0 ? $0.seconds - 1 : $0.seconds
        }
    }

    /// Seconds since 1970, as if it were universal, as local text; nil outside years 1...9999.
    package static func localText(_ seconds: Int64) -> String? {
        let out = RawVector<UInt8>(capacity: 24)
        defer { out.destroy() }
        guard ScalarText.write(date: Timestamp(seconds: seconds), to: out) else { return nil }
        return String(decoding: out.elements.dropLast(), as: UTF8.self)
    }

    /// Seconds since 1970 of the clock time, as if it were universal.
    package var localSeconds: Int64? {
        if let seconds = plainSeconds { return seconds }
        return TodoMoment.date(isDay ? local + "T00:00:00Z" : local + "Z")
    }

    /// The instant, with the zones of a library; a time without a zone is taken in `floating`.
    package func instant(_ zones: ZoneLibrary, floating: String?) -> Int64? {
        guard let local = localSeconds else { return nil }
        guard let name = tzid == "UTC" ? "UTC" : zone ?? tzid ?? floating,
            let zone = zones.zone(named: name)
        else { return local }
        return zone.instant(ofLocal: local).instant
    }

    /// Takes a clock time for one of a zone, in any dress of its name.
    /// - Returns: false when no such zone is known: the name alone is kept.
    package mutating func stand(in name: String) -> Bool {
        tzid = name
        if name == "UTC" { return true }
        zone = ZoneNames.resolve(name)
        return zone != nil
    }

    /// The same moment on the clocks of another zone (nil: as it is).
    package func moved(to zoneName: String, _ zones: ZoneLibrary) -> TodoMoment {
        guard !isDay, tzid != nil || zone != nil, let zone = zones.zone(named: zoneName),
            let instant = instant(zones, floating: nil),
            let text = TodoMoment.localText(instant + Int64(zone.offset(at: instant)))
        else { return self }
        return TodoMoment(local: text, tzid: zoneName, zone: zoneName == "UTC" ? nil : zoneName)
    }
}

/// A to-do.
package struct TodoDraft: Sendable {
    /// A line that has no field.
    package struct Extra: Equatable, Sendable {
        package var name: String
        package var value: String
        /// `NAME=value`, as written.
        package var parameters: [String] = []
        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// A relation to another to-do.
    package struct Relation: Equatable, Sendable {
        package var kind: String
        package var uid: String
        package init(kind: String, uid: String) {
            self.kind = kind
            self.uid = uid
        }
    }

    /// Where the record begins in its source.
    package var place: Int?

    /// A text of it is perhaps too large for a store.
    var isLarge: Bool {
        let limit = ValueLimit.bytes / 2
        func isLarge(_ text: String?) -> Bool { (text?.utf8.count ?? 0) > limit }
        return isLarge(title) || isLarge(notes) || isLarge(uid) || isLarge(location)
            || isLarge(url) || categories.contains(where: isLarge)
            || components.contains(where: isLarge) || extras.contains { isLarge($0.value) }
    }

    package var uid: String?
    package var title: String?
    package var notes: String?
    package var status: String?
    package var completed: TodoMoment?
    package var created: TodoMoment?
    package var modified: TodoMoment?
    package var stamp: TodoMoment?
    /// The source has no place for how far a to-do is: the state is the usual one.
    package var isStateAssumed = false
    package var recurrenceID: TodoMoment?
    package var start: TodoMoment?
    package var due: TodoMoment?
    package var percent: Int64?
    package var priority: Int64?
    package var sequence: Int64?
    package var duration: String?
    package var recurrence: [String] = []
    package var relations: [Relation] = []
    package var categories: [String] = []
    package var location: String?
    package var url: String?
    package var classification: String?
    package var geo: String?
    package var color: String?
    package var components: [String] = []
    /// Definitions of zones, from a calendar file.
    package var timeZones: [String] = []
    package var extras: [Extra] = []
    /// True when the UID says nothing of its own: it was made from the content, or from the id.
    var hasMadeUID = false

    /// True when the source itself said a state that its other lines speak against.
    var isStateOfSource = false

    /// Nothing yet.
    package init() {}

    /// The UID of the to-do this one is below.
    package var parent: String? { relations.first { $0.kind == "PARENT" }?.uid }

    /// The zones its dates may be in.
    func zones(_ context: ExchangeContext) -> ZoneLibrary {
        let library = context.zoneLibrary
        return timeZones.isEmpty ? library : ZoneLibrary(library, definitions: timeZones)
    }

    /// Done by its status, else by the time of completion or the percentage.
    package var isDone: Bool {
        if let status { return status.isInCapitals("COMPLETED") }
        return completed != nil || percent == 100
    }

    /// True for an open to-do that was done all the same, by its time of completion or percentage.
    var isDoneThoughOpen: Bool {
        guard let status, TodoDraft.isOpen(status) else { return false }
        return completed != nil || percent == 100
    }

    /// True for the states of a to-do that is still to be done.
    static func isOpen(_ status: String) -> Bool {
        status.isInCapitals("NEEDS-ACTION") || status.isInCapitals("IN-PROCESS")
            || status.isInCapitals(TodoIdentity.legacyOpen)
    }

    /// A state that the other two ways of saying "done" speak against is kept as a line, so that
    /// it is known later that the source said so, and nobody has changed one of the three.
    mutating func keepStateOfSource() {
        guard let status, extra("STATUS") == nil else { return }
        let isDone = status.isInCapitals("COMPLETED")
        guard isDoneThoughOpen || isDone && percent.map({ $0 != 100 }) ?? false else { return }
        extras.append(Extra("STATUS", status))
    }

    /// True for a to-do that was given up.
    package var isCancelled: Bool { status?.isInCapitals("CANCELLED") ?? false }

    /// The value of the first extra line of a name.
    package func extra(_ name: String) -> String? {
        extras.first { $0.name.isInCapitals(name) }?.value
    }

    /// Marks it done or open in all three ways programs look for.
    package mutating func setDone(_ done: Bool, at moment: TodoMoment? = nil) {
        status = done ? "COMPLETED" : "NEEDS-ACTION"
        percent = done ? 100 : nil
        completed = done ? moment : nil
    }

    // MARK: Rows

    /// Appends the to-do as a row. Scalars come before dates, relations and lines when they are
    /// written as lines.
    func append(to columns: TodoColumns, id: ObjectID) {
        columns.id.append(id)
        var place = 0
        // In the order of `TodoColumns.textFields`, `numberFields` and `dateFields`.
        append(uid, columns.texts[0], &place)
        append(title, columns.texts[1], &place)
        append(notes, columns.texts[2], &place)
        append(status, columns.texts[3], &place)
        append(duration, columns.texts[4], &place)
        append(classification, columns.texts[5], &place)
        append(location, columns.texts[6], &place)
        append(url, columns.texts[7], &place)
        append(geo, columns.texts[8], &place)
        append(color, columns.texts[9], &place)
        append(percent, columns.numbers[0], &place)
        append(priority, columns.numbers[1], &place)
        append(sequence, columns.numbers[2], &place)
        place += recurrence.count + (categories.isEmpty ? 0 : 1)
        append(completed, columns.dates[0], &place)
        append(created, columns.dates[1], &place)
        append(modified, columns.dates[2], &place)
        append(stamp, columns.dates[3], &place)
        append(recurrenceID, columns.dates[4], &place)
        append(start, columns.dates[5], &place)
        append(due, columns.dates[6], &place)
        append(recurrence, columns.recurrence)
        append(categories, columns.categories)
        append(components, columns.components)
        append(timeZones, columns.timeZones)
        for relation in relations {
            open(columns.relations, &place)
            append(relation.kind, columns.relations.own.0)
            append(relation.uid, columns.relations.own.1)
            columns.relations.close()
        }
        columns.relationEnds.append(columns.relations.group.ends.count)
        for extra in extras {
            open(columns.extras, &place, extra.parameters)
            append(extra.name, columns.extras.own.0)
            append(extra.value, columns.extras.own.1)
            columns.extras.close()
        }
        columns.extraEnds.append(columns.extras.group.ends.count)
        columns.batch.closeRow()
    }

    private func open(
        _ column: TodoItemColumns, _ place: inout Int, _ parameters: [String] = []
    ) {
        column.open(order: place)
        place += 1
        column.group.null()
        for parameter in parameters { append(parameter, column.parameters.elements) }
        column.parameters.close()
        column.raw.null()
    }

    private func append(_ text: String?, _ column: TextColumn, _ place: inout Int) {
        append(text, column)
        if text != nil { place += 1 }
    }

    private func append(_ number: Int64?, _ column: WordColumn, _ place: inout Int) {
        column.append(number)
        if number != nil { place += 1 }
    }

    private func append(_ moment: TodoMoment?, _ column: TodoItemColumns, _ place: inout Int) {
        guard let moment else { return column.null() }
        open(column, &place)
        append(moment.local, column.own.0)
        append(moment.tzid, column.own.1)
        append(moment.zone, column.own.2)
        column.close()
    }

    private func append(_ text: String?, _ column: TextColumn) {
        guard let text else { return column.null() }
        column.bytes.append(text)
        column.close()
    }

    private func append(_ texts: [String], _ column: TextListColumn) {
        for text in texts { append(text, column.elements) }
        column.close()
    }

    /// A row as a draft.
    package init(_ rows: TodoRows, _ row: Int) {
        func moment(_ field: TodoField) -> TodoMoment? {
            guard let date = rows.date(field, row), let local = date.string(.local) else {
                return nil
            }
            return TodoMoment(local: local, tzid: date.string(.tzid), zone: date.string(.zone))
        }
        uid = rows.string(.uid, row)
        title = rows.string(.title, row)
        notes = rows.string(.notes, row)
        status = rows.string(.status, row)
        completed = moment(.completed)
        created = moment(.created)
        modified = moment(.modified)
        stamp = moment(.stamp)
        recurrenceID = moment(.recurrenceID)
        start = moment(.start)
        due = moment(.due)
        percent = rows.number(.percent, row)
        priority = rows.number(.priority, row)
        sequence = rows.number(.sequence, row)
        duration = rows.string(.duration, row)
        recurrence = rows.strings(.recurrence, row)
        categories = rows.strings(.categories, row)
        location = rows.string(.location, row)
        url = rows.string(.url, row)
        classification = rows.string(.classification, row)
        geo = rows.string(.geo, row)
        color = rows.string(.color, row)
        components = rows.strings(.components, row)
        timeZones = rows.strings(.timeZones, row)
        for i in rows.range(.relations, row) {
            guard let item = rows.item(.relations, i), let uid = item.string(.uid) else { continue }
            relations.append(Relation(kind: item.string(.kind) ?? "PARENT", uid: uid))
        }
        var repeated = Set<TodoField>()
        for i in rows.range(.extras, row) {
            guard let item = rows.item(.extras, i), let name = item.string(.name) else { continue }
            let capitals = name.uppercased()
            if capitals == "STATUS", item.string(.value) == status {
                isStateOfSource = true
            }
            // What a field says is not said again by the line it came from.
            if let field = TodoField.byLine[capitals], rows.holds(field, row),
                repeated.insert(field).inserted || field == .categories
            {
                continue
            }
            var extra = Extra(name, item.string(.value) ?? "")
            item.forEachParameter {
                extra.parameters.append(String(decoding: $0, as: UTF8.self))
            }
            extras.append(extra)
        }
    }
}
