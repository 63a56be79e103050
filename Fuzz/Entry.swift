// The door libFuzzer knocks at: one program for all targets, chosen by RTOOL_FUZZ_TARGET. What a
// target does with the bytes is left to Targets.swift and the files beside it.

@testable import Formats

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The value of an environment variable.
func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

/// Writes a line to the standard error.
func say(_ message: String) {
    var text = Array("\(message)\n".utf8)
    _ = write(2, &text, text.count)
}

/// A finding: says what is wrong and ends the run, so that the fuzzer keeps the input.
func finding(_ message: String) -> Never {
    say("FINDING: \(message)")
    abort()
}

nonisolated(unsafe) private let run: (UnsafeRawBufferPointer) -> Void = {
    let name = environment("RTOOL_FUZZ_TARGET") ?? "vcard"
    guard let target = targets[name] else {
        finding("no target \(name); there are \(targets.keys.sorted().joined(separator: " "))")
    }
    return target
}()

/// One execution.
@c(LLVMFuzzerTestOneInput)
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let start, count > 0 else { return 0 }
    run(UnsafeRawBufferPointer(start: start, count: count))
    return 0
}
