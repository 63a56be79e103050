import Foundation
import TestSupport
import Testing

@testable import Formats

/// The handed files of to-dos against what is known to be in them.
@Suite("iCalendar files") struct ICalendarGoldenTests {
    static let corpus = "corpus/interchange"
    static let golden = Shared.files(corpus + "/expected/tasks", ".json")
    static let files =
        Shared.files(corpus + "/ical", ".ics") + Shared.files(corpus + "/ical", ".vcs")
        + Shared.files(corpus + "/bugs", ".ics")

    static func text(_ value: Any?) -> String {
        (value as? String ?? "").replacingOccurrences(of: "\r\n", with: "\n")
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    static func goldDate(_ value: Any?) -> String {
        guard let date = value as? [String: Any] else { return "-" }
        if let day = date["date"] as? String { return day + " " }
        let zone = date["zone"] as? String ?? ""
        return "\(date["datetime"] ?? "") \(zone == "floating" ? "" : zone)"
    }

    static func ourDate(_ value: Any?) -> String {
        guard let date = value as? [String: Any] else { return "-" }
        return "\(date["local"] ?? "") \(date["tzid"] ?? "")"
    }

    @Test(arguments: golden) func goldenFilesReadAsKnown(_ path: String) throws {
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        let gold = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let todos = try #require(gold["todos"] as? [[String: Any]])
        let folder = try #require(Shared.folder)
        let file = try #require(gold["file"] as? String)
        let source = try InputBytes.open("\(folder)/\(Self.corpus)/\(file)")
        let ours = try Todos.all(
            ICalendarTodoReader(input: source, context: ExchangeContext()))
        #expect(ours.count == todos.count)
        for (ours, gold) in zip(ours, todos) {
            for (mine, theirs) in [
                ("uid", "uid"), ("title", "summary"), ("notes", "description"),
                ("status", "status"), ("location", "location"), ("classification", "klass"),
                ("url", "url"),
            ] {
                #expect(Self.text(ours[mine]) == Self.text(gold[theirs]), "\(mine)")
            }
            for name in ["percent", "priority", "sequence"] {
                #expect(ours[name] as? Int == gold[name] as? Int, "\(name)")
            }
            for name in ["start", "due", "completed", "created", "modified", "stamp"] {
                #expect(Self.ourDate(ours[name]) == Self.goldDate(gold[name]), "\(name)")
            }
            #expect(Self.ourDate(ours["recurrenceID"]) == Self.goldDate(gold["recurrence_id"]))
            #expect(ours["categories"] as? [String] ?? [] == gold["categories"] as? [String])
            let relations = (ours["relations"] as? [[String: Any]] ?? []).map {
                "\($0["kind"] ?? "") \($0["uid"] ?? "")"
            }
            let related = (gold["related"] as? [[String: Any]] ?? []).map {
                "\($0["type"] ?? "") \($0["uid"] ?? "")"
            }
            #expect(relations == related)
            let alarms = (ours["components"] as? [String] ?? []).filter {
                $0.hasPrefix("BEGIN:VALARM")
            }
            #expect(alarms.count == gold["alarms"] as? Int)
        }
    }

    @Test func countsAreThoseOfTheManifest() throws {
        guard let folder = Shared.folder else { return print("skipped: no manifest") }
        let manifest = try String(
            contentsOfFile: "\(folder)/\(Self.corpus)/MANIFEST.tsv", encoding: .utf8)
        for row in manifest.split(separator: "\n") where row.hasPrefix("ical/") {
            let columns = row.split(separator: "\t", omittingEmptySubsequences: false)
            guard let match = columns[7].firstMatch(of: /VTODO=(\d+)/) else { continue }
            let source = try InputBytes.open("\(folder)/\(Self.corpus)/\(columns[0])")
            let rows = try Todos.all(
                ICalendarTodoReader(input: source, context: ExchangeContext()))
            #expect(rows.count == Int(match.1), "\(columns[0])")
        }
    }

    // MARK: There and back

    /// The logical lines of the to-dos of a text, sorted within each; `decode` compares texts by
    /// what they say.
    static func todos(_ bytes: [UInt8], decode: Bool) -> [[String]] {
        bytes.withUnsafeBytes { raw in
            var scanner = ContentLineScanner(raw)
            let lines = ContentLines()
            var result: [[String]] = []
            var current: [String]?
            while true {
                lines.begin(at: scanner.pointer(at: 0))
                guard scanner.next(into: lines) else { return result }
                let line = lines[0]
                let name = lines.string(line.name).uppercased()
                let value = lines.string(line.value)
                if name == "BEGIN", value == "VTODO" {
                    current = []
                    continue
                }
                if name == "END", value == "VTODO" {
                    result.append((current ?? []).sorted())
                    current = nil
                    continue
                }
                var parameters = ""
                for j in lines.parameterIndices(line) {
                    let p = lines.parameters[j]
                    parameters += ";" + lines.string(p.name) + "=" + lines.string(p.value)
                }
                let out = RawVector<UInt8>()
                defer { out.destroy() }
                ValueText.unescape(lines.bytes(line.value), .iCalendar, into: out)
                let text = decode ? String(decoding: out.elements, as: UTF8.self) : value
                current?.append(name + parameters + ":" + text)
            }
        }
    }

    /// Files whose lines cannot come back as they are, and what the difference is.
    static let changed: [String: (lost: [String], new: [String])] = [
        "ical4android-empty-priority.ics": (["PRIORITY:"], []),
        "ical4android-utf8.ics": (
            ["DTSTART:20131009T170000T"], ["DTSTART:20131009T170000"]
        ),
        "eds-task-3.ics": (
            ["COMPLETED;=America/New_York:20170221T000000"], ["COMPLETED:20170221T050000Z"]
        ),
        "eds-task-4.ics": (
            ["COMPLETED;TZID=America/New_York:20170221T000000"], ["COMPLETED:20170221T050000Z"]
        ),
        "biweekly-vcal-example3.vcs": (["STATUS:NEEDS ACTION"], ["STATUS:NEEDS-ACTION"]),
        "65-completed-without-status.ics": ([], ["PERCENT-COMPLETE:100", "STATUS:COMPLETED"]),
        "63-due-and-start-of-different-type.ics": (
            ["DTSTART;VALUE=DATE:20260201"], ["DTSTART:20260201T000000"]
        ),
    ]

    @Test(arguments: files) func everyPropertyComesBackFromRows(_ path: String) throws {
        let source = try InputBytes.open(path)
        let file = URL(fileURLWithPath: path).lastPathComponent
        let before = Self.todos(Array(source.bytes), decode: true)
        let written = try Todos.rewritten(source)
        let after = Self.todos(Array(written.utf8), decode: true)
        #expect(before.count == after.count)
        var known = Self.changed[file] ?? ([], [])
        // Without the machine's zone files a time stays in its zone.
        let hasZones = Formats.TimeZone.named("America/New_York") != nil
        if file == "eds-task-4.ics", !hasZones { known = ([], []) }
        for (before, all) in zip(before, after) {
            // What a to-do of vCalendar 1.0 lacks is added.
            let after =
                file.hasSuffix(".vcs")
                ? all.filter { !$0.hasPrefix("UID:") && !$0.hasPrefix("DTSTAMP:") } : all
            let lost = before.filter { !after.contains($0) }
            let new = after.filter { !before.contains($0) }
            #expect(lost == known.lost)
            #expect(new == known.new)
            #expect(before.count - lost.count == after.count - new.count)
        }
        // What was written reads as the same rows, ids included.
        let rows = try Todos.all(ICalendarTodoReader(input: source, context: ExchangeContext()))
        let again = try Todos.read(written)
        #expect(rows.map { $0["_id"] as? String } == again.map { $0["_id"] as? String })
        // Writing once more changes nothing.
        #expect(try Todos.rewritten(input(written)) == written)
    }

    /// The names of the property lines of each to-do, in order.
    static func names(_ bytes: [UInt8]) -> [[String]] {
        var result: [[String]] = []
        var depth = 0
        for line in scan(bytes) {
            let name = line.name.uppercased()
            let value = String(decoding: line.value, as: UTF8.self)
            if name == "BEGIN", value == "VTODO" {
                result.append([])
                depth = 1
            } else if depth > 0, name == "BEGIN" {
                depth += 1
            } else if depth > 0, name == "END" {
                depth -= 1
            } else if depth == 1 {
                result[result.count - 1].append(name)
            }
        }
        return result
    }

    @Test(arguments: files) func linesKeepTheirOrderThroughRows(_ path: String) throws {
        let source = try InputBytes.open(path)
        guard Self.changed[URL(fileURLWithPath: path).lastPathComponent] == nil else { return }
        let written = try Todos.rewritten(source)
        let before = Self.names(Array(source.bytes))
        let after = Self.names(Array(written.utf8))
        for (before, after) in zip(before, after) {
            // Recurrence lines are the one kind without a place.
            if before.contains(where: { ["RRULE", "RDATE", "EXDATE"].contains($0) }) { continue }
            #expect(before == after)
        }
    }

    @Test(arguments: files) func theLineConversionKeepsEveryLine(_ path: String) throws {
        // Those of vCalendar 1.0 become lines of 2.0.
        if path.hasSuffix(".vcs") { return }
        let source = try InputBytes.open(path)
        let written = try Todos.converted(source)
        // Lines that other programs would refuse the file for are mended.
        let mended = [
            "eds-task-3.ics", "eds-task-4.ics", "ical4android-empty-priority.ics",
            "ical4android-utf8.ics",
        ]
        if mended.contains(URL(fileURLWithPath: path).lastPathComponent) {
            return #expect(try Todos.converted(input(written)) == written)
        }
        let before = scan(Array(source.bytes))
        var after = scan(Array(written.utf8))
        let isBare = before.first?.value == Array("VTODO".utf8)
        if isBare {
            after = Array(after.dropFirst(3).dropLast())
        }
        // Definitions of zones that the file does not define stand before the end.
        let end = isBare ? after.count : after.count - 1
        if after.count > before.count {
            after.removeSubrange((end - after.count + before.count)..<end)
        }
        #expect(before == after)
        for line in written.utf8.split(separator: 10, omittingEmptySubsequences: false) {
            #expect(line.count <= 76)
        }
    }
}
