// The components of a calendar that is passed on: BEGIN and END are made to match, a component that
// stands alone gets a calendar, and what is known only at the end of one is written there.

extension ICalendarConverter {
    /// Follows BEGIN and END.
    /// - Returns: false when the line has been dealt with.
    func structure(
        _ first: ContentLine, _ out: RawVector<UInt8>, _ start: UnsafePointer<UInt8>
    ) -> Bool {
        let value = lines.bytes(first.value)
        let name: String
        if let known = ICalendarConverter.knownName(value) {
            name = known
        } else if TodoLine.isOneLine(value), !TodoLine.endsInOpenEscape(value) {
            name = ICalendarConverter.componentName(value)
        } else {
            line.removeAll()
            appendValue(value)
            name = ICalendarConverter.componentName(UnsafeRawBufferPointer(line.elements))
        }
        defer { mends = isMended }
        if first.flags.contains(.begin) {
            if name == "VCALENDAR" {
                if isBare || !open.isEmpty { flushRun(out, start) }
                while let inner = open.popLast() { close(inner, out) }
                if isBare { endBare(out) }
                watch.beginCalendar()
                isBare = false
                isLegacy = false
                hasProduct = false
                calendar += 1
                defined.removeAll()
            } else if open.isEmpty, !isBare {
                flushRun(out, start)
                isBare = true
                isLegacy = false
                watch.beginCalendar()
                out.append("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//rtool//rtool//EN\r\n")
                context.report.note(
                    .changed, "calendar-added", source: text.name,
                    action: "a component that stood alone was put into a calendar")
            } else if name == "VTODO", open.last == "VTODO" {
                flushRun(out, start)
                open.removeLast()
                close("VTODO", out)
            }
            if isLegacy, open.count == 1, open[0] == "VCALENDAR" {
                flushRun(out, start)
                if !hasProduct { out.append("PRODID:-//rtool//rtool//EN\r\n") }
                hasProduct = true
                defineZones(out)
                if name == "VTODO" || name == "VEVENT" || name == "VJOURNAL" {
                    legacy = (
                        LegacyComponent(name, of: file, calendar: calendar), open.count
                    )
                }
            } else if let legacy, legacy.depth == open.count - 1 {
                // Components stand behind all lines.
                flushRun(out, start)
                finishLegacy(depth: legacy.depth, out)
            }
            open.append(name)
            if name == "VTODO" {
                context.report.read += 1
                context.report.written += 1
                todoDepth = open.count
                watch.beginTodo()
            } else if name == "VTIMEZONE" {
                isInZone = true
            }
            return open.count <= 1000
        }
        guard let i = open.last == name ? open.count - 1 : open.lastIndex(of: name) else {
            context.report.note(
                .lost, "end-stray", source: text.name,
                action: "an END without its BEGIN was left out")
            return false
        }
        if i < open.count - 1 { flushRun(out, start) }
        while open.count > i + 1, let inner = open.popLast() { close(inner, out) }
        if legacy != nil {
            flushRun(out, start)
            finishLegacy(depth: i, out)
        }
        if i == 0, name == "VCALENDAR" {
            flushRun(out, start)
            defineZones(out)
        }
        open.removeLast()
        ended(name)
        return true
    }

    /// True in components whose lines are looked at for what is wrong with them.
    private var isMended: Bool {
        guard open.count == 1 || open.count == 2 && open[0] == "VCALENDAR",
            let component = open.last
        else { return false }
        return component == "VTODO" || component == "VEVENT" || component == "VJOURNAL"
    }

    /// A component is no longer open.
    private func ended(_ name: String) {
        if todoDepth == open.count + 1 {
            todoDepth = 0
            watch.endTodo()
        }
        if name == "VTIMEZONE" { isInZone = false }
    }

    /// Ends the calendar that was put around components that stood alone.
    func endBare(_ out: RawVector<UInt8>) {
        defineZones(out)
        out.append("END:VCALENDAR\r\n")
    }

    /// Supplies the END of a component that is no longer among the open ones.
    func close(_ name: String, _ out: RawVector<UInt8>) {
        finishLegacy(depth: open.count, out)
        if name == "VCALENDAR" { defineZones(out) }
        context.report.note(
            .guessed, "end-missing", source: text.name, property: name,
            action: "closed where what it stands in ends")
        line.removeAll()
        line.append("END:\(name)")
        ContentLineWriter.fold(UnsafeRawBufferPointer(line.elements), into: out)
        ended(name)
    }

    /// The names nearly all components have, written as they should be.
    @inline(__always)
    private static func knownName(_ value: UnsafeRawBufferPointer) -> String? {
        guard value.count >= 5, value.count <= 9 else { return nil }
        var word: UInt64 = 0
        for c in value.suffix(8) { word = word &<< 8 | UInt64(c) }
        switch (word, value.count) {
        case (0x56_544F_444F, 5): return "VTODO"
        case (0x5645_5645_4E54, 6): return "VEVENT"
        case (0x5641_4C41_524D, 6): return "VALARM"
        case (0x564A_4F55_524E_414C, 8): return "VJOURNAL"
        case (0x5354_414E_4441_5244, 8): return "STANDARD"
        case (0x4441_594C_4947_4854, 8): return "DAYLIGHT"
        case (0x5449_4D45_5A4F_4E45, 9): return value[0] == 0x56 ? "VTIMEZONE" : nil
        case (0x4341_4C45_4E44_4152, 9): return value[0] == 0x56 ? "VCALENDAR" : nil
        default: return nil
        }
    }

    /// The name of a component: ASCII letters in upper case, no white space around it, and not
    /// more than a hundred bytes.
    private static func componentName(_ text: UnsafeRawBufferPointer) -> String {
        let text = ICalendarText.trimmed(text)
        var count = min(text.count, 100)
        while count > 0, count < text.count, text[count] & 0xC0 == 0x80 { count -= 1 }
        // Nor does it end in half an escape, which a reader would join with the next line.
        while count > 0,
            text[count - 1] <= 0x20
                || TodoLine.endsInOpenEscape(UnsafeRawBufferPointer(rebasing: text[..<count]))
        {
            count -= 1
        }
        return String(unsafeUninitializedCapacity: count) { name in
            for i in 0..<count { name[i] = text[i] &- 0x61 < 26 ? text[i] & 0xDF : text[i] }
            return count
        }
    }
}
