// An input as one run of bytes: a mapped file, a small file read whole, or a stream that was
// read into memory (or, when large, into a file without a name). Readers index it freely.

/// The bytes of one input, valid as long as the object lives.
public final class InputBytes: @unchecked Sendable {
    /// What messages call the input: its path, or `-`.
    public let name: String
    /// The bytes.
    public let bytes: UnsafeRawBufferPointer

    private enum Owner {
        case mapping, allocation, none
    }
    private let owner: Owner

    /// Files up to this size are read into memory, larger ones are mapped.
    ///
    /// A file that another process shortens while it is mapped kills the reader, so the limit is
    /// generous.
    package static let readLimit = 8 << 20

    private init(name: String, bytes: UnsafeRawBufferPointer, owner: Owner) {
        self.name = name
        self.bytes = bytes
        self.owner = owner
    }

    deinit {
        switch owner {
        case .mapping: System.unmap(bytes)
        case .allocation: bytes.deallocate()
        case .none: break
        }
    }

    /// An input over bytes in memory (copied).
    public convenience init(name: String, copying source: UnsafeRawBufferPointer) {
        let memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(source.count, 1), alignment: 16)
        memory.copyMemory(from: source)
        self.init(
            name: name,
            bytes: UnsafeRawBufferPointer(
                rebasing: UnsafeRawBufferPointer(memory)[..<source.count]),
            owner: .allocation)
    }

    /// An input over memory that was filled for it, and is freed with it.
    convenience init(name: String, adopting memory: UnsafeMutableRawBufferPointer) {
        self.init(name: name, bytes: UnsafeRawBufferPointer(memory), owner: .allocation)
    }

    /// Opens a path, or standard input for `-`.
    /// - Parameter copy: read the whole file into memory even when it is large.
    /// - Throws: `cannotOpen`, `isFolder`, `readFailed`.
    public static func open(_ path: String, copy: Bool = false) throws(FormatError) -> InputBytes {
        if path == "-" { return try read(stream: 0, name: "-") }
        let descriptor = System.openForReading(path)
        guard descriptor >= 0 else { throw cannotOpen(path) }
        defer { System.close(descriptor) }
        guard let status = System.status(descriptor: descriptor) else { throw cannotOpen(path) }
        if status.isDirectory {
            throw FormatError(
                .isFolder, "this is a folder, not a file", file: path, fix: "name a file in it")
        }
        guard status.isRegular else { return try read(stream: descriptor, name: path) }
        if !copy, status.size > readLimit, let mapped = System.map(descriptor, status.size) {
            return InputBytes(name: path, bytes: mapped, owner: .mapping)
        }
        return try read(descriptor, count: status.size, name: path)
    }

    /// The bytes of a file that is being written and has no name yet.
    package static func written(_ descriptor: Int32, name: String) throws(FormatError)
        -> InputBytes
    {
        guard let status = System.status(descriptor: descriptor), status.size > 0,
            let mapped = System.map(descriptor, status.size)
        else { throw readFailed(name, 0) }
        return InputBytes(name: name, bytes: mapped, owner: .mapping)
    }

    private static func cannotOpen(_ path: String) -> FormatError {
        let number = System.lastError
        return FormatError(
            .cannotOpen, "cannot open: \(System.describe(number))", file: path,
            fix: number == System.Number.noSuchFile
                ? "check the name; nothing of that name is there" : nil)
    }

    private static func readFailed(_ name: String, _ offset: Int) -> FormatError {
        FormatError(
            .readFailed, "reading failed: \(System.describe(System.lastError))", file: name,
            offset: offset)
    }

    /// Reads `count` bytes, or fewer when the file turns out shorter.
    private static func read(_ descriptor: Int32, count: Int, name: String) throws(FormatError)
        -> InputBytes
    {
        let memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(count, 1), alignment: 16)
        var done = 0
        while done < count {
            guard let at = memory.baseAddress else { break }
            let n = System.pread(descriptor, at + done, count - done, at: done)
            if n < 0 {
                memory.deallocate()
                throw readFailed(name, done)
            }
            if n == 0 { break }
            done += n
        }
        return InputBytes(
            name: name,
            bytes: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(memory)[..<done]),
            owner: .allocation)
    }

    /// Reads a stream to its end: up to 64 MiB in memory, more through a file without a name.
    private static func read(stream: Int32, name: String) throws(FormatError) -> InputBytes {
        if let status = System.status(descriptor: stream), status.isRegular,
            status.size > readLimit, let mapped = System.map(stream, status.size)
        {
            return InputBytes(name: name, bytes: mapped, owner: .mapping)
        }
        let chunk = 1 << 20
        let memory = RawVector<UInt8>(capacity: chunk)
        defer { memory.destroy() }
        var spool: Int32 = -1
        var spooled = 0
        defer { if spool >= 0 { System.close(spool) } }
        while true {
            memory.reserve(adding: chunk)
            let n = System.read(stream, memory.base + memory.count, chunk)
            if n < 0 { throw readFailed(name, spooled + memory.count) }
            if n == 0 { break }
            _ = memory.extend(n)
            if memory.count >= 64 << 20 {
                if spool < 0 {
                    spool = System.createUnnamed(
                        inFolder: System.environment("TMPDIR") ?? "/tmp", permissions: 0o600)
                }
                if spool >= 0 {
                    var done = 0
                    while done < memory.count {
                        let w = System.write(spool, memory.base + done, memory.count - done)
                        if w <= 0 {
                            throw FormatError(
                                System.lastError == System.Number.noSpace
                                    ? .diskFull : .writeFailed,
                                "cannot keep the stream in a temporary file: "
                                    + System.describe(System.lastError), file: name,
                                fix: "set TMPDIR to a folder with room")
                        }
                        done += w
                    }
                    spooled += memory.count
                    memory.removeAll()
                }
            }
        }
        if spool >= 0 {
            var done = 0
            while done < memory.count {
                let w = System.write(spool, memory.base + done, memory.count - done)
                if w <= 0 { throw readFailed(name, spooled) }
                done += w
            }
            spooled += memory.count
            if let mapped = System.map(spool, spooled) {
                return InputBytes(name: name, bytes: mapped, owner: .mapping)
            }
            throw readFailed(name, spooled)
        }
        return InputBytes(
            name: name, copying: UnsafeRawBufferPointer(memory.elements))
    }

    /// Up to where pages were handed back.
    private var released = 0
    private static let window = 8 << 20

    /// Says that reading went past an offset: the pages of a mapped file before it are handed
    /// back now and then, so that memory stays flat however large the file is. The bytes stay
    /// valid. For one reader at a time.
    package func release(before offset: Int) {
        guard owner == .mapping else { return }
        if offset < released { released = 0 }
        guard offset &- released >= InputBytes.window else { return }
        let end = min(offset, bytes.count) & ~0xFFFF
        System.release(UnsafeRawBufferPointer(rebasing: bytes[released..<end]))
        released = end
    }

    /// Hands all pages of a mapped file back, for readers that go to and fro in it.
    package func releaseAll() {
        if owner == .mapping { System.release(bytes) }
    }

    /// Where the bytes stop being UTF-8; nil when they all are.
    package func firstInvalidUTF8() -> Int? {
        var start = 0
        while start < bytes.count {
            var end = min(start &+ InputBytes.window, bytes.count)
            // A window ends between two characters.
            var back = 0
            while end < bytes.count, back < 3, bytes[end] & 0xC0 == 0x80 {
                end &-= 1
                back &+= 1
            }
            let part = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
            if let bad = UTF8Check.firstInvalid(part) { return start + bad }
            release(before: end)
            start = end
        }
        return nil
    }

    /// Line and column (from 1, in bytes) of an offset; walks the input, for messages only.
    public func position(of offset: Int) -> (line: Int, column: Int) {
        var line = 1
        var start = 0
        for i in 0..<min(offset, bytes.count) where bytes[i] == 10 {
            line += 1
            start = i + 1
        }
        return (line, offset - start + 1)
    }
}
