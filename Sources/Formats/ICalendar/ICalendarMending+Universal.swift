// Times of completion that are not said in universal time, as old servers write them (T5): in a zone, or
// in none.

extension ICalendarMending {
    /// What the zones that lines name mean.
    struct Zones {
        private let file: ICalendarZones
        private let calendar: Int
        private let context: ExchangeContext

        init(_ file: ICalendarZones, calendar: Int, _ context: ExchangeContext) {
            self.file = file
            self.calendar = calendar
            self.context = context
        }

        /// A clock time in universal time, and whether its zone was known; nil where it cannot be
        /// told.
        func universal(
            _ moment: TodoMoment, zone: UnsafeRawBufferPointer?
        ) -> (TodoMoment, isKnown: Bool)? {
            var zones = context.zoneLibrary
            var name = context.options.zone
            if let zone, !zone.isEmpty {
                let entry = file.entry(for: zone, calendar: calendar)
                name = entry.zone ?? String(decoding: zone, as: UTF8.self)
                if let definition = entry.definition {
                    zones = ZoneLibrary(zones, definitions: [definition])
                }
                guard let name, zones.zone(named: name) != nil else { return nil }
            }
            guard let seconds = moment.instant(zones, floating: name),
                let local = TodoMoment.localText(seconds)
            else { return nil }
            return (TodoMoment(local: local, tzid: "UTC"), name != nil)
        }
    }

    /// Appends the line of a moment in universal time; nothing where its zone is not known.
    /// - Returns: whether it was known or assumed; nil where the line must stay.
    static func append(
        universal line: ContentLine, _ lines: ContentLines, _ zones: Zones,
        to out: RawVector<UInt8>
    ) -> Bool? {
        guard let date = ICalendarDate(lines.bytes(line.value)) else { return nil }
        let scratch = RawVector<UInt8>(capacity: 64)
        defer { scratch.destroy() }
        date.write(local: scratch)
        let moment = TodoMoment(local: String(decoding: scratch.elements, as: UTF8.self))
        scratch.removeAll()
        var isDay = false
        for j in lines.parameterIndices(line) {
            let parameter = lines.parameters[j]
            if parameter.isBare, scratch.isEmpty {
                // Some programs write the zone without its name.
                let word = lines.string(parameter.value)
                if ZoneNames.resolve(word) != nil { scratch.append(word) }
            } else if parameter.key == NameKey.tzid, scratch.isEmpty {
                ParameterText.decode(lines.bytes(parameter.value), into: scratch)
            } else if parameter.key == NameKey.value {
                isDay = NameKey.equals(lines.bytes(parameter.value), "DATE")
            }
        }
        guard !isDay,
            let (time, isKnown) = zones.universal(
                moment, zone: UnsafeRawBufferPointer(scratch.elements))
        else { return nil }
        TodoLine.append(name: line, lines, to: out)
        for j in lines.parameterIndices(line) {
            let parameter = lines.parameters[j]
            if parameter.isBare || parameter.key == NameKey.tzid { continue }
            out.append(0x3B)
            out.append(bytes: lines.bytes(parameter.name))
            out.append(0x3D)
            out.append(bytes: lines.bytes(parameter.value))
        }
        out.append(0x3A)
        out.append(LegacyComponent.value(time))
        return isKnown
    }
}
