// Appends nodes to a store that is written from front to back: the 8-byte header, alignment and
// the 64 MiB sections. What the payload of a node means is the business of the leaf and tree
// builders; where the bytes go is the business of the output file.

/// Appends nodes to a new store. A node's ref is its position in the file.
final class NodeBuilder {
    /// Flag bits of byte 4 of a node's header.
    enum Flag {
        static let inner: UInt8 = 0x80
        static let hasRefs: UInt8 = 0x40
        static let context: UInt8 = 0x20
    }

    /// How the header says the payload is to be measured (bits 4 and 3 of byte 4).
    enum Scheme {
        static let bits: UInt8 = 0
        static let multiply: UInt8 = 1 << 3
        static let ignore: UInt8 = 2 << 3
    }

    /// The largest number of elements a header can hold.
    static let countLimit = 0xFF_FFFF
    /// The engine never lets a node cross a multiple of this.
    static let sectionSize = 1 << 26

    /// A node that was given its place: its ref, and its payload still to be filled.
    struct Place {
        let ref: Int64
        /// Valid until the next node is placed.
        let payload: UnsafeMutablePointer<UInt8>
    }

    /// A run of unused bytes.
    struct Gap {
        var position: Int
        var length: Int
    }

    let output: OutputFile
    /// What the file format has.
    let dialect: WriterDialect
    /// False in the streaming form, which has no free list to put gaps in.
    private let keepsSections: Bool
    /// Where the next byte goes.
    private(set) var position = 0
    /// The runs skipped so that no node crosses a section border.
    private(set) var gaps: [Gap] = []
    /// For composing the elements of one node.
    let scratch = RawVector<Int64>(capacity: 1024)

    init(output: OutputFile, keepsSections: Bool, dialect: WriterDialect = .newest) {
        self.output = output
        self.dialect = dialect
        self.keepsSections = keepsSections
    }

    deinit { scratch.destroy() }

    /// Room for `size` bytes (a multiple of 8, except for the file's own frame), not filled.
    @inline(__always)
    func place(_ size: Int) throws(FormatError) -> UnsafeMutablePointer<UInt8> {
        try output.flushIfFull()
        if keepsSections, (position ^ (position &+ size &- 1)) >= NodeBuilder.sectionSize {
            try skipToNextSection()
        }
        position &+= size
        return output.buffer.extend(size)
    }

    @inline(never)
    private func skipToNextSection() throws(FormatError) {
        let end = (position | (NodeBuilder.sectionSize - 1)) + 1
        if end == position { return }
        gaps.append(Gap(position: position, length: end - position))
        try fill(upTo: end)
    }

    /// Fills with zeros up to a position.
    func fill(upTo end: Int) throws(FormatError) {
        while position < end {
            let part = min(end - position, 1 << 16)
            output.buffer.append(repeating: 0, count: part)
            position += part
            try output.flushIfFull()
        }
    }

    /// Takes over the bytes of another store up to `end`, each at its own position, so that all
    /// references stay right; the gaps between its nodes become zeros and free space.
    /// - Parameter gaps: ascending, and before `end`.
    func carry(_ image: UnsafeRawBufferPointer, gaps: [Gap], end: Int) throws(FormatError) {
        for gap in gaps {
            try copy(image, upTo: gap.position)
            try fill(upTo: gap.position + gap.length)
        }
        try copy(image, upTo: end)
        self.gaps += gaps
    }

    private func copy(_ image: UnsafeRawBufferPointer, upTo end: Int) throws(FormatError) {
        while position < end {
            let part = min(end - position, 1 << 16)
            output.buffer.append(
                bytes: UnsafeRawBufferPointer(rebasing: image[position..<position + part]))
            position += part
            try output.flushIfFull()
        }
    }

    /// Skips to the next section unless `size` more bytes still fit in this one.
    func keepTogether(_ size: Int) throws(FormatError) {
        guard keepsSections, size > 0 else { return }
        if (position ^ (position + size - 1)) >= NodeBuilder.sectionSize {
            try skipToNextSection()
        }
    }

    /// Places a node: its header is written, its payload (and nothing but) is left to the caller.
    /// - Parameters:
    ///   - width: bits or bytes an element, by the scheme.
    ///   - payload: the bytes of the payload before they are rounded up to a multiple of 8.
    /// - Throws: `limitExceeded` when a node would hold more than a header can say.
    @inline(__always)
    func node(flags: UInt8, scheme: UInt8, width: Int, count: Int, payload: Int)
        throws(FormatError) -> Place
    {
        if count > NodeBuilder.countLimit || payload > NodeBuilder.sectionSize - 8 {
            throw NodeBuilder.tooLarge(count)
        }
        let padded = (payload &+ 7) & ~7
        let start = try place(8 &+ padded)
        let code = width == 0 ? 0 : UInt8(truncatingIfNeeded: width.trailingZeroBitCount &+ 1)
        let kind = UInt64(flags | scheme | code)
        let size = UInt64(UInt32(truncatingIfNeeded: count).byteSwapped >> 8)
        let header = 0x4141_4141 | kind << 32 | size << 40
        let raw = UnsafeMutableRawPointer(start)
        raw.storeBytes(of: header.littleEndian, as: UInt64.self)
        // The bytes between payload and node end are undefined in the format; zero keeps files
        // equal for equal input.
        if padded > 0 { raw.storeBytes(of: 0, toByteOffset: padded, as: UInt64.self) }
        return Place(ref: Int64(position &- 8 &- padded), payload: start + 8)
    }

    @inline(never)
    private static func tooLarge(_ count: Int) -> FormatError {
        FormatError(
            .limitExceeded,
            "a node of \(count) elements is larger than the format allows (16,777,215)")
    }

    /// A node of bytes.
    func blob(_ bytes: UnsafePointer<UInt8>, count: Int, terminated: Bool) throws(FormatError)
        -> Int64
    {
        let whole = count &+ (terminated ? 1 : 0)
        let place = try node(
            flags: 0, scheme: Scheme.ignore, width: whole == 0 ? 0 : 1, count: whole,
            payload: whole)
        place.payload.update(from: bytes, count: count)
        if terminated { place.payload[count] = 0 }
        return place.ref
    }
}

/// Refs and numbers share the elements of a node: numbers are made odd.
@inline(__always)
func tagged(_ value: Int64) -> Int64 {
    Int64(truncatingIfNeeded: UInt64(bitPattern: value) << 1 | 1)
}
