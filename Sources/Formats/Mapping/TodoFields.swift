// The fields of `TodoItem` by the words of a map, in both directions.

struct TodoFields: MapFields {
    static var schema: Schema { TodoClass.schema }
    static let unremarkable: Set<String> = ["_id", "stamp", "sequence", "timeZones"]

    /// Lines that keep a clock time without a date, as apps of one day's tasks have it.
    static let clockLines = ["startTime": "X-RTOOL-START-TIME", "endTime": "X-RTOOL-END-TIME"]

    /// The stamp of to-dos of which no time is known, in a calendar file.
    static let noStamp = "1970-01-01T00:00:00"

    private let batch: RecordBatch
    private let zone: String?
    private let categories: Column?
    private let extras: MapItems
    private let extraValue: Column?

    init(_ batch: RecordBatch, zone: String?) {
        self.batch = batch
        self.zone = zone
        categories = batch.column("categories")
        extras = MapItems(batch, "extras", "name")
        extraValue = extras.column("value")
    }

    private func text(_ name: String, _ row: Int) -> UnsafeRawBufferPointer? {
        batch.column(name)?.presentText(row)
    }

    private func number(_ name: String, _ row: Int) -> Int64? {
        guard let column = batch.column(name), column.layout == .word, column.nulls[row] == 0
        else { return nil }
        return column.words[row]
    }

    /// A date of a row.
    private func date(_ name: String, _ row: Int) -> MapMoment? {
        guard let column = batch.column(name), column.layout == .object, column.nulls[row] == 0
        else { return nil }
        let at = Int(column.words[row])
        func part(_ name: String) -> String? {
            column.child.column(name)?.presentText(at).map { String(decoding: $0, as: UTF8.self) }
        }
        // The stamp that is written where no time is known says none.
        if name == "stamp", part("local") == TodoFields.noStamp { return nil }
        let zone = part("zone")
        var library: ZoneLibrary?
        if zone == nil, let tzid = part("tzid"), tzid != "UTC" {
            let definitions = definitions(row)
            if !definitions.isEmpty { library = ZoneLibrary(.system, definitions: definitions) }
        }
        return part("local").flatMap {
            MapMoment(local: $0, tzid: part("tzid"), zone: zone, library: library)
        }
    }

    /// The zones that the row's file defines.
    private func definitions(_ row: Int) -> [String] {
        guard let column = batch.column("timeZones"), column.layout == .collection,
            let elements = column.elements, elements.layout == .bytes
        else { return [] }
        return column.range(row).filter { elements.nulls[$0] == 0 }.map { elements.string($0) }
    }

    func uid(_ row: Int) -> (uid: UnsafeRawBufferPointer, recurrence: UnsafeRawBufferPointer?)? {
        guard let uid = text("uid", row) else { return nil }
        guard let column = batch.column("recurrenceID"), column.layout == .object,
            column.nulls[row] == 0
        else { return (uid, nil) }
        return (uid, column.child.column("local")?.presentText(Int(column.words[row])))
    }

    /// Done, by the first of these that is there: the status, a time of completion, 100 percent.
    func flag(_ word: String, _ category: String?, _ row: Int) -> Bool {
        if let category { return categoryItem(category, row) }
        if let status = text("status", row) { return NameKey.equals(status, "COMPLETED") }
        return date("completed", row) != nil || number("percent", row) == 100
    }

    func isSilent(_ field: AppMap.Field, _ row: Int) -> Bool {
        if field.category != nil { return categories?.range(row).isEmpty ?? true }
        return field.from == "done" && text("status", row) == nil && date("completed", row) == nil
            && number("percent", row) == nil
    }

    private func categoryItem(_ category: String, _ row: Int) -> Bool {
        guard let categories, let elements = categories.elements, elements.layout == .bytes
        else { return false }
        return categories.range(row).contains {
            elements.nulls[$0] == 0
                && elements.string($0).lowercased() == category.lowercased()
        }
    }

