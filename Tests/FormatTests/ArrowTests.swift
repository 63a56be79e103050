// The arrows between the rooms (see CONTRIBUTING.md): a room knows only the rooms below it. All
// formats are one module, so the compiler does not hold this; this test does, by names.

import Foundation
import Testing

@Suite("Arrows between rooms") struct ArrowTests {
    /// What each room of Sources/Formats may know besides itself.
    static let allowed: [String: Set<String>] = [
        "Bytes": [],
        "Model": ["Bytes"],
        "Exchange": ["Model", "Bytes"],
        "Query": ["Exchange", "Model", "Bytes"],
        "TimeZones": ["Exchange", "Model", "Bytes"],
        "JSONText": ["Exchange", "Model", "Bytes"],
        "Delimited": ["Exchange", "Model", "Bytes"],
        "ContentLine": ["Exchange", "Model", "Bytes"],
        "Mapping": ["JSONText", "TimeZones", "Exchange", "Model", "Bytes"],
        "SchemaText": ["JSONText", "Exchange", "Model", "Bytes"],
        "JSON": ["JSONText", "Mapping", "SchemaText", "Exchange", "Model", "Bytes"],
        "CSV": ["Delimited", "Mapping", "Exchange", "Model", "Bytes"],
        "VCard": ["ContentLine", "Mapping", "Exchange", "Model", "Bytes"],
        "JCard": ["JSONText", "ContentLine", "Mapping", "Exchange", "Model", "Bytes"],
        "ICalendar": ["ContentLine", "Mapping", "TimeZones", "Exchange", "Model", "Bytes"],
        "GoogleTasks": ["JSONText", "Mapping", "TimeZones", "Exchange", "Model", "Bytes"],
        "MSToDo": ["JSONText", "Mapping", "TimeZones", "Exchange", "Model", "Bytes"],
        "Todoist": ["Delimited", "Mapping", "TimeZones", "Exchange", "Model", "Bytes"],
        "TickTick": ["Delimited", "Mapping", "TimeZones", "Exchange", "Model", "Bytes"],
        "OutlookTasks": ["Delimited", "Mapping", "TimeZones", "Exchange", "Model", "Bytes"],
        "TodoTxt": ["Mapping", "TimeZones", "Exchange", "Model", "Bytes"],
        "Realm": ["Exchange", "Model", "Bytes"],
    ]

    /// The room that joins the others together and is known by none of them.
    static let roof = "Conversion"

    static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Sources/Formats")

    struct SourceFile {
        var path: String
        var room: String
        var words: Set<String>
        var declared: Set<String>
    }

    static func files() throws -> [SourceFile] {
        var found: [SourceFile] = []
        let walker = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
        while let url = walker?.nextObject() as? URL {
            guard url.pathExtension == "swift" else { continue }
            let path = url.path.dropFirst(sources.path.count + 1)
            guard let slash = path.firstIndex(of: "/") else { continue }
            let code = try code(of: String(contentsOf: url, encoding: .utf8))
            let declaration =
                /(?:^|\n)(?:(?:public|package|internal|fileprivate|private|final|indirect|@\w+(?:\([^)]*\))?) )*(?:struct|class|enum|protocol|typealias) (\w+)/
            let hidden =
                /(?:^|\n)(?:\w+ )*(?:fileprivate|private) (?:\w+ )*(?:struct|class|enum|protocol|typealias) (\w+)/
            let all = Set(code.matches(of: declaration).map { String($0.1) })
            let secret = Set(code.matches(of: hidden).map { String($0.1) })
            found.append(
                SourceFile(
                    path: String(path), room: String(path[..<slash]),
                    words: Set(code.matches(of: /\b[A-Z]\w+/).map { String($0.0) }),
                    declared: all.subtracting(secret)))
        }
        return found
    }

    /// Swift source without comments and string literals.
    static func code(of text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            var line = String(line)
            line = line.replacing(/"(?:[^"\\]|\\.)*"/, with: "\"\"")
            if let comment = line.range(of: "//") { line = String(line[..<comment.lowerBound]) }
            return line
        }.joined(separator: "\n")
    }

    @Test func aRoomKnowsOnlyTheRoomsBelowIt() throws {
        let files = try Self.files()
        #expect(files.count > 10)
        var homes: [String: Set<String>] = [:]
        for file in files {
            for name in file.declared { homes[name, default: []].insert(file.room) }
        }
        for file in files where file.room != Self.roof {
            let allowed = try #require(
                Self.allowed[file.room], "the room \(file.room) has no line in this table")
            for word in file.words {
                guard let rooms = homes[word], rooms.count == 1, let room = rooms.first,
                    room != file.room
                else { continue }
                #expect(
                    allowed.contains(room), "\(file.path) knows \(word), which lives in \(room)")
            }
        }
    }

    @Test func onlyBytesNamesTheSystemLibrary() throws {
        let walker = FileManager.default.enumerator(
            at: Self.sources.deletingLastPathComponent(), includingPropertiesForKeys: nil)
        while let url = walker?.nextObject() as? URL {
            guard url.pathExtension == "swift", url.lastPathComponent != "System.swift" else {
                continue
            }
            let code = try Self.code(of: String(contentsOf: url, encoding: .utf8))
            #expect(
                code.firstMatch(of: /import (Glibc|Darwin|Musl|Foundation\w*)/) == nil,
                "\(url.path)")
        }
    }

    @Test func formatsNeverPrint() throws {
        for file in try Self.files() where file.words.contains("CommandLine") {
            Issue.record("\(file.path) reads the command line")
        }
    }
}
