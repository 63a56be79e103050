// Runs the built command as a user would, in a folder of its own.

import Foundation
import TestSupport

/// What a run of the command gave.
struct Outcome {
    /// Minus the number of the signal that ended it.
    var exitCode: Int32
    var output: String
    var errors: String
}

/// A fresh folder, and the command run in it.
final class Workplace {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("rtool-test-\(ProcessInfo.processInfo.globallyUniqueString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The command beside the test bundle.
    static let tool: URL = {
        var folder = Bundle.main.bundleURL
        for _ in 0..<4 {
            let candidate = folder.appendingPathComponent("rtool")
            if FileManager.default.isExecutableFile(atPath: candidate.path),
                (try? candidate.resourceValues(forKeys: [.isDirectoryKey]))?.isDirectory != true
            {
                return candidate
            }
            folder.deleteLastPathComponent()
        }
        return root.appendingPathComponent(".build/debug/rtool")
    }()

    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    static func sample(_ name: String) -> String {
        root.appendingPathComponent("samples/\(name)").path
    }

    func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: folder.appendingPathComponent(name))
    }

    func bytes(_ name: String) throws -> Data {
        try Data(contentsOf: folder.appendingPathComponent(name))
    }

    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    func run(_ words: String..., input: String? = nil) throws -> Outcome {
        try run(words, input: input)
    }

    func run(
        _ words: [String], environment: [String: String] = [:], input: String? = nil
    ) throws -> Outcome {
        let run = try ChildProcess(
            Self.tool.path, words, in: folder.path, environment: environment,
            input: input.map { Data($0.utf8) })
        return Outcome(exitCode: run.exitCode, output: run.output, errors: run.errors)
    }
}
