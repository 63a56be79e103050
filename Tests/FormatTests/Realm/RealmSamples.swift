// Where the stores of the tests come from: written by the real engine, outside the repository.

import Foundation

enum RealmSamples {
    /// The folder of handed stores, nil (and said plainly) where there is none.
    static let folder: URL? = {
        let environment = ProcessInfo.processInfo.environment["RTOOL_SHARED"]
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        let candidates: [String?] = [environment, root.appendingPathComponent("../shared").path]
        for candidate in candidates.compactMap({ $0 }) {
            let folder = URL(fileURLWithPath: candidate).appendingPathComponent("corpus/realm")
            if FileManager.default.fileExists(atPath: folder.path) { return folder }
        }
        print("skipped: no stores to read; set RTOOL_SHARED to the folder that has corpus/realm")
        return nil
    }()

    /// Handed stores of formats 10 to 24 that are not encrypted.
    static let modern: [String] = {
        guard let folder, let paths = FileManager.default.enumerator(atPath: folder.path) else {
            return []
        }
        return paths.compactMap { $0 as? String }.filter { path in
            guard path.hasSuffix(".realm"), !path.contains("encrypted"),
                let first = path.split(separator: "/").first
            else { return false }
            return first == "migration-templates"
                || ["10", "11", "20", "21", "22", "23", "24"].contains(
                    first.split(separator: "-").first ?? "")
        }.sorted()
    }()

    static func path(_ name: String) -> String {
        folder?.appendingPathComponent(name).path ?? name
    }

    static func bytes(_ name: String) -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path(name)) else { return [] }
        return [UInt8](data)
    }
}

/// A small generator whose numbers are the same everywhere.
struct RealmRandom: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
        return z ^ z >> 31
    }
}
