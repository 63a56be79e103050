// Values and names that strict readers of iCalendar refuse, or take for something else: places,
// durations, numbers out of range, attachments that are no base64, names with spaces.

extension ICalendarMending {
    /// Whether something may be wrong with a line of a property that is none of a to-do's own; to be
    /// asked once a line, so it only looks at what costs little.
    @inline(__always)
    static func mayBeOdd(_ line: ContentLine, _ lines: ContentLines) -> Bool {
        line.flags.contains(.base64) || !TodoLine.isName(lines.bytes(line.name))
    }

    /// What is wrong with the value of a number, a place or a duration.
    static func fault(of property: ICalendarProperty?, _ line: ContentLine, _ lines: ContentLines)
        -> Fault?
    {
        let value = ICalendarText.trimmed(lines.bytes(line.value))
        switch property {
        case .priority, .percent, .sequence:
            guard let number = ScalarText.int(value) else {
                return value.isEmpty ? .numberEmpty : .numberUnreadable
            }
            let most: Int64 = property == .priority ? 9 : property == .percent ? 100 : .max
            return (0...most).contains(number) ? nil : .valueUnusual
        case .geo:
            if isPlace(value, separator: 0x3B) { return nil }
            return isPlace(value, separator: 0x2C) ? .placeForm : .valueUnusual
        case .duration:
            // The other name of the property is ours.
            guard lines.bytes(line.name).count == 8 else { return nil }
            return TodoDuration(String(decoding: value.prefix(100), as: UTF8.self)) == nil
                ? .valueUnusual : nil
        case nil:
            let name = lines.bytes(line.name)
            if !TodoLine.isName(name) { return .nameUnreadable }
            return line.flags.contains(.base64) && NameKey.equals(name, "ATTACH")
                && !isBase64(lines.bytes(line.value)) ? .valueUnusual : nil
        default: return nil
        }
    }

    /// Two numbers with a separator between them.
    static func isPlace(_ value: UnsafeRawBufferPointer, separator: UInt8) -> Bool {
        guard let at = value.firstIndex(of: separator), value.count < 100 else { return false }
        return [value[..<at], value[(at + 1)...]].allSatisfy {
            ScalarText.double(ICalendarText.trimmed(UnsafeRawBufferPointer(rebasing: $0))) != nil
        }
    }

    private static func isBase64(_ value: UnsafeRawBufferPointer) -> Bool {
        var count = 0
        var isOver = false
        for c in value where c > 0x20 {
            count &+= 1
            if c == 0x3D {
                isOver = true
            } else if isOver
                || !(c &- 0x30 < 10 || (c & 0xDF) &- 0x41 < 26 || c == 0x2B || c == 0x2F)
            {
                return false
            }
        }
        return count % 4 == 0
    }

    /// A date whose parameters speak against its value, or that is a day where a moment is wanted.
    static func fault(
        of date: ICalendarDate, _ property: ICalendarProperty?, _ line: ContentLine,
        _ lines: ContentLines
    ) -> Fault? {
        var isDay = !date.hasTime
        var fault: Fault?
        if line.parameterCount > 0 {
            for j in lines.parameterIndices(line) {
                let parameter = lines.parameters[j]
                if parameter.key == NameKey.tzid, date.isUTC {
                    fault = .dateForm
                } else if parameter.key == NameKey.value, date.hasTime,
                    NameKey.equals(lines.bytes(parameter.value), "DATE")
                {
                    isDay = true
                    fault = .dateForm
                }
            }
        }
        return isDay && property?.isUniversal == true ? .dayOfMoment : fault
    }

    /// Appends the name of a line in letters, digits and dashes, behind the prefix of ours.
    static func append(
        kept name: UnsafeRawBufferPointer, to out: RawVector<UInt8>
    ) {
        out.append(TodoLine.keptPrefix)
        if name.isEmpty { return out.append("LINE") }
        // With the prefix it is no longer than a name may be.
        for c in name.prefix(TodoLine.nameLimit - TodoLine.keptPrefix.utf8.count) {
            out.append(c &- 0x30 < 10 || (c & 0xDF) &- 0x41 < 26 ? c : 0x2D)
        }
    }

    /// Appends the value of a parameter; a quote that is not closed goes.
    static func append(parameter value: UnsafeRawBufferPointer, to out: RawVector<UInt8>) {
        guard hasOpenQuote(value) else { return out.append(bytes: value) }
        let needsQuotes = value.contains { $0 == 0x3A || $0 == 0x3B }
        if needsQuotes { out.append(0x22) }
        for c in value where c != 0x22 { out.append(c) }
        if needsQuotes { out.append(0x22) }
    }

    /// True for a value that begins with a quote and whose quotes do not stand around whole values.
    @inline(__always)
    static func hasOpenQuote(_ value: UnsafeRawBufferPointer) -> Bool {
        value.first == 0x22 && !areQuotesWhole(value)
    }

    @inline(never)
    private static func areQuotesWhole(_ value: UnsafeRawBufferPointer) -> Bool {
        var isQuoted = false
        for i in 0..<value.count where value[i] == 0x22 {
            let next = i + 1 < value.count ? value[i + 1] : 0x2C
            if isQuoted ? next != 0x2C : i > 0 && value[i - 1] != 0x2C { return false }
            isQuoted.toggle()
        }
        return !isQuoted
    }
}

extension ICalendarDate {
    /// Makes it the first moment of its day in universal time.
    mutating func makeMidnight() {
        (hour, minute, second) = (0, 0, 0)
        (hasTime, isUTC) = (true, true)
    }
}
