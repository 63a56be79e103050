// Texts of one record side by side: a text is a place in the arena, and all go when the next record
// begins. What the texts mean is their owner's matter.

/// Where a text stands in an arena.
struct TextPlace: BitwiseCopyable {
    var start = 0
    var count = 0

    /// No text, which is something else than an empty one.
    static let none = TextPlace(start: -1, count: 0)

    var isNone: Bool { start < 0 }
    var isEmpty: Bool { count == 0 }
}

/// The texts of a record, all of them well-formed UTF-8; its owner frees it.
struct TextArena {
    let storage = RawVector<UInt8>(capacity: 1024)

    /// Where the next text begins.
    var end: Int { storage.count }

    /// The bytes of a text, valid until the next one is added.
    @inline(__always)
    func bytes(_ text: TextPlace) -> UnsafeRawBufferPointer {
        text.isEmpty
            ? UnsafeRawBufferPointer(start: nil, count: 0)
            : storage.bytes(from: text.start, to: text.start &+ text.count)
    }

    func string(_ text: TextPlace) -> String { String(decoding: bytes(text), as: UTF8.self) }

    // MARK: Adding

    /// Adds a text from elsewhere.
    /// - Parameter isKnown: the bytes are known to be UTF-8; others are repaired.
    @inline(__always)
    func add(_ bytes: UnsafeRawBufferPointer, isKnown: Bool) -> TextPlace {
        let start = end
        if isKnown || UTF8Check.isValid(bytes) {
            storage.append(few: bytes)
        } else {
            storage.append(String(decoding: bytes, as: UTF8.self))
        }
        return since(start)
    }

    func add(_ text: String) -> TextPlace {
        let start = end
        storage.append(text)
        return since(start)
    }

    /// A value of a column; null is an empty text.
    @inline(__always)
    func add(_ column: Column, _ row: Int) -> TextPlace {
        column.isNull(row) ? TextPlace() : add(column.bytes(row), isKnown: column.isKnownUTF8)
    }

    /// Copies a text of the arena to its end.
    func copy(_ text: TextPlace) {
        guard !text.isEmpty else { return }
        storage.reserve(adding: text.count)
        storage.append(few: bytes(text))
    }

    /// Copies a text behind those before it, with a separator between them.
    func join(_ text: TextPlace, since start: Int, _ separator: StaticString) {
        if text.isEmpty { return }
        if end > start { append(separator) }
        copy(text)
    }

    func append(_ text: StaticString) {
        storage.append(text.utf8Start, count: text.utf8CodeUnitCount)
    }

    /// The text that was put behind what stood there before.
    @inline(__always)
    func since(_ start: Int) -> TextPlace { TextPlace(start: start, count: end &- start) }

    /// The same, where it may be ill-formed.
    func repaired(since start: Int) -> TextPlace {
        let text = since(start)
        if UTF8Check.isValid(bytes(text)) { return text }
        let repaired = string(text)
        storage.truncate(to: start)
        return add(repaired)
    }

    /// Adds a number in at least so many digits.
    func append(_ value: Int, width: Int) {
        var unit = 1
        for _ in 1..<width { unit *= 10 }
        guard value >= 0, value < unit * 10 else {
            let digits = String(value)
            storage.append(repeating: 0x30, count: max(0, width - digits.utf8.count))
            return storage.append(digits)
        }
        var rest = value
        while unit > 0 {
            storage.append(0x30 + UInt8(truncatingIfNeeded: rest / unit))
            rest %= unit
            unit /= 10
        }
    }

    // MARK: Looking

    /// Whether two texts say the same; Unicode has several spellings of some.
    func isSame(_ a: TextPlace, _ b: TextPlace) -> Bool {
        let x = bytes(a), y = bytes(b)
        if ByteNumbers.isSame(x, y) { return true }
        return isASCII(x) && isASCII(y) ? false : string(a) == string(b)
    }

    func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool { bytes.allSatisfy { $0 < 0x80 } }

    /// Whether every word of a text stands in others, too; words end at white space and commas.
    func isTold(_ text: TextPlace, by others: [TextPlace]) -> Bool {
        AddressBookReader.isTold(string(text), by: others.map(string))
    }

    /// The next piece of a text between single bytes; pieces without bytes are passed over.
    /// - Parameter rest: what is left of the text.
    func nextPiece(_ rest: inout TextPlace, _ separator: UInt8) -> TextPlace? {
        let base = storage.base
        while rest.count > 0, base[rest.start] == separator { rest.drop(1) }
        guard rest.count > 0 else { return nil }
        var piece = TextPlace(start: rest.start, count: 0)
        while piece.count < rest.count, base[rest.start + piece.count] != separator {
            piece.count += 1
        }
        rest.drop(min(piece.count + 1, rest.count))
        return piece
    }
}

extension TextPlace {
    /// Leaves out bytes of the beginning.
    mutating func drop(_ n: Int) {
        start += n
        count -= n
    }
}
