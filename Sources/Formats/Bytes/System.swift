// The one place, with `System+Threads`, that names the operating system's C library. Everything
// else in the house calls these wrappers, so that the differences between Linux and macOS stand
// here.

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Thin wrappers over the system calls the house uses; results are checked by the callers.
package enum System {
    /// The number of the last failed system call.
    package static var lastError: Int32 { errno }

    /// The system's sentence for an error number.
    package static func describe(_ number: Int32) -> String {
        guard let text = strerror(number) else { return "error \(number)" }
        return String(cString: text)
    }

    /// What `stat` says of a path or descriptor.
    package struct FileStatus {
        package var size: Int
        package var isRegular: Bool
        package var isDirectory: Bool
        package var device: UInt64
        package var inode: UInt64
        package var permissions: UInt32
    }

    private static func status(from s: stat) -> FileStatus {
        let kind = s.st_mode & S_IFMT
        return FileStatus(
            size: Int(s.st_size), isRegular: kind == S_IFREG, isDirectory: kind == S_IFDIR,
            device: UInt64(truncatingIfNeeded: s.st_dev), inode: UInt64(s.st_ino),
            permissions: UInt32(s.st_mode) & 0o7777)
    }

    package static func status(path: String) -> FileStatus? {
        var s = stat()
        return stat(path, &s) == 0 ? status(from: s) : nil
    }

    package static func status(descriptor: Int32) -> FileStatus? {
        var s = stat()
        return fstat(descriptor, &s) == 0 ? status(from: s) : nil
    }

    package static func openForReading(_ path: String) -> Int32 {
        retrying { open(path, O_RDONLY | O_CLOEXEC) }
    }

    package static func openForReadingAndWriting(_ path: String, create: Bool) -> Int32 {
        retrying { open(path, O_RDWR | O_CLOEXEC | (create ? O_CREAT : 0), 0o644) }
    }

    package static func openForWriting(_ path: String) -> Int32 {
        retrying { open(path, O_WRONLY | O_CLOEXEC) }
    }

    package static func createExclusively(_ path: String, permissions: UInt32 = 0o644) -> Int32 {
        retrying { open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode_t(permissions)) }
    }

    /// A file without a name in `folder`, or -1 where the system or file system has none.
    package static func createUnnamed(inFolder folder: String, permissions: UInt32 = 0o644) -> Int32
    {
        #if os(Linux)
            // O_TMPFILE = __O_TMPFILE | O_DIRECTORY; the macro is not imported into Swift.
            let unnamed: Int32 = 0o20000000 | O_DIRECTORY
            return retrying { open(folder, O_RDWR | unnamed | O_CLOEXEC, mode_t(permissions)) }
        #else
            return -1
        #endif
    }

    /// Gives an unnamed file a name; fails when the name exists.
    package static func link(descriptor: Int32, to path: String) -> Bool {
        #if os(Linux)
            return linkat(
                AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0
        #else
            return false
        #endif
    }

    @discardableResult
    package static func close(_ descriptor: Int32) -> Int32 {
        #if canImport(Glibc)
            return Glibc.close(descriptor)
        #else
            return Darwin.close(descriptor)
        #endif
    }

    package static func read(_ descriptor: Int32, _ to: UnsafeMutableRawPointer, _ count: Int)
        -> Int
    {
        #if canImport(Glibc)
            return retrying { Glibc.read(descriptor, to, count) }
        #else
            return retrying { Darwin.read(descriptor, to, min(count, 1 << 30)) }
        #endif
    }

    package static func pread(
        _ descriptor: Int32, _ to: UnsafeMutableRawPointer, _ count: Int, at offset: Int
    ) -> Int {
        #if canImport(Glibc)
            return retrying { Glibc.pread(descriptor, to, count, offset) }
        #else
            return retrying { Darwin.pread(descriptor, to, min(count, 1 << 30), off_t(offset)) }
        #endif
    }

    package static func write(_ descriptor: Int32, _ from: UnsafeRawPointer, _ count: Int) -> Int {
        #if canImport(Glibc)
            return retrying { Glibc.write(descriptor, from, count) }
        #else
            return retrying { Darwin.write(descriptor, from, min(count, 1 << 30)) }
        #endif
    }

    package static func pwrite(
        _ descriptor: Int32, _ from: UnsafeRawPointer, _ count: Int, at offset: Int
    ) -> Int {
        #if canImport(Glibc)
            return retrying { Glibc.pwrite(descriptor, from, count, offset) }
        #else
            return retrying { Darwin.pwrite(descriptor, from, min(count, 1 << 30), off_t(offset)) }
        #endif
    }

    /// Flushes a file or folder to the medium.
    package static func flush(_ descriptor: Int32) -> Bool {
        #if canImport(Darwin)
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return true }
        #endif
        return fsync(descriptor) == 0
    }

    package static func truncate(_ descriptor: Int32, to size: Int) -> Bool {
        ftruncate(descriptor, off_t(size)) == 0
    }

    package static func setPermissions(_ descriptor: Int32, _ permissions: UInt32) -> Bool {
        fchmod(descriptor, mode_t(permissions)) == 0
    }

    /// Gives a file a second name; fails when the name exists, and where the file system has no
    /// second names.
    package static func link(_ from: String, to: String) -> Bool {
        #if canImport(Glibc)
            return Glibc.link(from, to) == 0
        #else
            return Darwin.link(from, to) == 0
        #endif
    }

    /// The path without symbolic links, nil when there is nothing.
    package static func realPath(_ path: String) -> String? {
        guard let text = realpath(path, nil) else { return nil }
        defer { free(text) }
        return String(cString: text)
    }

    /// What a symbolic link leads to, there or not; other paths as they are.
    package static func target(of path: String) -> String {
        var target = path
        // As many links as the system itself follows.
        for _ in 0..<40 {
            guard let next = link(at: target) else { return target }
            if let real = realPath(target) { return real }
            let folder = target.lastIndex(of: "/").map { target[...$0] } ?? ""
            target = next.hasPrefix("/") ? next : folder + next
        }
        return path
    }

    /// The text of a symbolic link; nil for what is none.
    private static func link(at path: String) -> String? {
        var text = [UInt8](repeating: 0, count: 4096)
        let count = text.withUnsafeMutableBytes { bytes in
            bytes.withMemoryRebound(to: CChar.self) { chars in
                chars.baseAddress.map { readlink(path, $0, chars.count) } ?? -1
            }
        }
        return count > 0 ? String(decoding: text.prefix(count), as: UTF8.self) : nil
    }

    package static func move(_ from: String, to: String) -> Bool { rename(from, to) == 0 }

    @discardableResult
    package static func remove(_ path: String) -> Bool { unlink(path) == 0 }

    package static func makeFolder(_ path: String) -> Bool { mkdir(path, 0o755) == 0 }

    /// Removes a folder that is empty.
    @discardableResult
    package static func removeFolder(_ path: String) -> Bool { rmdir(path) == 0 }

    package static func canWrite(_ path: String) -> Bool { access(path, W_OK) == 0 }

    /// Maps a whole file for reading; nil when the system refuses.
    package static func map(_ descriptor: Int32, _ count: Int) -> UnsafeRawBufferPointer? {
        guard count > 0, let base = mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0),
            base != MAP_FAILED
        else { return nil }
        return UnsafeRawBufferPointer(start: base, count: count)
    }

    package static func unmap(_ bytes: UnsafeRawBufferPointer) {
        if let base = bytes.baseAddress {
            munmap(UnsafeMutableRawPointer(mutating: base), bytes.count)
        }
    }

    /// Hands the pages of a mapped range back; they are read again when they are touched again.
    package static func release(_ bytes: UnsafeRawBufferPointer) {
        if let base = bytes.baseAddress {
            madvise(UnsafeMutableRawPointer(mutating: base), bytes.count, MADV_DONTNEED)
        }
    }

    /// Tells the system that a mapped range will be read from front to back.
    package static func adviseSequential(_ bytes: UnsafeRawBufferPointer) {
        if let base = bytes.baseAddress {
            madvise(UnsafeMutableRawPointer(mutating: base), bytes.count, MADV_SEQUENTIAL)
        }
    }

    /// Takes (`exclusive`) or shares an advisory lock without waiting; false when it is held.
    package static func lock(_ descriptor: Int32, exclusive: Bool) -> Bool {
        flock(descriptor, (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0
    }

    package static func unlock(_ descriptor: Int32) { _ = flock(descriptor, LOCK_UN) }

    package static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    package static var processID: Int32 { getpid() }

    /// False only when there is no process of a number.
    package static func isAlive(_ process: Int32) -> Bool {
        kill(process, 0) == 0 || errno != ESRCH
    }

    /// True for a regular file, no link to one, that belongs to who runs this.
    package static func isOwnRegularFile(_ path: String) -> Bool {
        var s = stat()
        return lstat(path, &s) == 0 && s.st_mode & S_IFMT == S_IFREG && s.st_uid == geteuid()
    }

    /// The names in a folder that begin with some bytes; empty where it cannot be listed.
    package static func names(inFolder folder: String, beginning prefix: String) -> [String] {
        guard let list = opendir(folder) else { return [] }
        defer { closedir(list) }
        var names: [String] = []
        while let entry = readdir(list) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 1) { start in
                    strncmp(start, prefix, prefix.utf8.count) == 0 ? String(cString: start) : nil
                }
            }
            if let name { names.append(name) }
        }
        return names
    }

    /// Monotonic seconds, for progress and benchmarks.
    package static var seconds: Double {
        var t = timespec()
        clock_gettime(CLOCK_MONOTONIC, &t)
        return Double(t.tv_sec) + Double(t.tv_nsec) / 1e9
    }

    /// Seconds since 1970 of the wall clock.
    package static var wallSeconds: Int64 {
        var t = timespec()
        clock_gettime(CLOCK_REALTIME, &t)
        return Int64(t.tv_sec)
    }

    package static func environment(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        return String(cString: value)
    }

    /// The error numbers the house treats specially.
    package enum Number {
        package static let noSuchFile = ENOENT
        package static let noSpace = ENOSPC
        package static let exists = EEXIST
        package static let brokenPipe = EPIPE
        package static let isFolder = EISDIR
        package static let readOnly = EROFS
        package static let denied = EACCES
        package static let quota = EDQUOT
        package static let wouldBlock = EWOULDBLOCK
        package static let tooBig = EFBIG
    }

    @inline(__always)
    private static func retrying<T: SignedInteger>(_ call: () -> T) -> T {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }
}

