// The dates of a row as lines.

extension TodoLineWriter {
    // MARK: Dates

    func writeDate(
        _ property: ICalendarProperty, _ item: TodoItemView, _ rows: TodoRows,
        _ out: RawVector<UInt8>
    ) {
        guard let local = item.text(.local), var date = ICalendarDate(local) else {
            return note(
                .lost, "date-unreadable", property.name, item.string(.local),
                "left out: it is no date")
        }
        var zone = item.text(.tzid)
        let repair =
            property == .start ? repairedStart : property == .due ? repairedDue : .none
        let isLocal =
            property.isUniversal && date.hasTime && !date.isUTC
            && !(zone?.elementsEqual("UTC".utf8) ?? false)
        let universal = isLocal ? universal(item, property, rows) : nil
        if repair == .none, universal == nil, let raw = item.text(.raw),
            rawSaysTheSame(raw, property, date, zone)
        {
            line.removeAll()
            line.append(bytes: raw)
            return fold(out)
        }
        if repair != .none, let moment = repaired(property, repair, rows) {
            line.removeAll()
            line.append(LegacyComponent.head(property.name, moment))
            appendParameters(item)
            line.append(0x3A)
            line.append(LegacyComponent.value(moment))
            return fold(out)
        }
        if property.isUniversal, !date.hasTime {
            return writeDay(property, date, item, out)
        }
        if let universal {
            date = universal
            zone = nil
        }
        line.removeAll()
        line.append(property.name)
        if !date.hasTime {
            line.append(";VALUE=DATE")
        } else if date.isUTC {
            // An offset was given: the value is universal already.
        } else if let zone, !zone.isEmpty {
            if zone.elementsEqual("UTC".utf8) {
                date.isUTC = true
            } else {
                line.append(";TZID=")
                ParameterText.encode(zone, .iCalendar, into: line)
            }
        }
        appendParameters(item)
        line.append(0x3A)
        date.write(value: line)
        fold(out)
    }

    /// A day where the standard wants a moment: its first one, marked, so that it is read as the
    /// day again.
    private func writeDay(
        _ property: ICalendarProperty, _ date: ICalendarDate, _ item: TodoItemView,
        _ out: RawVector<UInt8>
    ) {
        var date = date
        date.hasTime = true
        date.isUTC = true
        line.removeAll()
        line.append(property.name)
        line.append(";\(ICalendarProperty.dayParameter)=DATE")
        appendParameters(item)
        line.append(0x3A)
        date.write(value: line)
        fold(out)
    }

    /// A clock time where the standard wants universal time; nil where it stays as it is. Of what
    /// was read from a calendar only a time of completion becomes another one (T5), not one in a
    /// zone that nobody knows, and not where the to-do is known by its content.
    private func universal(
        _ item: TodoItemView, _ property: ICalendarProperty, _ rows: TodoRows
    ) -> ICalendarDate? {
        guard let local = item.string(.local) else { return nil }
        var moment = TodoMoment(local: local, tzid: item.string(.tzid), zone: item.string(.zone))
        var zones = context.zoneLibrary
        if isConverted {
            if item.text(.raw) != nil { return nil }
        } else {
            guard property == .completed, rows.text(.uid, row)?.isEmpty == false else {
                return nil
            }
            if moment.tzid == nil {
                // Some programs write the zone without its name.
                item.forEachParameter {
                    let word = String(decoding: $0, as: UTF8.self)
                    if !word.contains("="), let zone = ZoneNames.resolve(word) {
                        moment.tzid = zone
                    }
                }
            }
            if let name = moment.zone ?? moment.tzid {
                let definitions = rows.strings(.timeZones, row)
                if !definitions.isEmpty { zones = ZoneLibrary(zones, definitions: definitions) }
                guard zones.zone(named: name) != nil else { return nil }
            }
        }
        guard let date = utc(moment, zones) else { return nil }
        let isKnown = moment.tzid != nil || context.options.zone != nil
        note(
            isKnown ? .changed : .guessed, isKnown ? "time-made-utc" : "zone-assumed",
            property.name, local,
            isKnown
                ? "written in universal time, as iCalendar wants it here"
                : "taken as universal time; --zone names the zone it is local to")
        return date
    }

