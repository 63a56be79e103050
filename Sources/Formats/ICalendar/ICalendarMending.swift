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
        case dayOfMoment = "day-made-time"
        case placeForm = "geo-form"
        case valueUnusual = "value-unusual"
        case nameUnreadable = "name-unreadable"
        case quoteOpen = "quote-open"

        /// True for lines that are written under a name of ours.
        var isKept: Bool {
            self == .dateUnreadable || self == .numberUnreadable || self == .valueUnusual
        }

        /// True for lines that say nothing.
        var isLeftOut: Bool { self == .dateEmpty || self == .numberEmpty }

        var kind: Report.ItemClass {
            switch self {
            case .dateForm, .placeForm, .quoteOpen: .guessed
            case .dateEmpty, .numberEmpty, .dateUnreadable, .numberUnreadable, .timeNotUniversal,
                .dayOfMoment, .valueUnusual, .nameUnreadable:
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
            case .dayOfMoment: "written as midnight of that day: iCalendar wants a moment here"
            case .placeForm: "read tolerantly and written as iCalendar spells it"
            case .valueUnusual: "written under a name of ours: iCalendar has no such value here"
            case .nameUnreadable:
                "written under a name of ours: names have letters, digits and dashes"
            case .quoteOpen: "the quote of a parameter that is never closed was left out"
            case .bareParameter: "left out: iCalendar 2.0 has no parameters without a name"
            }
        }
    }

    /// What is wrong with a line of a to-do, an event or an entry of a journal; nil for nearly all.
    /// - Parameters:
    ///   - tag: the property the line is about, by the table of properties.
    ///   - keepsClocks: whether the time of a completion may be in a zone.
    static func fault(
        _ line: ContentLine, _ lines: ContentLines, tag: UInt16, keepsClocks: Bool = false
    ) -> Fault? {
        let property = tag == 0 ? nil : ICalendarProperty(rawValue: tag)
        let isDate = property?.isDate ?? false
        let isChecked =
            property == .priority || property == .percent || property == .sequence
            || property == .geo || property == .duration || tag == 0 && mayBeOdd(line, lines)
        var hasBare = false
        var hasOpenQuote = false
        if line.parameterCount > 0 {
            // Of encodings the decoding of the line takes care.
            let isEncoded = !line.flags.isDisjoint(with: [.quotedPrintable, .base64])
            for j in lines.parameterIndices(line) {
                let parameter = lines.parameters[j]
                let value = lines.bytes(parameter.value)
                if parameter.isBare, !isEncoded || !ParameterText.isTransferEncoding(value) {
                    hasBare = true
                }
                if !isEncoded, self.hasOpenQuote(value) { hasOpenQuote = true }
            }
        }
        // Most lines end here, and every line of a file comes here.
        guard isDate || isChecked || hasBare || hasOpenQuote, line.group.isEmpty else { return nil }
        let value = lines.bytes(line.value)
        if isDate {
            if line.parameterCount == 0, ICalendarDate.isUniversalMoment(value) { return nil }
            guard let date = ICalendarDate(value) else {
                return ICalendarText.trimmed(value).isEmpty ? .dateEmpty : .dateUnreadable
            }
            let other = self.fault(of: date, property, line, lines)
            if other == .dayOfMoment { return other }
            // What a program says in its clock time of other moments stays as it says it (T5).
            if property == .completed, date.hasTime, !date.isUTC, !keepsClocks {
                return .timeNotUniversal
            }
            if !date.isExact { return .dateForm }
            if let other { return other }
        } else if isChecked, let fault = self.fault(of: property, line, lines) {
            return fault
        }
        return hasBare ? .bareParameter : hasOpenQuote ? .quoteOpen : nil
    }

    /// Appends a line that was mended; it is decoded.
    static func append(
        _ line: ContentLine, _ lines: ContentLines, _ fault: Fault, to out: RawVector<UInt8>
    ) {
        if fault == .nameUnreadable {
            append(kept: lines.bytes(line.name), to: out)
        } else {
            if fault.isKept { out.append(TodoLine.keptPrefix) }
            TodoLine.append(name: line, lines, to: out)
        }
        var date =
            fault == .dateForm || fault == .dayOfMoment
            ? ICalendarDate(lines.bytes(line.value)) : nil
        if fault == .dayOfMoment {
            date?.makeMidnight()
            out.append(";\(ICalendarProperty.dayParameter)=DATE")
        }
        var saysKind = false
        for j in lines.parameterIndices(line) where !lines.parameters[j].isBare {
            let parameter = lines.parameters[j]
            if NameKey.equals(lines.bytes(parameter.name), "VALUE") {
                if fault == .dayOfMoment { continue }
                saysKind = true
                if NameKey.equals(lines.bytes(parameter.value), "DATE") { date?.hasTime = false }
            }
            // 2.0 has no quoted-printable, and nobody is to decode what was not.
            if parameter.key == NameKey.encoding,
                lines.bytes(parameter.value).first.map({ $0 & 0xDF == 0x51 }) ?? false
            {
                continue
            }
            // A time of an offset is universal already.
            if date?.isUTC == true, NameKey.equals(lines.bytes(parameter.name), "TZID") { continue }
            out.append(0x3B)
            out.append(bytes: lines.bytes(parameter.name))
            out.append(0x3D)
            append(parameter: lines.bytes(parameter.value), to: out)
        }
        if let date, !date.hasTime, !saysKind { out.append(";VALUE=DATE") }
        out.append(0x3A)
        if let date {
            date.write(value: out)
        } else {
            let value = lines.bytes(line.value)
            let start = out.count
            TodoLine.append(value: value, to: out)
            if fault == .placeForm, let at = out.elements[start...].firstIndex(of: 0x2C) {
                out[at] = 0x3B
            }
            if TodoLine.endsInOpenEscape(value) { out.append(0x5C) }
        }
    }
}
