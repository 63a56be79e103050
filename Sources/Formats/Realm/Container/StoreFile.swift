// Opens the file of a store without leaving a trace: read into memory while another process holds
// it (which may shrink it under a mapping), else mapped when large. Nothing is ever created.

enum StoreFile {
    private static let attempts = 5

    /// Opens a file for reading.
    /// - Throws: `cannotOpen`, `isFolder`, `readFailed`, `changedWhileReading`.
    static func open(_ path: String) throws(FormatError) -> InputBytes {
        guard path != "-", isHeld(path) else { return try InputBytes.open(path) }
        for _ in 0..<attempts {
            let before = fingerprint(path)
            let input = try InputBytes.open(path, copy: true)
            if fingerprint(path) == before { return input }
        }
        throw FormatError(
            .changedWhileReading,
            "another process keeps writing to the store; no copy of one moment could be taken",
            file: path, fix: "close the other program, or try again when it rests")
    }

    /// True when another process has the store open: it holds the lock file beside it.
    ///
    /// An existing lock file is opened, never created; the test locks it for a moment only.
    static func isHeld(_ path: String) -> Bool {
        let name = System.target(of: path) + ".lock"
        var descriptor = System.openForReadingAndWriting(name, create: false)
        if descriptor < 0 { descriptor = System.openForReading(name) }
        guard descriptor >= 0 else { return false }
        defer { System.close(descriptor) }
        if System.lock(descriptor, exclusive: true) {
            System.unlock(descriptor)
            return false
        }
        return System.lastError == System.Number.wouldBlock
    }

    /// What changes with every commit: the header, and the latest version in the lock file.
    private static func fingerprint(_ path: String) -> [UInt8] {
        bytes(of: path, at: 0, StoreHeader.byteCount)
            + bytes(of: System.target(of: path) + ".lock", at: 16, 8)
    }

    private static func bytes(of path: String, at offset: Int, _ count: Int) -> [UInt8] {
        let descriptor = System.openForReading(path)
        guard descriptor >= 0 else { return [] }
        defer { System.close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: count)
        let got = buffer.withUnsafeMutableBytes { memory in
            memory.baseAddress.map { System.pread(descriptor, $0, count, at: offset) } ?? 0
        }
        return Array(buffer.prefix(max(got, 0)))
    }
}
