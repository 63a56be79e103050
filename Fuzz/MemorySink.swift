// An output that stays in memory.

@testable import Formats

/// Keeps all bytes in its buffer and hands none on.
final class MemorySink: ByteSink {
    init() { super.init(name: "memory", descriptor: -1) }

    override func flush() throws(FormatError) {}

    /// Empties it for the next output.
    func clear() -> MemorySink {
        buffer.removeAll()
        return self
    }

    /// What was written.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(buffer.elements) }
    /// What was written, to keep.
    var array: [UInt8] { Array(buffer.elements) }
}
