// Where produced bytes go: a buffered descriptor, with the file writer (beside, flush, rename)
// behind it. Only this room creates, syncs, renames or removes files.

/// A buffered output of bytes.
public class ByteSink {
    /// Pending bytes; append here directly from hot loops, then call `flushIfFull()`.
    public let buffer: RawVector<UInt8>
    /// Bytes handed on so far, without the pending ones.
    public private(set) var flushed = 0
    /// What messages call the output.
    public let name: String

    let descriptor: Int32
    private let closes: Bool
    private static let limit = 1 << 18

    init(name: String, descriptor: Int32, closes: Bool = true) {
        self.name = name
        self.descriptor = descriptor
        self.closes = closes
        buffer = RawVector(capacity: ByteSink.limit + 4096)
    }

    deinit {
        buffer.destroy()
        if closes { System.close(descriptor) }
    }

    /// The standard output.
    public static func standardOutput() -> ByteSink {
        ByteSink(name: "-", descriptor: 1, closes: false)
    }

    /// An output by its path: a file that appears when it is whole, or the device, pipe or socket
    /// that stands there, which is written to as it is.
    /// - Throws: `exists`, `cannotCreate`.
    public static func output(to path: String, force: Bool) throws(FormatError) -> ByteSink {
        guard let there = System.status(path: path), !there.isRegular, !there.isDirectory else {
            return try OutputFile.create(path, force: force)
        }
        let descriptor = System.openForWriting(path)
        guard descriptor >= 0 else {
            throw FormatError(
                .cannotCreate, "cannot write here: \(System.describe(System.lastError))",
                file: path)
        }
        return ByteSink(name: path, descriptor: descriptor)
    }

    /// Bytes written so far, pending ones included.
    public var position: Int { flushed + buffer.count }

    /// Hands the pending bytes on when enough have gathered.
    /// - Throws: `diskFull`, `writeFailed`, `interrupted` when the reader of a pipe has closed it.
    @inline(__always)
    public func flushIfFull() throws(FormatError) {
        if buffer.count >= ByteSink.limit { try flush() }
    }

    /// Hands all pending bytes on.
    public func flush() throws(FormatError) {
        var done = 0
        while done < buffer.count {
            let n = System.write(descriptor, buffer.base + done, buffer.count - done)
            if n <= 0 { throw ByteSink.writeFailed(name) }
            done += n
        }
        flushed += done
        buffer.removeAll()
    }

    /// Counts pending bytes as handed on.
    func forget(_ count: Int) {
        flushed += count
        buffer.removeAll()
    }

    /// Appends raw bytes.
    public func write(_ bytes: UnsafeRawBufferPointer) throws(FormatError) {
        buffer.append(bytes: bytes)
        try flushIfFull()
    }

    /// Appends text.
    public func write(_ text: String) throws(FormatError) {
        buffer.append(text)
        try flushIfFull()
    }

    /// Ends the output.
    public func finish() throws(FormatError) { try flush() }

    /// The error for a failed write, by the system's last error number.
    static func writeFailed(_ name: String) -> FormatError {
        let number = System.lastError
        if number == System.Number.brokenPipe {
            return FormatError(.interrupted, "the reader has closed the pipe", file: name)
        }
        let full =
            number == System.Number.noSpace || number == System.Number.quota
            || number == System.Number.tooBig
        return FormatError(
            full ? .diskFull : .writeFailed, "writing failed: \(System.describe(number))",
            file: name, fix: full ? "free some room, or name another folder" : nil)
    }
}

/// Changes bytes on their way into a file, and decides where they go: encryption, for one.
package protocol OutputStage: AnyObject {
    /// Writes bytes at a position of the file.
    typealias Write = (UnsafeRawBufferPointer, Int) throws(FormatError) -> Void
    /// Takes the next bytes.
    func take(_ bytes: UnsafeRawBufferPointer, _ write: Write) throws(FormatError)
    /// Changes bytes that were taken before.
    func overwrite(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FormatError)
    /// Writes what was kept back.
    func finish(_ write: Write) throws(FormatError)
}

