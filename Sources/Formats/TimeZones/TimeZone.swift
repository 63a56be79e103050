// A time zone as a table of transitions and a rule for the years after the last of them: from
// universal time to local time and back, with the hours that do not exist or exist twice.

internal import Synchronization

/// The rules of one time zone.
public final class TimeZone: Sendable {
    /// One kind of local time: an offset with a name.
    struct Kind: Sendable, Equatable {
        var offset: Int
        var isDaylight: Bool
        var abbreviation: String
    }

    /// The instant from which a kind of local time holds.
    struct Transition: Sendable, Equatable {
        var at: Int64
        var kind: Int
    }

    /// The zone's name.
    public let name: String
    let kinds: [Kind]
    let transitions: [Transition]
    /// What holds after the last transition, where it is not simply the last kind.
    let rule: PosixRule?

    init(name: String, kinds: [Kind], transitions: [Transition], rule: PosixRule?) {
        self.name = name
        self.kinds =
            kinds.isEmpty ? [Kind(offset: 0, isDaylight: false, abbreviation: "UTC")] : kinds
        self.transitions = transitions
        self.rule = rule
    }

    /// Universal time.
    public static let utc = TimeZone(name: "UTC", kinds: [], transitions: [], rule: nil)

    /// The zone of a name in any of its dresses, from the system's zone files; nil when the name
    /// means nothing or the system does not have it.
    public static func named(_ name: String) -> TimeZone? { ZoneLibrary.system.zone(named: name) }

    /// Seconds to add to universal time to get local time.
    public func offset(at instant: Int64) -> Int { kind(at: instant).offset }

    /// What local time is like at an instant.
    func kind(at instant: Int64) -> Kind {
        guard let first = transitions.first, let last = transitions.last else {
            return rule?.kind(at: instant) ?? kinds[0]
        }
        if instant < first.at { return kinds[0] }
        if instant >= last.at {
            return rule?.kind(at: instant) ?? kinds[last.kind]
        }
        var low = 0
        var high = transitions.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if transitions[middle].at <= instant { low = middle } else { high = middle }
        }
        return kinds[transitions[low].kind]
    }

    /// What a local clock time is in universal time.
    public enum Instant: Sendable, Equatable {
        /// The one instant at which clocks show it.
        case once(Int64)
        /// Clocks show it twice, before and after they are put back. The first is meant by
        /// default.
        case twice(Int64, Int64)
        /// Clocks skip it. What is meant by default counts with the offset before the gap
        /// (RFC 5545), so it lies as long after the gap's begin as the clock time does.
        case skipped(Int64)

        /// The instant meant by default.
        public var instant: Int64 {
            switch self {
            case .once(let t), .twice(let t, _), .skipped(let t): t
            }
        }
    }

    /// The instant of a local clock time, given as seconds since 1970 as if it were universal.
    public func instant(ofLocal local: Int64) -> Instant {
        guard local > -(1 << 50), local < 1 << 50 else { return .once(local) }
        let before = Int64(offset(at: local - 93_600))
        let after = Int64(offset(at: local + 93_600))
        let first = local - before
        let second = local - after
        let isFirst = Int64(offset(at: first)) == before
        let isSecond = Int64(offset(at: second)) == after
        switch (isFirst, isSecond) {
        case (true, true):
            return first == second ? .once(first) : .twice(min(first, second), max(first, second))
        case (true, false): return .once(first)
        case (false, true): return .once(second)
        case (false, false):
            // A short visit to a third offset within the two days, or a gap.
            let middle = Int64(offset(at: first))
            let third = local - middle
            if Int64(offset(at: third)) == middle { return .once(third) }
            return .skipped(first)
        }
    }
}

/// The zones of some folders, read when first asked for.
package final class ZoneLibrary: Sendable {
    private let zones = Mutex<[String: TimeZone?]>([:])
    private let paths: [String]
    private let base: ZoneLibrary?
    private let definitions: [String: TimeZone]

    /// Zones from the first of these folders that has one of the name.
    package init(paths: [String]) {
        self.paths = paths
        base = nil
        definitions = [:]
    }

    /// The zones of another library, and for names that mean nothing there those that a calendar
    /// file defines.
    package init(_ base: ZoneLibrary, definitions texts: [String]) {
        paths = []
        self.base = base
        var definitions: [String: TimeZone] = [:]
        for text in texts {
            guard let name = ZoneDefinition.identifier(text), definitions[name] == nil else {
                continue
            }
            definitions[name] = ZoneDefinition.zone(text)
        }
        self.definitions = definitions
    }

    /// The system's zones.
    package static let system = ZoneLibrary(paths: [
        "/usr/share/zoneinfo", "/var/db/timezone/zoneinfo", "/usr/lib/zoneinfo",
        "/usr/share/lib/zoneinfo", "/etc/zoneinfo",
    ])

    /// The zone of a name in any of its dresses.
    package func zone(named name: String) -> TimeZone? {
        if let base { return base.zone(named: name) ?? definitions[name] }
        guard let iana = ZoneNames.resolve(name) else { return nil }
        if iana == "UTC" { return .utc }
        return zones.withLock { zones in
            if let known = zones[iana] { return known }
            let found = read(iana)
            zones[iana] = .some(found)
            return found
        }
    }

    private func read(_ name: String) -> TimeZone? {
        for path in paths {
            let file = path + "/" + name
            guard let status = System.status(path: file), status.isRegular,
                status.size <= 1 << 20, let input = try? InputBytes.open(file, copy: true),
                let zone = ZoneFile.parse(input.bytes, name: name)
            else { continue }
            return zone
        }
        return nil
    }
}
