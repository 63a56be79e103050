// Times as maps need them: a to-do's date as an instant or as a time of day, and times of day as
// the text an app keeps.

/// A time of day.
struct ClockTime: Equatable {
    /// Minutes since midnight, 0..<1440.
    let minutes: Int

    init(minutes: Int) { self.minutes = ((minutes % 1440) + 1440) % 1440 }

    /// `HH:mm`, `H:mm:ss`, `3:05 PM`, `15.05`.
    init?(_ text: String) {
        var rest = text.lowercased()[...]
        while rest.first == " " { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        var half: Int?
        for (ending, value) in [("am", 0), ("a.m.", 0), ("pm", 12), ("p.m.", 12)]
        where rest.hasSuffix(ending) {
            half = value
            rest.removeLast(ending.count)
            while rest.last?.isWhitespace == true { rest.removeLast() }
            break
        }
        let parts = rest.split(whereSeparator: { $0 == ":" || $0 == "." })
        guard parts.count >= 2 || half != nil && parts.count == 1, parts.count <= 3,
            var hour = Int(parts[0]), parts[0].utf8.count <= 2
        else { return nil }
        var minute = 0
        if parts.count > 1 {
            guard let value = Int(parts[1]), parts[1].utf8.count == 2 else { return nil }
            minute = value
        }
        if let half {
            guard (1...12).contains(hour) else { return nil }
            hour = hour % 12 + half
        }
        guard (0..<24).contains(hour), (0..<60).contains(minute) else { return nil }
        minutes = hour * 60 + minute
    }

    /// `HH:mm`.
    var text: String {
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return two(minutes / 60) + ":" + two(minutes % 60)
    }
}

/// A to-do's date: local text, and the zone it is local to.
struct MapMoment {
    private var seconds: Int64
    private let hasTime: Bool
    /// The zone's name; nil for a clock time that is the same everywhere.
    private let zone: String?
    /// Zones that the to-do's file defines.
    private let library: ZoneLibrary?

    init?(local: String, tzid: String?, zone: String?, library: ZoneLibrary? = nil) {
        hasTime = local.contains("T")
        var text = local + (hasTime ? "Z" : "T00:00:00Z")
        let date = text.withUTF8 { ScalarText.date(UnsafeRawBufferPointer($0)) }
        guard let date else { return nil }
        seconds = date.seconds
        self.zone = tzid == "UTC" ? "UTC" : zone ?? tzid
        self.library = library
    }

    private func known(_ name: String) -> TimeZone? {
        MapZones.zone(name) ?? library?.zone(named: name)
    }

    /// A time that a duration later: days on the calendar, hours by the clock; nil for a whole day
    /// and a duration that is not of days alone.
    func adding(_ length: TodoDuration) -> MapMoment? {
        guard hasTime || length.seconds == 0 else { return nil }
        var later = self
        later.seconds += length.days * 86_400
        if length.seconds != 0, let zone = zone.flatMap({ known($0) }) {
            let instant = zone.instant(ofLocal: later.seconds).instant + length.seconds
            later.seconds = instant + Int64(zone.offset(at: instant))
        } else {
            later.seconds += length.seconds
        }
        return later
    }

    /// The instant; times without a zone are taken in the zone asked for, else in UTC.
    func instant(in wanted: String?) -> Timestamp? {
        let name = zone ?? wanted
        guard let name, let zone = known(name) else { return Timestamp(seconds: seconds) }
        return Timestamp(seconds: zone.instant(ofLocal: seconds).instant)
    }

    /// What the instant does not say of the date.
    func restOfInstant(in wanted: String?) -> MapUse.Rest? {
        if !hasTime {
            return (
                "day-as-instant", day(in: wanted),
                "a whole day became its 00:00 in \(wanted ?? "UTC"): only an instant has a place"
            )
        }
        guard let zone else {
            return (
                "floating-as-instant", clock(in: wanted)?.text ?? "",
                "a time without a zone was taken in \(wanted ?? "UTC"): only an instant has a place"
            )
        }
        guard zone != "UTC" else { return nil }
        guard known(zone) != nil else {
            return ("zone-unresolved", zone, "the zone is not known; the time was taken in UTC")
        }
        return ("zone-dropped", zone, "the instant stays; its zone's name has no place")
    }

    /// Seconds since 1970 on the clocks of the zone asked for, else as written.
    private func local(in wanted: String?) -> Int64 {
        guard hasTime, let zone, let wanted, let from = known(zone),
            let to = known(wanted)
        else { return seconds }
        let instant = from.instant(ofLocal: seconds).instant
        return instant + Int64(to.offset(at: instant))
    }

    /// The calendar day, in the zone asked for, else as written.
    func day(in wanted: String?) -> String {
        let date = Timestamp(seconds: local(in: wanted))
        return MapMoment.localText(date).map { String($0.prefix(10)) } ?? ""
    }

    /// The time of day: in the zone asked for, else as written; nil for a whole day.
    func clock(in wanted: String?) -> ClockTime? {
        guard hasTime else { return nil }
        let local = local(in: wanted)
        let inDay = ((local % 86_400) + 86_400) % 86_400
        return ClockTime(minutes: Int(inDay / 60))
    }

    /// The local text of an instant in UTC, as `TodoDate` keeps it.
    static func localText(_ date: Timestamp) -> String? {
        let out = RawVector<UInt8>()
        defer { out.destroy() }
        guard ScalarText.write(date: Timestamp(seconds: date.seconds), to: out) else { return nil }
        return String(decoding: out.elements.dropLast(), as: UTF8.self)
    }
}
