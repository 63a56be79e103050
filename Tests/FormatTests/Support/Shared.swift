import Foundation

@testable import Formats

/// The data handed to the project, which is not part of the repository: tests that want it look
/// for it and say so when it is not there.
enum Shared {
    /// The folder, nil when it is absent.
    static let folder: String? = {
        if let path = ProcessInfo.processInfo.environment["RTOOL_SHARED"] { return path }
        var url = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { url.deleteLastPathComponent() }
        for _ in 0..<2 {
            let path = url.deletingLastPathComponent().appendingPathComponent("shared").path
            if FileManager.default.fileExists(atPath: path) { return path }
            url.deleteLastPathComponent()
        }
        return nil
    }()

    /// The files of a folder with an ending, sorted; empty with a note when there are none.
    static func files(_ path: String, _ ending: String) -> [String] {
        guard let folder else {
            print("skipped: no shared data for \(path)")
            return []
        }
        let names =
            (try? FileManager.default.contentsOfDirectory(atPath: folder + "/" + path)) ?? []
        if names.isEmpty { print("skipped: nothing in \(path)") }
        return names.filter { $0.hasSuffix(ending) }.sorted().map { folder + "/" + path + "/" + $0 }
    }
}

/// Bytes as an input.
func cardInput(_ bytes: [UInt8], name: String = "test.vcf") -> InputBytes {
    bytes.withUnsafeBytes { InputBytes(name: name, copying: $0) }
}

/// Text as an input.
func cardInput(_ text: String, name: String = "test.vcf") -> InputBytes {
    cardInput(Array(text.utf8), name: name)
}
