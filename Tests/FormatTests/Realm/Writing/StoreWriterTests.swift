// What the store writer promises: every kind of value, the same bytes for the same rows, and
// clear refusals. The files themselves are judged by independent checkers where those are at hand.

import Foundation
import Testing

@testable import Formats

@Suite struct StoreWriterTests {
    /// Writes a random store and gives its path.
    static func write(
        _ store: RandomStore, to path: String, writer options: StoreWriterOptions = .init()
    ) throws -> Report {
        let output = try OutputFile.create(path, force: true)
        let report = Report()
        let writer = try StoreWriter(
            output: output, schema: store.schema, context: ExchangeContext(report: report),
            options: options)
        try store.forEachBatch { try writer.write($0) }
        try writer.finish()
        return report
    }

    @Test(arguments: [UInt64(1), 2, 3], [1, 256, 700])
    func randomStoresOfAllTypesAreSound(seed: UInt64, rows: Int) throws {
        for givesKeys in [false, true] {
            let store = RandomStore(
                RandomStoreOptions(seed: seed, rows: rows, givesKeys: givesKeys))
            let folder = try Folder()
            let path = folder.path("s.realm")
            _ = try StoreWriterTests.write(store, to: path)
            if let keep = ProcessInfo.processInfo.environment["RTOOL_KEEP"] {
                try? FileManager.default.copyItem(
                    atPath: path, toPath: "\(keep)/random-\(seed)-\(rows)-\(givesKeys).realm")
            }
            try Checker.check(path)
        }
    }
}

/// A folder for one test.
final class Folder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent(
            "formats-\(Foundation.UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appendingPathComponent(name).path }
}

/// The independent checker, where it is at hand.
enum Checker {
    static var tool: String? {
        let shared =
            ProcessInfo.processInfo.environment["RTOOL_SHARED"]
            ?? URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
                "../../../../../shared"
            ).standardized.path
        let path = shared + "/tools/realmread.py"
        return FileManager.default.fileExists(atPath: path) ? path : nil
    }

    static func check(_ path: String) throws {
        guard let tool else {
            print("skipped: no independent checker (set RTOOL_SHARED)")
            return
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", tool, path, "--check", "--quiet"]
        let pipe = Pipe()
        process.standardError = pipe
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let text = String(decoding: data, as: UTF8.self)
        #expect(process.terminationStatus == 0, "\(path): \(text.suffix(600))")
        #expect(!text.contains("unaccounted"), "\(text)")
    }
}
