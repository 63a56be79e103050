// Second names for files that are about to be replaced, and the way back: what in-place work
// needs of the file system beside `OutputFile`. Each step leaves every name whole.

/// Keeps a file under a second name, and puts it back.
package enum KeptFile {
    /// Gives a file a second name, so that it outlives being replaced; a copy where the file
    /// system knows no second names.
    /// - Throws: `exists`, `cannotCreate`, `diskFull`, `writeFailed`.
    package static func keep(_ path: String, as other: String) throws(FormatError) {
        if !System.link(path, to: other) {
            guard System.lastError != System.Number.exists else {
                throw FormatError(
                    .exists, "a file of that name is kept already", file: other,
                    fix: "move it away, or discard it")
            }
            try copy(path, to: other)
        }
        settle(other)
    }

    private static func copy(_ path: String, to other: String) throws(FormatError) {
        let input = try InputBytes.open(path)
        let file = try OutputFile.create(other, force: false)
        var at = 0
        while at < input.bytes.count {
            let end = min(at + (1 << 18), input.bytes.count)
            try file.write(UnsafeRawBufferPointer(rebasing: input.bytes[at..<end]))
            at = end
        }
        try file.finish()
    }

    /// Puts a kept file back under its first name, in one step.
    package static func restore(_ other: String, to path: String) throws(FormatError) {
        guard System.move(other, to: path) else {
            throw FormatError(
                .writeFailed, "cannot rename: \(System.describe(System.lastError))", file: other)
        }
        settle(path)
    }

    /// Removes a name.
    package static func remove(_ path: String) throws(FormatError) {
        guard System.remove(path) || System.lastError == System.Number.noSuchFile else {
            throw FormatError(
                .writeFailed, "cannot remove: \(System.describe(System.lastError))", file: path)
        }
        settle(path)
    }

    /// True when two names are one file.
    package static func areSame(_ path: String, _ other: String) -> Bool {
        guard let a = System.status(path: path), let b = System.status(path: other) else {
            return false
        }
        return a.device == b.device && a.inode == b.inode
    }

    /// True when there is something of that name.
    package static func exists(_ path: String) -> Bool { System.status(path: path) != nil }

    /// The path without symbolic links: what is replaced must be the file, not the link.
    package static func resolved(_ path: String) -> String { System.realPath(path) ?? path }

    /// Flushes the folder, so that the names outlive a power failure.
    private static func settle(_ path: String) {
        let folder = System.openForReading(OutputFile.folder(of: path))
        guard folder >= 0 else { return }
        _ = System.flush(folder)
        System.close(folder)
    }
}

/// The bytes of a file in one number.
package struct FileDigest: Equatable, Sendable {
    /// The size.
    package var size: Int
    /// A SipHash-2-4 of the bytes with a fixed key, 32 hex digits.
    package var hash: String

    /// What was noted before.
    package init(size: Int, hash: String) {
        self.size = size
        self.hash = hash
    }

    /// Reads a file.
    package init(file path: String) throws(FormatError) {
        try self.init(InputBytes.open(path))
    }

    /// Reads what is at hand.
    package init(_ input: InputBytes) {
        var hash = SipHash(key0: 0x6669_6C65, key1: 0, wide: true)
        hash.add(input.bytes)
        let (a, b) = hash.finish128()
        size = input.bytes.count
        self.hash = [a, b].map { part in
            let digits = String(part, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}

/// The digest of a file, read on a thread of its own while others work.
package final class PendingDigest {
    /// Written by the thread alone, and read once it has ended.
    private final class Outcome: @unchecked Sendable {
        var result: Result<FileDigest, FormatError>?

        func read(_ path: String) {
            do throws(FormatError) {
                result = .success(try FileDigest(file: path))
            } catch {
                result = .failure(error)
            }
        }
    }

    private let outcome = Outcome()
    private var thread: System.Thread?

    /// Begins to read a file.
    package init(file path: String) {
        let outcome = outcome
        thread = System.startThread { outcome.read(path) }
        if thread == nil { outcome.read(path) }
    }

    deinit { thread?.join() }

    /// Waits for the digest.
    /// - Throws: what reading throws.
    package func value() throws(FormatError) -> FileDigest {
        thread?.join()
        thread = nil
        guard let result = outcome.result else {
            throw FormatError(.defect, "the bytes were not read")
        }
        return try result.get()
    }
}