// MARK: Memory

extension System {
    /// Gives memory another size, aligned for any type; new memory for nil. Without memory the
    /// process ends, as everywhere in Swift.
    static func reallocate(_ old: UnsafeMutableRawPointer?, _ size: Int) -> UnsafeMutableRawPointer
    {
        guard let fresh = realloc(old, max(size, 1)) else {
            preconditionFailure("out of memory: \(size) bytes")
        }
        return fresh
    }

    /// Frees memory of `reallocate`.
    static func free(_ memory: UnsafeMutableRawPointer) {
        #if canImport(Glibc)
            Glibc.free(memory)
        #else
            Darwin.free(memory)
        #endif
    }
}

/// Finds a byte in memory, nil when absent: the C library's `memchr`, the fastest there is.
@inline(__always)
package func firstIndex(of byte: UInt8, in start: UnsafePointer<UInt8>, count: Int) -> Int? {
    guard let hit = memchr(start, Int32(byte), count) else { return nil }
    return hit - UnsafeMutableRawPointer(mutating: start)
}

/// Compares two byte ranges as unsigned bytes, the shorter first on a tie.
@inline(__always)
package func compareBytes(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
    let shared = min(a.count, b.count)
    if shared > 0, let x = a.baseAddress, let y = b.baseAddress {
        let order = memcmp(x, y, shared)
        if order != 0 { return Int(order) }
    }
    return a.count - b.count
}