    func append(_ field: AppMap.Field, _ row: Int, to column: Column) -> [MapUse]? {
        if field.category != nil {
            let isIn = flag("category", field.category, row)
            column.append(word: isIn ? 1 : 0)
            return isIn ? [MapUse("categories")] : []
        }
        func put(_ text: UnsafeRawBufferPointer?, _ property: String) -> [MapUse]? {
            guard let text else { return nil }
            column.append(bytes: text)
            return [MapUse(property)]
        }
        func put(_ date: MapMoment?, _ property: String) -> [MapUse]? {
            guard let date, let instant = date.instant(in: zone) else { return nil }
            column.append(instant)
            return [MapUse(property, rest: date.restOfInstant(in: zone))]
        }
        switch field.from {
        case "uid", "title", "notes", "status", "location", "url":
            return put(text(field.from, row), field.from)
        case "priority", "percent":
            guard let number = number(field.from, row) else { return nil }
            column.append(word: number)
            return [MapUse(field.from)]
        case "done":
            let isDone = flag("done", nil, row)
            column.append(word: isDone ? 1 : 0)
            return usesOfDone(isDone, row)
        case "category":
            guard let categories, let elements = categories.elements,
                let first = categories.range(row).first(where: { elements.nulls[$0] == 0 })
            else { return nil }
            return put(elements.bytes(first), "categories")
        case "categories":
            guard let categories, let elements = categories.elements else { return nil }
            let range = categories.range(row)
            for i in range { column.elements?.append(i, of: elements) }
            column.closeCollection()
            return [MapUse("categories", range.count)]
        case "start", "completed", "created": return put(date(field.from, row), field.from)
        case "due":
            return put(date("due", row), "due") ?? put(endOfDuration(row), "duration")
        case "saved":
            for name in ["modified", "stamp", "created"] {
                if let uses = put(date(name, row), name) { return uses }
            }
            return nil
        case "startTime", "endTime": return clock(field.from, row, to: column)
        default: return nil
        }
    }

    /// What a yes or no says of the status, the percentage and the time of completion: the state
    /// between, part of the work done, and when it was done are not in it.
    private func usesOfDone(_ isDone: Bool, _ row: Int) -> [MapUse] {
        var uses: [MapUse] = []
        if let status = text("status", row) {
            let isSaid =
                isDone
                || ["NEEDS-ACTION", TodoIdentity.legacyOpen].contains { NameKey.equals(status, $0) }
            if isSaid { uses.append(MapUse("status")) }
        }
        let percent = number("percent", row)
        if percent == (isDone ? 100 : 0) { uses.append(MapUse("percent")) }
        return uses
    }

    /// What is open, not begun, of no priority or public is so without saying it.
    func saysNothing(_ property: String, _ row: Int) -> Bool {
        switch property {
        case "status":
            text(property, row).map { status in
                ["NEEDS-ACTION", TodoIdentity.legacyOpen].contains { NameKey.equals(status, $0) }
            } ?? false
        case "percent", "priority": number(property, row) == 0
        case "classification":
            text(property, row).map { NameKey.equals($0, "PUBLIC") } ?? false
        default: false
        }
    }

    func repeatedLines(_ row: Int) -> Int {
        var seen = Set<TodoField>()
        var count = 0
        for i in extras.range(row) {
            guard let name = extras.text(i) else { continue }
            let upper = String(decoding: name, as: UTF8.self).uppercased()
            // A line without a value of a date says nothing.
            if TodoField.dateLines.contains(upper), extras.text(i, extraValue)?.isEmpty ?? true {
                count += 1
                continue
            }
            guard let field = TodoField.byLine[upper],
                let column = batch.column(field.name)
            else { continue }
            let isHeld =
                column.layout == .collection
                ? !column.range(row).isEmpty : column.nulls[row] == 0
            if isHeld, seen.insert(field).inserted || field == .categories { count += 1 }
        }
        return count
    }