    private func utc(_ moment: TodoMoment, _ zones: ZoneLibrary? = nil) -> ICalendarDate? {
        guard
            let instant = moment.instant(
                zones ?? context.zoneLibrary, floating: context.options.zone),
            let text = TodoMoment.localText(instant),
            var date = ICalendarDate(text: text.filter { $0 != "-" && $0 != ":" })
        else { return nil }
        date.isUTC = true
        return date
    }

    /// A rule wants a start (RFC 5545, 3.8.2.4). The due date is none, since it must be later than
    /// that (3.8.2.3), and programs that write a rule beside a due date alone count from that.
    func checkRecurrence(_ rows: TodoRows) {
        guard rows.date(.start, row) == nil, let first = rows.range(.recurrence, row).first
        else { return }
        note(
            .guessed, "recurrence-without-start", "recurrence",
            String(decoding: rows.element(.recurrence, first).prefix(80), as: UTF8.self),
            "written without a start, since none is known; strict programs may ignore the rule")
    }

    // MARK: The stamp

    /// True for to-dos that never were lines of a calendar and have no stamp: iCalendar wants one
    /// (RFC 5545, 3.6.2), while what came from a calendar without one goes back without one.
    func needsStamp(_ rows: TodoRows) -> Bool {
        guard rows.date(.stamp, row) == nil else { return false }
        for i in rows.range(.extras, row) {
            // Also one that was no date, and is kept under a name of ours.
            if let name = rows.item(.extras, i)?.text(.name),
                NameKey.equals(name, "DTSTAMP") || NameKey.equals(name, "X-RTOOL-DTSTAMP")
            {
                return false
            }
        }
        if isConverted || (madeUID ?? nil) != nil { return true }
        guard rows.text(.uid, row)?.count == 24 else { return false }
        var draft = TodoDraft(rows, row)
        madeUIDs.mark(&draft, id: rows.id(row))
        return draft.hasMadeUID
    }

    /// Writes as the stamp the last time that is known of the to-do, which is what it means in a
    /// file without a METHOD (3.8.7.2); where none is known, always the same one, since the time
    /// of writing would make each output another one.
    func writeStamp(_ rows: TodoRows, _ out: RawVector<UInt8>) {
        var stamp: ICalendarDate?
        for field in [TodoField.modified, .created, .completed] where stamp == nil {
            guard let date = rows.date(field, row), let local = date.string(.local) else {
                continue
            }
            let moment = TodoMoment(
                local: local, tzid: date.string(.tzid), zone: date.string(.zone))
            // A day keeps its date.
            stamp =
                moment.isDay ? ICalendarDate(text: moment.day.filter { $0 != "-" }) : utc(moment)
        }
        line.removeAll()
        line.append("DTSTAMP:")
        if var stamp {
            stamp.hasTime = true
            stamp.isUTC = true
            stamp.write(value: line)
        } else {
            line.append("19700101T000000Z")
        }
        fold(out)
    }

    /// True when a kept line is well-formed and says the same date.
    func rawSaysTheSame(
        _ raw: UnsafeRawBufferPointer, _ property: ICalendarProperty, _ date: ICalendarDate,
        _ zone: UnsafeRawBufferPointer?
    ) -> Bool {
        guard let line = parse(raw),
            ICalendarProperty.table.property(line.key, parsed.bytes(line.name))
                == property.rawValue,
            let kept = ICalendarDate(parsed.bytes(line.value)), kept.isExact,
            kept.day == date.day, kept.hour == date.hour, kept.minute == date.minute,
            kept.second == date.second, kept.hasTime == date.hasTime
        else { return false }
        var said: [UInt8]? = kept.isUTC ? Array("UTC".utf8) : nil
        for j in parsed.parameterIndices(line)
        where NameKey.equals(parsed.bytes(parsed.parameters[j].name), "TZID") && said == nil {
            scratch.removeAll()
            ParameterText.decode(parsed.bytes(parsed.parameters[j].value), into: scratch)
            said = Array(scratch.elements)
        }
        // A day without VALUE=DATE is what we only tolerate.
        if !kept.hasTime, parsed.parameter(NameKey.value, of: line) == nil { return false }
        guard kept.hasTime else { return true }
        return said.map { $0.elementsEqual(zone.map(Array.init) ?? []) } ?? (zone == nil)
    }
}
