import Foundation

@testable import Formats

/// Small zone files made here, so that tests do not depend on the machine's.
enum ZoneFixtures {
    /// A zone file (TZif) of a version.
    static func file(
        version: UInt8 = 0x32, kinds: [(offset: Int, isDaylight: Bool, name: String)],
        transitions: [(at: Int64, kind: Int)], rule: String
    ) -> [UInt8] {
        func number(_ value: Int64, _ size: Int) -> [UInt8] {
            (0..<size).map { UInt8(truncatingIfNeeded: value >> Int64(8 * (size - 1 - $0))) }
        }
        func block(_ size: Int, _ transitions: [(at: Int64, kind: Int)]) -> [UInt8] {
            var names: [UInt8] = []
            var places: [Int] = []
            for kind in kinds {
                places.append(names.count)
                names += Array(kind.name.utf8) + [0]
            }
            var out: [UInt8] = Array("TZif".utf8) + [version] + [UInt8](repeating: 0, count: 15)
            for count in [0, 0, 0, transitions.count, kinds.count, names.count] {
                out += number(Int64(count), 4)
            }
            for transition in transitions { out += number(transition.at, size) }
            for transition in transitions { out.append(UInt8(transition.kind)) }
            for (kind, place) in zip(kinds, places) {
                out += number(Int64(kind.offset), 4)
                out += [kind.isDaylight ? 1 : 0, UInt8(place)]
            }
            return out + names
        }
        if version == 0 { return block(4, transitions) }
        return block(4, []) + block(8, transitions) + Array("\n\(rule)\n".utf8)
    }

    static func seconds(_ text: String) -> Int64 {
        bytes(text + "Z") { ScalarText.date($0)?.seconds ?? 0 }
    }

    /// Central Europe since 1980, by its present rule from 1996 on.
    static let berlin: [UInt8] = {
        var transitions: [(at: Int64, kind: Int)] = []
        for (summer, winter) in [
            ("1980-04-06T01:00:00", "1980-09-28T01:00:00"),
            ("1981-03-29T01:00:00", "1981-09-27T01:00:00"),
            ("1995-03-26T01:00:00", "1995-09-24T01:00:00"),
            ("1996-03-31T01:00:00", "1996-10-27T01:00:00"),
        ] {
            transitions.append((seconds(summer), 1))
            transitions.append((seconds(winter), 0))
        }
        return file(
            kinds: [(3600, false, "CET"), (7200, true, "CEST")], transitions: transitions,
            rule: "CET-1CEST,M3.5.0,M10.5.0/3")
    }()

    /// New York around the winter of 1974, when clocks went forward in January.
    static let newYork: [UInt8] = file(
        kinds: [(-18_000, false, "EST"), (-14_400, true, "EDT")],
        transitions: [
            (seconds("1973-04-29T07:00:00"), 1), (seconds("1973-10-28T06:00:00"), 0),
            (seconds("1974-01-06T07:00:00"), 1), (seconds("1974-10-27T06:00:00"), 0),
            (seconds("1975-02-23T07:00:00"), 1), (seconds("1975-10-26T06:00:00"), 0),
            (seconds("2006-04-02T07:00:00"), 1), (seconds("2006-10-29T06:00:00"), 0),
            // The rule holds from the last transition on, so that is one the rule makes.
            (seconds("2007-03-11T07:00:00"), 1), (seconds("2007-11-04T06:00:00"), 0),
        ], rule: "EST5EDT,M3.2.0,M11.1.0")

    /// Daylight time over the turn of the year, and rules at odd times of day.
    static let sydney: [UInt8] = file(
        version: 0x33, kinds: [(36_000, false, "AEST"), (39_600, true, "AEDT")],
        transitions: [(seconds("2008-04-05T16:00:00"), 0)], rule: "AEST-10AEDT,M10.1.0,M4.1.0/3")

    /// No daylight time at all.
    static let kolkata: [UInt8] = file(
        kinds: [(19_800, false, "IST")], transitions: [], rule: "IST-5:30")

    static func zone(_ bytes: [UInt8], _ name: String) -> Formats.TimeZone? {
        bytes.withUnsafeBytes { ZoneFile.parse($0, name: name) }
    }

    /// A folder with these zones.
    static let folder: String = {
        let path =
            NSTemporaryDirectory() + "/rtool-zones-\(ProcessInfo.processInfo.processIdentifier)"
        for (name, bytes) in [
            ("Europe/Berlin", berlin), ("America/New_York", newYork),
            ("Australia/Sydney", sydney), ("Asia/Kolkata", kolkata),
        ] {
            let url = URL(fileURLWithPath: path + "/" + name)
            try? FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try? Data(bytes).write(to: url)
        }
        return path
    }()

    static let library = ZoneLibrary(paths: [folder])

    /// A context that uses these zones.
    static func context(zone: String? = nil) -> ExchangeContext {
        var options = ExchangeOptions()
        options.zone = zone
        options.extra["zoneinfo"] = folder
        return ExchangeContext(options: options)
    }
}
