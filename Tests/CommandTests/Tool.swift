// Runs the built command as a user would, in a folder of its own.

import Foundation

/// What a run of the command gave.
struct Outcome {
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
        try run(arguments: words, input: input)
    }

    func run(arguments words: [String], input: String? = nil) throws -> Outcome {
        let process = Process()
        process.executableURL = Self.tool
        process.arguments = words
        process.currentDirectoryURL = folder
        let out = folder.appendingPathComponent(".stdout")
        let err = folder.appendingPathComponent(".stderr")
        for url in [out, err] {
            _ = FileManager.default.createFile(atPath: url.path, contents: nil)
        }
        process.standardOutput = try FileHandle(forWritingTo: out)
        process.standardError = try FileHandle(forWritingTo: err)
        if let input {
            let url = folder.appendingPathComponent(".stdin")
            try Data(input.utf8).write(to: url)
            process.standardInput = try FileHandle(forReadingFrom: url)
        } else {
            process.standardInput = FileHandle.nullDevice
        }
        try process.run()
        process.waitUntilExit()
        defer {
            for name in [".stdout", ".stderr", ".stdin"] {
                try? FileManager.default.removeItem(atPath: path(name))
            }
        }
        return Outcome(
            exitCode: process.terminationStatus,
            output: String(decoding: try Data(contentsOf: out), as: UTF8.self),
            errors: String(decoding: try Data(contentsOf: err), as: UTF8.self))
    }
}