/// A file that appears under its name only when it is whole.
///
/// It is written beside the target (without a name where the system can, else under a temporary
/// one), flushed, and then takes the target's name in one step. Dropped without `finish()`, it
/// leaves nothing behind.
public final class OutputFile: ByteSink {
    /// The final path.
    public let path: String
    private let force: Bool
    private var temporary: String?
    private var isFinished = false
    private var permissions: UInt32?
    /// What the bytes go through; set before the first of them.
    package var stage: (any OutputStage)?
    /// Called with the whole file while it is flushed to the medium, which needs no processor;
    /// changes nothing, and throws to leave nothing behind.
    package var whileFlushing: ((InputBytes) throws(FormatError) -> Void)?
    /// Called with the whole, flushed file before it takes its name; throws to leave nothing
    /// behind.
    package var beforeNaming: (() throws(FormatError) -> Void)?

    private init(path: String, force: Bool, descriptor: Int32, temporary: String?) {
        self.path = path
        self.force = force
        self.temporary = temporary
        super.init(name: path, descriptor: descriptor)
        // Held as long as the file is written: what is left without a holder was left behind.
        _ = System.lock(descriptor, exclusive: true)
        if let temporary { System.removeOnSignal(temporary) }
    }

    deinit {
        if let temporary {
            if !isFinished { System.remove(temporary) }
            System.keepOnSignal(temporary)
        }
    }

    /// The folder a path stands in.
    package static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Begins a file.
    /// - Parameters:
    ///   - path: the final path; an existing file needs `force`, a folder is refused.
    ///   - unnamed: false to use a temporary name even where files without a name exist.
    /// - Throws: `exists`, `cannotCreate`.
    public static func create(_ path: String, force: Bool, unnamed: Bool = true)
        throws(FormatError) -> OutputFile
    {
        // A symbolic link stays what it is; the file it leads to is replaced.
        let path = System.target(of: path)
        let there = System.status(path: path)
        if let there {
            if !there.isRegular, !there.isDirectory {
                throw FormatError(
                    .cannotCreate, "a device or pipe cannot become such a file", file: path,
                    fix: "name a file")
            }
            if there.isDirectory {
                throw FormatError(
                    .cannotCreate, "the output is a folder", file: path,
                    fix: "name a file in it")
            }
            if !force {
                throw FormatError(
                    .exists, "the output exists already", file: path,
                    fix: "name another file, or pass --force to replace it")
            }
        }
        if there != nil { Leftovers.remove(for: path) }
        let permissions = there?.permissions ?? 0o644
        let folder = folder(of: path)
        if unnamed {
            let descriptor = System.createUnnamed(inFolder: folder, permissions: permissions)
            if descriptor >= 0 {
                let file = OutputFile(
                    path: path, force: force, descriptor: descriptor, temporary: nil)
                file.permissions = there?.permissions
                return file
            }
        }
        if there == nil { Leftovers.remove(for: path) }
        for attempt in 0..<100 {
            let temporary = temporaryName(for: path, attempt)
            let descriptor = System.createExclusively(temporary, permissions: permissions)
            if descriptor >= 0 {
                let file = OutputFile(
                    path: path, force: force, descriptor: descriptor, temporary: temporary)
                file.permissions = there?.permissions
                return file
            }
            if System.lastError != System.Number.exists { break }
        }
        throw FormatError(
            .cannotCreate, "cannot create a file here: \(System.describe(System.lastError))",
            file: path, fix: "name a folder that exists and may be written to")
    }

    private static func temporaryName(for path: String, _ attempt: Int) -> String {
        folder(of: path) + "/"
            + Leftovers.name(for: path, process: System.processID, attempt: attempt)
    }

