import Foundation

/// Files handed to us beside the repository, for tests that run only where they are.
enum SharedFiles {
    static let root: URL? = {
        if let path = ProcessInfo.processInfo.environment["RTOOL_SHARED"] {
            return URL(fileURLWithPath: path)
        }
        let beside = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("shared")
        return FileManager.default.fileExists(atPath: beside.path) ? beside : nil
    }()

    /// A folder below the handed files; nil (said on the console) where there is none.
    static func folder(_ path: String) -> URL? {
        let url = root?.appendingPathComponent(path)
        if let url, FileManager.default.fileExists(atPath: url.path) { return url }
        print("skipped: \(path) is not here")
        return nil
    }
}
