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
        "Mapping": ["JSONText", "ContentLine", "TimeZones", "Exchange", "Model", "Bytes"],
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

    /// All files of Formats, read once.
    static let files: [SourceFile] = {
        var found: [SourceFile] = []
        for (path, code) in codes where path.hasPrefix("Formats/") {
            let inner = path.dropFirst("Formats/".count)
            guard let slash = inner.firstIndex(of: "/") else { continue }
            let (words, declared) = names(in: code)
            found.append(
                SourceFile(
                    path: String(inner), room: String(inner[..<slash]), words: words,
                    declared: declared))
        }
        return found
    }()

    /// The code of every file under Sources, without comments and string literals.
    static let codes: [(path: String, code: [UInt8])] = {
        let root = sources.deletingLastPathComponent()
        var found: [(String, [UInt8])] = []
        let walker = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
        while let url = walker?.nextObject() as? URL {
            guard url.pathExtension == "swift", let data = try? Data(contentsOf: url) else {
                continue
            }
            found.append((String(url.path.dropFirst(root.path.count + 1)), code(of: Array(data))))
        }
        return found
    }()

    /// Swift source without line comments and string literals. Byte by byte: the generated
    /// tables hold lines of many thousand characters.
    static func code(of text: [UInt8]) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(text.count)
        text.withUnsafeBufferPointer { text in
            let quote: UInt8 = 0x22
            let count = text.count
            func isLongQuote(_ i: Int) -> Bool {
                i + 2 < count && text[i] == quote && text[i + 1] == quote && text[i + 2] == quote
            }
            var i = 0
            while i < count {
                if text[i] == quote {
                    let isLong = isLongQuote(i)
                    i += isLong ? 3 : 1
                    while i < count {
                        if isLong ? isLongQuote(i) : (text[i] == quote || text[i] == 0x0A) { break }
                        i += text[i] == 0x5C ? 2 : 1
                    }
                    i += isLong ? 3 : 1
                    out.append(0x20)
                } else if text[i] == 0x2F, i + 1 < count, text[i + 1] == 0x2F {
                    while i < count, text[i] != 0x0A { i += 1 }
                } else {
                    out.append(text[i])
                    i += 1
                }
            }
        }
        return out
    }

    /// The capitalised words of code that it does not declare itself, and the types it declares
    /// at the top level for others.
    static func names(in code: [UInt8]) -> (words: Set<String>, declared: Set<String>) {
        var words: Set<String> = []
        var declared: Set<String> = []
        var own: Set<String> = []
        let kinds: Set<String> = ["struct", "class", "enum", "protocol", "typealias", "actor"]
        for line in code.split(separator: 0x0A) {
            let isTop = line.first.map { $0 != 0x20 } ?? false
            let parts = line.split { byte in
                !(byte == 0x5F || byte &- 48 < 10 || (byte | 32) &- 97 < 26)
            }.map { String(decoding: $0, as: UTF8.self) }
            // What stands behind a dot is a member of something else.
            let paths = line.split { byte in
                !(byte == 0x5F || byte == 0x2E || byte &- 48 < 10 || (byte | 32) &- 97 < 26)
            }
            for path in paths {
                let word = String(decoding: path.prefix { $0 != 0x2E }, as: UTF8.self)
                if word.first?.isUppercase == true { words.insert(word) }
            }
            let isHidden = parts.contains("private") || parts.contains("fileprivate")
            guard let kind = parts.firstIndex(where: { kinds.contains($0) }),
                kind + 1 < parts.count
            else { continue }
            own.insert(parts[kind + 1])
            if isTop, !isHidden { declared.insert(parts[kind + 1]) }
        }
        return (words.subtracting(own), declared)
    }

    @Test func aRoomKnowsOnlyTheRoomsBelowIt() throws {
        let files = Self.files
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

    @Test func onlyBytesNamesTheSystemLibrary() {
        #expect(Self.codes.count > 10)
        for (path, code) in Self.codes where !path.contains("/Bytes/System") {
            for line in code.split(separator: 0x0A) {
                let text = String(decoding: line, as: UTF8.self)
                guard let at = text.range(of: "import ") else { continue }
                let module = text[at.upperBound...]
                for name in ["Glibc", "Darwin", "Musl", "Foundation"] {
                    #expect(!module.hasPrefix(name), "\(path) imports \(name)")
                }
            }
        }
    }

    @Test func formatsNeverReadTheCommandLine() {
        for file in Self.files {
            #expect(!file.words.contains("CommandLine"), "\(file.path) reads the command line")
        }
    }
}
