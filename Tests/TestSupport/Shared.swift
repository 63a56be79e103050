// The data handed to the project, which is not part of the repository: tests that want it look for
// it here and say so when it is not there.

import Foundation

/// The data handed to the project.
package enum Shared {
    /// The folder: RTOOL_SHARED, else `shared` beside the checkout; nil when it is absent.
    package static let folder: String? = {
        if let path = ProcessInfo.processInfo.environment["RTOOL_SHARED"] { return path }
        var url = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { url.deleteLastPathComponent() }
        for _ in 0..<2 {
            let path = url.deletingLastPathComponent().appendingPathComponent("shared").path
            if FileManager.default.fileExists(atPath: path) { return path }
            url.deleteLastPathComponent()
        }
        return nil
    }()

    /// The files of a folder with an ending, sorted; empty with a note when there are none.
    /// - Parameter deep: with those of the folders in it.
    package static func files(_ path: String, _ ending: String, deep: Bool = false) -> [String] {
        guard let folder else {
            print("skipped: no shared data for \(path)")
            return []
        }
        let root = folder + "/" + path
        let names =
            deep
            ? FileManager.default.subpaths(atPath: root)
            : try? FileManager.default.contentsOfDirectory(atPath: root)
        let found = (names ?? []).filter { ("/" + $0).hasSuffix(ending) }.sorted()
        if found.isEmpty { print("skipped: nothing in \(path)") }
        return found.map { root + "/" + $0 }
    }
}
