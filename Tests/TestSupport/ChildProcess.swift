// Runs a program and waits for it. Foundation's Process lists every open file of the tests before
// each start and, on Linux, reads behind that list once some thousand files are open.

package import Foundation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A program that ran to its end.
package struct ChildProcess {
    package var processIdentifier: Int32
    /// The exit code; minus the number of the signal that ended it.
    package var exitCode: Int32
    package var output: String
    package var errors: String

    /// Runs a program and collects what it says.
    /// - Parameters:
    ///   - folder: its working folder, else that of the tests
    ///   - environment: added to that of the tests
    ///   - input: its standard input, else `/dev/null`
    /// - Throws: `POSIXError` when it could not be started.
    package init(
        _ program: String, _ arguments: [String], in folder: String? = nil,
        environment: [String: String] = [:], input: Data? = nil
    ) throws {
        let output = try ScratchFile()
        let errors = try ScratchFile()
        let source = try input.map { try ScratchFile(holding: $0) }
        #if canImport(Darwin)
            var actions: Actions
        #else
            var actions = Actions()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let source {
            posix_spawn_file_actions_adddup2(&actions, source.descriptor, 0)
        } else {
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        }
        posix_spawn_file_actions_adddup2(&actions, output.descriptor, 1)
        posix_spawn_file_actions_adddup2(&actions, errors.descriptor, 2)
        if let folder {
            let refusal = changeFolder?(&actions, folder) ?? ENOSYS
            if refusal != 0 { throw POSIXError(POSIXErrorCode(rawValue: refusal) ?? .EIO) }
        }

        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        var words = ([program] + arguments).map { strdup($0) } + [nil]
        var pairs = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in words + pairs { free(text) } }
        var id: pid_t = 0
        let refusal = posix_spawn(&id, program, &actions, nil, &words, &pairs)
        if refusal != 0 { throw POSIXError(POSIXErrorCode(rawValue: refusal) ?? .EIO) }

        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0 {
            if errno != EINTR { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        }
        let signal = status & 0x7F
        processIdentifier = id
        exitCode = signal == 0 ? (status >> 8) & 0xFF : -signal
        self.output = String(decoding: output.bytes(), as: UTF8.self)
        self.errors = String(decoding: errors.bytes(), as: UTF8.self)
    }
}

#if canImport(Darwin)
    private typealias Actions = posix_spawn_file_actions_t?
#else
    private typealias Actions = posix_spawn_file_actions_t
#endif

private typealias ChangeFolder =
    @convention(c) (
        UnsafeMutablePointer<Actions>, UnsafePointer<CChar>
    ) -> Int32

/// `posix_spawn_file_actions_addchdir_np`, which glibc's headers hide from Swift.
private let changeFolder: ChangeFolder? = {
    let symbol = dlsym(dlopen(nil, RTLD_NOW), "posix_spawn_file_actions_addchdir_np")
    return unsafeBitCast(symbol, to: ChangeFolder?.self)
}()

/// A file without a name, gone with its last descriptor.
private final class ScratchFile {
    let descriptor: Int32

    init(holding data: Data = Data()) throws {
        var name = Array((NSTemporaryDirectory() + "/rtool-test-XXXXXX").utf8CString)
        descriptor = mkstemp(&name)
        if descriptor < 0 { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        unlink(name)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        let written = data.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        if written != data.count { throw POSIXError(.EIO) }
    }

    deinit { close(descriptor) }

    func bytes() -> [UInt8] {
        let size = max(0, Int(lseek(descriptor, 0, SEEK_END)))
        return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            count = max(0, pread(descriptor, buffer.baseAddress, size, 0))
        }
    }
}
