@testable import Formats

/// What a closure appends to a byte vector, as text.
func text(_ body: (RawVector<UInt8>) -> Void) -> String {
    let out = RawVector<UInt8>()
    defer { out.destroy() }
    body(out)
    return String(decoding: out.elements, as: UTF8.self)
}

/// Runs a closure over a string's bytes.
func bytes<R>(_ text: String, _ body: (UnsafeRawBufferPointer) -> R) -> R {
    Array(text.utf8).withUnsafeBytes(body)
}

/// A small seeded generator (SplitMix64), so that random tests repeat.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64
    init(_ seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