    /// Hands all pending bytes on.
    public override func flush() throws(FormatError) {
        guard let stage else { return try super.flush() }
        let pending = UnsafeRawBufferPointer(buffer.elements)
        try stage.take(pending) { (bytes, offset) throws(FormatError) in
            try self.put(bytes, at: offset)
        }
        forget(pending.count)
    }

    /// Overwrites bytes at an earlier position, once they have been flushed.
    public func overwrite(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FormatError) {
        if let stage { return try stage.overwrite(bytes, at: offset) }
        try put(bytes, at: offset)
    }

    private func put(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FormatError) {
        guard let base = bytes.baseAddress else { return }
        var done = 0
        while done < bytes.count {
            let n = System.pwrite(descriptor, base + done, bytes.count - done, at: offset + done)
            if n <= 0 { throw ByteSink.writeFailed(name) }
            done += n
        }
    }

    /// Lets the end of the file be read back before it takes its name.
    package func read(_ to: UnsafeMutableRawBufferPointer, at offset: Int) throws(FormatError) {
        guard let base = to.baseAddress else { return }
        var done = 0
        while done < to.count {
            let n = System.pread(descriptor, base + done, to.count - done, at: offset + done)
            if n <= 0 {
                throw FormatError(
                    .readFailed, "reading back failed: \(System.describe(System.lastError))",
                    file: name, offset: offset + done)
            }
            done += n
        }
    }

    /// Flushes the file to the medium and gives it its name.
    /// - Throws: `diskFull`, `writeFailed`, `exists` when somebody else made the file meanwhile.
    public override func finish() throws(FormatError) {
        try flush()
        if let stage {
            try stage.finish { (bytes, offset) throws(FormatError) in
                try self.put(bytes, at: offset)
            }
        }
        if let permissions { _ = System.setPermissions(descriptor, permissions) }
        try flushToMedium()
        try beforeNaming?()
        if temporary == nil {
            if !force {
                guard System.link(descriptor: descriptor, to: path) else { throw nameTaken() }
                return try settle()
            }
            for attempt in 0..<100 {
                let name = OutputFile.temporaryName(for: path, attempt)
                if System.link(descriptor: descriptor, to: name) {
                    temporary = name
                    System.removeOnSignal(name)
                    break
                }
                if System.lastError != System.Number.exists { throw nameTaken() }
            }
        }
        guard let temporary else { throw nameTaken() }
        if !force, System.status(path: path) != nil { throw nameTaken(exists: true) }
        guard System.move(temporary, to: path) else { throw ByteSink.writeFailed(name) }
        try settle()
    }

    private func flushToMedium() throws(FormatError) {
        guard let whileFlushing else {
            guard System.flush(descriptor) else { throw ByteSink.writeFailed(name) }
            return
        }
        let input = try InputBytes.written(descriptor, name: path)
        let (descriptor, name) = (descriptor, name)
        // The second thread knows the descriptor only; each writes one of the two.
        nonisolated(unsafe) let look = { () throws(FormatError) in try whileFlushing(input) }
        nonisolated(unsafe) var flushing: FormatError?
        nonisolated(unsafe) var looking: FormatError?
        System.inParallel(2) { number in
            if number == 1 {
                if !System.flush(descriptor) { flushing = ByteSink.writeFailed(name) }
                return
            }
            do throws(FormatError) { try look() } catch { looking = error }
        }
        if let error = flushing ?? looking { throw error }
    }

    private func settle() throws(FormatError) {
        isFinished = true
        let folder = System.openForReading(OutputFile.folder(of: path))
        if folder >= 0 {
            _ = System.flush(folder)
            System.close(folder)
        }
    }

    private func nameTaken(exists: Bool = false) -> FormatError {
        if exists || System.lastError == System.Number.exists {
            return FormatError(
                .exists, "the output was created by somebody else meanwhile", file: path,
                fix: "name another file, or pass --force to replace it")
        }
        return FormatError(
            .cannotCreate, "cannot give the file its name: \(System.describe(System.lastError))",
            file: path)
    }
}
