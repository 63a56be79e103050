// Cards on their way from the reader to whoever asks for them: some at a time, so that handing them
// to another thread costs next to nothing.

/// Cards that were read one after the other, and what was said while they were read.
final class CardRun {
    /// The most cards of a run.
    private static let limit = 64
    /// Bytes of decoded text, lines and parameters that end a run early.
    private static let room = 1 << 20

    /// The cards, the first `count` of which are in use.
    private var slots: [ContentLines] = []
    private(set) var count = 0
    /// What the reader noted and counted.
    let report = Report()
    /// What the reader set aside: bytes of the input, and why.
    var rejects: [(bytes: UnsafeRawBufferPointer, reason: FormatError)] = []
    /// Why there are no more cards; nil at the end of the input.
    private(set) var failure: FormatError?

    /// A card by position.
    subscript(i: Int) -> ContentLines { slots[i] }

    /// Fills the run.
    /// - Returns: false when nothing comes after it.
    func fill(from reader: VCardReader) -> Bool {
        count = 0
        var size = 0
        do throws(FormatError) {
            while count < CardRun.limit, size < CardRun.room {
                if count == slots.count { slots.append(ContentLines()) }
                // A slot that a huge card has passed through would keep its size for good.
                if slots[count].size > CardRun.room { slots[count] = ContentLines() }
                guard try reader.next(into: slots[count]) else { return false }
                size += slots[count].size
                count += 1
            }
            return true
        } catch {
            failure = error
            return false
        }
    }
}

extension ContentLines {
    /// The bytes its vectors hold.
    fileprivate var size: Int {
        lines.count &* MemoryLayout<ContentLine>.stride
            &+ parameters.count &* MemoryLayout<ContentParameter>.stride &+ arena.count
    }
}