    /// When a task is due that says how long it takes from its start (RFC 5545, 3.8.2.5).
    private func endOfDuration(_ row: Int) -> MapMoment? {
        guard let length = text("duration", row), let start = date("start", row) else { return nil }
        return TodoDuration(String(decoding: length, as: UTF8.self)).flatMap(start.adding)
    }

    /// The time of day a task starts or ends.
    private func clock(_ word: String, _ row: Int, to column: Column) -> [MapUse]? {
        for i in extras.range(row) {
            guard let name = extras.text(i), NameKey.equals(name, Self.clockLines[word] ?? ""),
                let value = extras.text(i, extraValue),
                let time = ClockTime(String(decoding: value, as: UTF8.self))
            else { continue }
            column.append(time.text)
            return [MapUse("extras")]
        }
        let start = date("start", row)
        func uses(_ property: String, _ date: MapMoment?) -> [MapUse] {
            let day = date?.day(in: zone) ?? ""
            return [
                MapUse(property, rest: ("day-dropped", day, "only the time of day has a place"))
            ]
        }
        if word == "startTime" {
            guard let time = start?.clock(in: zone) else { return nil }
            column.append(time.text)
            return uses("start", start)
        }
        let due = date("due", row)
        if let time = due?.clock(in: zone) {
            column.append(time.text)
            return uses("due", due)
        }
        guard let time = endOfDuration(row)?.clock(in: zone) else { return nil }
        column.append(time.text)
        return [MapUse("duration")]
    }

    // MARK: The way back

    static func appendBack(
        _ property: Property, _ row: MapBackRow, to column: Column, order: inout Int64
    ) {
        func moment(_ date: Timestamp?) {
            guard let date, let local = MapMoment.localText(date) else {
                return column.appendNull()
            }
            column.appendItem(order: order) { property, column in
                switch property.name {
                case "local": column.append(local)
                case "tzid", "zone": column.append("UTC")
                default: return false
                }
                return true
            }
            order += 1
        }
        let isDone = row.flag("done")
        switch property.name {
        case "_id": column.append(row.id)
        case "uid":
            if let uid = row.text("uid") { return column.append(bytes: uid) }
            ScalarText.write(row.id, to: column.bytes)
            column.closeBytes()
        case "title", "notes", "location", "url":
            guard let text = row.text(property.name) else { return column.appendNull() }
            column.append(bytes: text)
        case "status":
            let said = row.text("status")
            let saysDone = said.map { NameKey.equals($0, "COMPLETED") } ?? false
            // What is not done may be in any state but that.
            if let isDone, isDone != saysDone || said?.isEmpty ?? true {
                return column.append(isDone ? "COMPLETED" : "NEEDS-ACTION")
            }
            guard let said else { return column.appendNull() }
            column.append(bytes: said)
        case "percent":
            if let percent = row.int("percent") ?? (isDone == true ? 100 : nil) {
                column.append(word: percent)
            } else {
                column.appendNull()
            }
        case "priority":
            if let number = row.int("priority") {
                column.append(word: number)
            } else {
                column.appendNull()
            }
        case "completed":
            // The last save is when a task that is done was done, as far as its app knows.
            moment(row.date("completed") ?? (isDone == true ? row.date("saved") : nil))
        case "start", "due", "created": moment(row.date(property.name))
        case "modified", "stamp": moment(row.date("saved"))
        case "categories":
            for text in row.texts(["category", "categories"]) {
                column.elements?.append(bytes: text)
            }
            for name in row.markedCategories() { column.elements?.append(name) }
            column.closeCollection()
        case "extras":
            for word in ["startTime", "endTime"] {
                guard let line = clockLines[word], let text = row.text(word) else { continue }
                let clock = ClockTime(String(decoding: text, as: UTF8.self))?.text
                column.elements?.appendItem(order: order) { property, column in
                    switch property.name {
                    case "name": column.append(line)
                    case "value":
                        if let clock { column.append(clock) } else { column.append(bytes: text) }
                    default: return false
                    }
                    return true
                }
                order += 1
            }
            column.closeCollection()
        default: column.appendNull()
        }
    }
}
