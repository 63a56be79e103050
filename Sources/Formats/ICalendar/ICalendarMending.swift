// Lines of iCalendar 2.0 that are read tolerantly and must not be passed on as they are, or other
// programs refuse the whole file: dates in other spellings, lines that say no date or number,
// parameters without a name.

/// Finds and mends single lines of to-dos and events.
enum ICalendarMending {
    /// What is wrong with a line; the raw values are codes of the report.
    enum Fault: String {
        case dateForm = "date-form"
        case dateEmpty = "date-empty"
        case dateUnreadable = "date-unreadable"
        case numberEmpty = "number-empty"
        case numberUnreadable = "number-unreadable"
        case bareParameter = "bare-parameter"
        case timeNotUniversal = "time-made-utc"

        /// True for lines that say nothing.
        var isLeftOut: Bool { self == .dateEmpty || self == .numberEmpty }

        var kind: Report.ItemClass {
            switch self {
            case .dateForm: .guessed
            case .dateEmpty, .numberEmpty, .dateUnreadable, .numberUnreadable, .timeNotUniversal:
                .changed
            case .bareParameter: .lost
            }
        }

        var action: String {
            switch self {
            case .dateForm: "read tolerantly and written as iCalendar spells it"
            case .dateEmpty: "left out: it says no date, which means none"
            case .dateUnreadable: "written under a name of ours: it is no date"
            case .numberEmpty: "left out: it says no number, which means none"
            case .numberUnreadable: "written under a name of ours: it is no number"
            case .timeNotUniversal: "written in universal time, as iCalendar wants it here"
            case .bareParameter: "left out: iCalendar 2.0 has no parameters without a name"
            }
        }
    }

    /// What is wrong with a line of the innermost of some components; nil for nearly all, and for
    /// components inside of those that no calendar has.
    /// - Parameters:
    ///   - tag: the property the line is about, by the table of properties.
    ///   - keepsClocks: whether the time of a completion may be in a zone.
    static func fault(
        _ line: ContentLine, _ lines: ContentLines, tag: UInt16, in open: [String],
        keepsClocks: Bool = false
    ) -> Fault? {
        let property = tag == 0 ? nil : ICalendarProperty(rawValue: tag)
        let isDate = property?.isDate ?? false
        let isNumber = property == .priority || property == .percent || property == .sequence
        var hasBare = false
        // Of encodings the decoding of the line takes care.
        if line.parameterCount > 0, line.flags.isDisjoint(with: [.quotedPrintable, .base64]) {
            for j in lines.parameterIndices(line) where lines.parameters[j].isBare {
                hasBare = true
            }
        }
        // Most lines end here, and every line of a file comes here.
        guard isDate || isNumber || hasBare, line.group.isEmpty, let component = open.last,
            component == "VTODO" || component == "VEVENT" || component == "VJOURNAL",
            open.count == 1 || open.count == 2 && open[0] == "VCALENDAR"
        else { return nil }
        let value = lines.bytes(line.value)
        if isDate {
            guard let date = ICalendarDate(value) else {
                return ICalendarText.trimmed(value).isEmpty ? .dateEmpty : .dateUnreadable
            }
            if property == .completed, date.hasTime, !date.isUTC, !keepsClocks {
                return .timeNotUniversal
            }
            if !date.isExact { return .dateForm }
        } else if isNumber {
            let number = ICalendarText.trimmed(value)
            if ScalarText.int(number) == nil {
                return number.isEmpty ? .numberEmpty : .numberUnreadable
            }
        }
        return hasBare ? .bareParameter : nil
    }

    /// Appends a line that was mended; it is decoded.
    static func append(
        _ line: ContentLine, _ lines: ContentLines, _ fault: Fault, to out: RawVector<UInt8>
    ) {
        if fault == .dateUnreadable || fault == .numberUnreadable {
            out.append(TodoLine.keptPrefix)
        }
        TodoLine.append(name: line, lines, to: out)
        var date = fault == .dateForm ? ICalendarDate(lines.bytes(line.value)) : nil
        var saysKind = false
        for j in lines.parameterIndices(line) where !lines.parameters[j].isBare {
            let parameter = lines.parameters[j]
            if NameKey.equals(lines.bytes(parameter.name), "VALUE") {
                saysKind = true
                if NameKey.equals(lines.bytes(parameter.value), "DATE") { date?.hasTime = false }
            }
            // A time of an offset is universal already.
            if date?.isUTC == true, NameKey.equals(lines.bytes(parameter.name), "TZID") { continue }
            out.append(0x3B)
            out.append(bytes: lines.bytes(parameter.name))
            out.append(0x3D)
            out.append(bytes: lines.bytes(parameter.value))
        }
        if let date, !date.hasTime, !saysKind { out.append(";VALUE=DATE") }
        out.append(0x3A)
        if let date {
            date.write(value: out)
        } else {
            let value = lines.bytes(line.value)
            TodoLine.append(value: value, to: out)
            if TodoLine.endsInOpenEscape(value) { out.append(0x5C) }
        }
    }
}