/// True when two byte ranges are equal.
@inline(__always)
package func equalBytes(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
    guard a.count == b.count else { return false }
    guard a.count > 0, let x = a.baseAddress, let y = b.baseAddress else { return true }
    return memcmp(x, y, a.count) == 0
}

// MARK: Signals and the end of the process

extension System {
    /// Temporary files that a signal must take along; C strings, because a signal handler may
    /// touch nothing of Swift's.
    nonisolated(unsafe) private static let doomed = {
        let slots = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: 16)
        slots.initialize(repeating: nil, count: 16)
        return slots
    }()

    /// Sets up what a command wants of signals: a closed pipe is an ordinary error, an interrupt
    /// takes temporary files along, and a mapped file that was shortened ends with a message.
    package static func prepareSignals() {
        _ = doomed
        signal(SIGPIPE, SIG_IGN)
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number) { number in
                for i in 0..<16 { if let path = System.doomed[i] { unlink(path) } }
                signal(number, SIG_DFL)
                raise(number)
            }
        }
        signal(SIGBUS) { _ in
            let text: StaticString = """
                error: a file was shortened by another process while it was read
                  fix: try again when nobody writes to it

                """
            _ = System.write(2, UnsafeRawPointer(text.utf8Start), text.utf8CodeUnitCount)
            for i in 0..<16 { if let path = System.doomed[i] { unlink(path) } }
            _exit(74)
        }
    }

    /// Has a file removed should a signal end the process.
    static func removeOnSignal(_ path: String) {
        for i in 0..<16 where doomed[i] == nil {
            doomed[i] = strdup(path)
            return
        }
    }

    /// Takes a file off that list.
    static func keepOnSignal(_ path: String) {
        for i in 0..<16 {
            guard let entry = doomed[i], strcmp(entry, path) == 0 else { continue }
            doomed[i] = nil
            free(entry)
        }
    }

    /// Ends the process.
    package static func exit(_ code: Int32) -> Never {
        #if canImport(Glibc)
            Glibc.exit(code)
        #else
            Darwin.exit(code)
        #endif
    }
}

// MARK: Libraries

extension System {
    /// Opens a library of the system by the first of its names that is there; nil for the
    /// libraries the process has already.
    package static func openLibrary(_ names: [String]?) -> UnsafeMutableRawPointer? {
        guard let names else { return dlopen(nil, RTLD_NOW) }
        for name in names {
            if let library = dlopen(name, RTLD_NOW | RTLD_LOCAL) { return library }
        }
        return nil
    }

    /// The address of a function in a library.
    package static func symbol(_ name: String, in library: UnsafeMutableRawPointer)
        -> UnsafeMutableRawPointer?
    {
        dlsym(library, name)
    }
}
