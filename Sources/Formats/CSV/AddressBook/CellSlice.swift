// A piece of a cell: bytes that stand somewhere else, cut and trimmed without copying them.

/// Bytes of a row's text.
struct CellSlice: BitwiseCopyable {
    let start: UnsafeRawPointer?
    let count: Int

    /// No bytes.
    static var empty: CellSlice { CellSlice(start: nil, count: 0) }

    @inline(__always)
    init(start: UnsafeRawPointer?, count: Int) {
        self.start = start
        self.count = count
    }

    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer) {
        self.init(start: bytes.baseAddress, count: bytes.count)
    }

    @inline(__always) var isEmpty: Bool { count == 0 }

    /// Its bytes.
    @inline(__always)
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

    /// Its text, for messages and for what is asked once.
    var string: String { String(decoding: bytes, as: UTF8.self) }

    /// The piece from one place up to another.
    @inline(__always)
    func part(_ from: Int, _ to: Int) -> CellSlice {
        CellSlice(start: start.map { $0 + from }, count: to &- from)
    }

    // MARK: White space

    /// Without the space around it, as `HeaderNames.trim` has it.
    @inline(__always)
    var trimmed: CellSlice {
        guard let start, count > 0 else { return self }
        let first = start.load(as: UInt8.self)
        let last = start.load(fromByteOffset: count &- 1, as: UInt8.self)
        // Nearly always letters or digits stand at both ends.
        if first &- 0x21 < 0x5F, last &- 0x21 < 0x5F { return self }
        return trimmedSlowly
    }

    @inline(never)
    private var trimmedSlowly: CellSlice {
        let bytes = bytes
        var low = 0
        var high = count
        while low < high {
            let width = CellSlice.space(bytes, low, high, takesMark: true)
            if width == 0 { break }
            low += width
        }
        while high > low {
            var at = high - 1
            while at > low, bytes[at] & 0xC0 == 0x80 { at -= 1 }
            guard CellSlice.space(bytes, at, high, takesMark: true) == high - at else { break }
            high = at
        }
        return part(low, high)
    }

    /// How many bytes a character of white space at a place has; 0 for any other character.
    /// - Parameter takesMark: a byte order mark counts as space.
    @inline(__always)
    static func space(
        _ bytes: UnsafeRawBufferPointer, _ at: Int, _ end: Int, takesMark: Bool = false
    ) -> Int {
        let byte = bytes[at]
        if byte < 0x80 { return byte == 0x20 || byte &- 9 < 5 ? 1 : 0 }
        return wideSpace(bytes, at, end, takesMark)
    }

    @inline(never)
    private static func wideSpace(
        _ bytes: UnsafeRawBufferPointer, _ at: Int, _ end: Int, _ takesMark: Bool
    ) -> Int {
        if bytes[at] == 0xC2 {
            return at + 1 < end && (bytes[at + 1] == 0x85 || bytes[at + 1] == 0xA0) ? 2 : 0
        }
        guard at + 2 < end else { return 0 }
        switch (bytes[at], bytes[at + 1], bytes[at + 2]) {
        case (0xE1, 0x9A, 0x80), (0xE2, 0x80, 0x80...0x8A), (0xE2, 0x80, 0xA8...0xA9),
            (0xE2, 0x80, 0xAF), (0xE2, 0x81, 0x9F), (0xE3, 0x80, 0x80):
            return 3
        case (0xEF, 0xBB, 0xBF): return takesMark ? 3 : 0
        default: return 0
        }
    }

    // MARK: Pieces

    /// The place of the next `:::` from one on; nil without any.
    @inline(__always)
    private func triple(from: Int) -> Int? {
        guard let start else { return nil }
        let bytes = start.assumingMemoryBound(to: UInt8.self)
        var at = from
        while count &- at >= 3,
            let hit = firstIndex(of: 0x3A, in: bytes + at, count: count &- at &- 2)
        {
            at &+= hit
            if bytes[at &+ 1] == 0x3A, bytes[at &+ 2] == 0x3A { return at }
            at &+= 1
        }
        return nil
    }

    /// Appends the pieces between `:::`, as Google joins values, trimmed; a text without any is one
    /// piece, as it is.
    /// - Parameter keepsEmpty: pieces that stand beside those of other cells count even when empty.
    /// - Returns: how many pieces there are.
    @inline(__always)
    func split(into pieces: RawVector<CellSlice>, keepsEmpty: Bool) -> Int {
        guard let first = triple(from: 0) else {
            pieces.append(self)
            return 1
        }
        return split(into: pieces, keepsEmpty: keepsEmpty, first)
    }

    @inline(never)
    private func split(into pieces: RawVector<CellSlice>, keepsEmpty: Bool, _ first: Int) -> Int {
        let before = pieces.count
        var from = 0
        var next: Int? = first
        while true {
            let piece = part(from, next ?? count).trimmed
            if keepsEmpty || !piece.isEmpty { pieces.append(piece) }
            guard let at = next else { return pieces.count - before }
            from = at + 3
            next = triple(from: from)
        }
    }

    /// Appends the pieces between bytes of ASCII, without empty ones.
    /// - Returns: how many pieces there are.
    func split(
        into pieces: RawVector<CellSlice>, at isSeparator: (UInt8) -> Bool
    ) -> Int {
        let before = pieces.count
        var from = 0
        for (i, byte) in bytes.enumerated() where isSeparator(byte) {
            if i > from { pieces.append(part(from, i)) }
            from = i + 1
        }
        if count > from { pieces.append(part(from, count)) }
        return pieces.count - before
    }

    // MARK: Texts

    /// Whether it has these very bytes.
    func equals(_ text: StaticString) -> Bool {
        ByteNumbers.isSame(bytes, text)
    }

    /// Whether it begins with these very bytes.
    func starts(with text: StaticString) -> Bool {
        count >= text.utf8CodeUnitCount && part(0, text.utf8CodeUnitCount).equals(text)
    }

    /// The number it says, as `Int` reads it.
    var int: Int? {
        var digits = self
        var isNegative = false
        if let first = bytes.first, first == 0x2B || first == 0x2D {
            isNegative = first == 0x2D
            digits = part(1, count)
        }
        guard !digits.isEmpty else { return nil }
        var value = 0
        for byte in digits.bytes {
            guard byte &- 0x30 < 10 else { return nil }
            let (tens, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            let digit = Int(byte &- 0x30)
            let (sum, isTooMuch) = tens.addingReportingOverflow(isNegative ? -digit : digit)
            if isTooLarge || isTooMuch { return nil }
            value = sum
        }
        return value
    }
}
