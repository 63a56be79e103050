// The currency between card readers and card writers: the lines of one card (or component) as
// flat trivial records of offsets, into the source and into an arena for what had to be decoded.
// Reused from card to card. What a line means is left to the formats.

/// A stretch of bytes of a card: in the source, or in the arena of its `ContentLines`.
public struct TextRange: BitwiseCopyable, Sendable, Equatable {
    @usableFromInline var place: UInt32
    @usableFromInline var length: UInt32

    @inlinable
    init(place: UInt32, length: UInt32) {
        self.place = place
        self.length = length
    }

    /// No bytes.
    public static let empty = TextRange(place: 0, length: 0)

    /// The number of bytes.
    @inlinable public var count: Int { Int(length) }
    /// True without bytes.
    @inlinable public var isEmpty: Bool { length == 0 }
    /// True when the bytes stand in the arena and not in the source.
    @inlinable public var isInArena: Bool { place & 0x8000_0000 != 0 }

    /// A part of the stretch; the bounds are clamped to it.
    public func part(_ from: Int, _ to: Int) -> TextRange {
        let start = min(max(from, 0), count)
        let end = min(max(to, start), count)
        return TextRange(place: place &+ UInt32(start), length: UInt32(end &- start))
    }
}

/// One parameter of a line, as written: a list or a quoted value is one stretch.
public struct ContentParameter: BitwiseCopyable, Sendable {
    /// The name; empty for a bare word (`;HOME`).
    public var name: TextRange
    /// The value as written after the `=`, quotes and commas included; the word itself when bare.
    public var value: TextRange
    /// The `NameKey` of the name, or of a bare word.
    public var key: UInt64
    /// True for a word without `=`.
    public var isBare: Bool
    /// True when the value holds a quote, a caret, a backslash or a byte above 0x7F, so that it
    /// is not its own text.
    public var needsDecoding: Bool
}

/// What is known of a line's text.
public struct ContentLineFlags: OptionSet, BitwiseCopyable, Sendable {
    /// The bits.
    public let rawValue: UInt16
    /// Flags from bits.
    @inlinable
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// A line without a colon: the name is empty, the value the whole line.
    public static let noColon = ContentLineFlags(rawValue: 1)
    /// The value holds a backslash.
    public static let backslash = ContentLineFlags(rawValue: 2)
    /// The value holds bytes above 0x7F.
    public static let highBytes = ContentLineFlags(rawValue: 4)
    /// The group, name or a parameter holds bytes above 0x7F.
    public static let highBytesInHead = ContentLineFlags(rawValue: 8)
    /// The value is (or was, after `decoded`) quoted-printable.
    public static let quotedPrintable = ContentLineFlags(rawValue: 16)
    /// The parameters call the value base64.
    public static let base64 = ContentLineFlags(rawValue: 32)
    /// The line was folded or otherwise continued.
    public static let folded = ContentLineFlags(rawValue: 64)
    /// `BEGIN:…`.
    public static let begin = ContentLineFlags(rawValue: 128)
    /// `END:…`.
    public static let end = ContentLineFlags(rawValue: 256)
    /// The format has replaced a transfer encoding or charset by UTF-8 text.
    public static let decoded = ContentLineFlags(rawValue: 512)
    /// A whole nested card or component: the value is its text, from BEGIN to END.
    public static let nested = ContentLineFlags(rawValue: 1024)
    /// The parameters name a charset.
    public static let charset = ContentLineFlags(rawValue: 2048)
    /// Made of typed fields, not of a text that was kept.
    static let made = ContentLineFlags(rawValue: 4096)
}

/// One line.
public struct ContentLine: BitwiseCopyable, Sendable {
    /// The group before the dot; empty without one.
    public var group = TextRange.empty
    /// The name as written.
    public var name = TextRange.empty
    /// The value: unfolded, otherwise as written unless the flags say `decoded`.
    public var value = TextRange.empty
    /// The physical lines in the source, verbatim with their ends; empty for a line that was made.
    public var raw = TextRange.empty
    /// The `NameKey` of the name.
    public var key: UInt64 = 0
    /// Position of the first parameter in `ContentLines.parameters`.
    public var firstParameter: UInt32 = 0
    /// The number of parameters.
    public var parameterCount: UInt32 = 0
    /// What is known of the text.
    public var flags: ContentLineFlags = []
    /// Free for the format: which property this is.
    public var tag: UInt16 = 0

    /// An empty line.
    public init() {}
}

/// Which rules a card's values follow.
public enum ContentDialect: UInt8, Sendable {
    /// vCard 2.1 and vCalendar 1.0: quoted-printable, bare parameters, few escapes.
    case legacy
    /// vCard 3.0.
    case vCard3
    /// vCard 4.0.
    case vCard4
    /// iCalendar 2.0.
    case iCalendar
}

/// The lines of one card or component, in source order.
///
/// Bytes obtained from it are valid until the next line is read or made, or text is added.
public final class ContentLines {
    /// The lines.
    public let lines: RawVector<ContentLine>
    /// The parameters of all lines.
    public let parameters: RawVector<ContentParameter>
    /// Text that does not stand in the source as it is.
    public let arena: RawVector<UInt8>
    /// Where the source ranges count from; set by `begin`.
    @exclusivity(unchecked) public private(set) var source: UnsafePointer<UInt8>
    /// The rules of the values; a format sets it when it knows.
    @exclusivity(unchecked) public var dialect: ContentDialect = .vCard3
    /// False when the card did not say its version and `dialect` is a guess.
    @exclusivity(unchecked) public var isVersionStated = true
    /// False for lines that were made of something else than a card, which may lack what every
    /// card must have.
    @exclusivity(unchecked) public var isComplete = true
    /// True where some lines are made of typed fields.
    @exclusivity(unchecked) var hasMade = false
    /// Byte offset of the source's start in the input, for messages.
    @exclusivity(unchecked) public var offset = 0
    /// How many bytes of the source the card has; 0 for lines that were made.
    @exclusivity(unchecked) var sourceCount = 0
    /// The record number, from 1, for messages.
    @exclusivity(unchecked) public var record = 0

    private let nothing: UnsafeMutablePointer<UInt8>

    /// The most bytes of source or arena that ranges can reach.
    package static let reach = 0x7FFF_FFF0

    /// No lines.
    public init() {
        lines = RawVector(capacity: 64)
        parameters = RawVector(capacity: 64)
        arena = RawVector(capacity: 4096)
        nothing = .allocate(capacity: 1)
        nothing.initialize(to: 0)
        source = UnsafePointer(nothing)
    }

    deinit {
        lines.destroy()
        parameters.destroy()
        arena.destroy()
        nothing.deallocate()
    }

    /// Drops all lines; source ranges count from `start` from now on (nil: there is no source).
    public func begin(at start: UnsafePointer<UInt8>?, offset: Int = 0) {
        source = start ?? UnsafePointer(nothing)
        self.offset = offset
        lines.removeAll()
        parameters.removeAll()
        arena.removeAll()
        isVersionStated = true
        isComplete = true
        hasMade = false
        sourceCount = 0
    }

    /// The number of lines.
    public var count: Int { lines.count }

    /// A line by position.
    @inlinable
    public subscript(i: Int) -> ContentLine {
        get { lines[i] }
        set { lines[i] = newValue }
    }

    /// The bytes of a range; valid until the next line or text is added.
    @inlinable @inline(__always)
    public func bytes(_ range: TextRange) -> UnsafeRawBufferPointer {
        let start =
            range.isInArena
            ? UnsafePointer(arena.base) + Int(range.place & 0x7FFF_FFFF)
            : source + Int(range.place)
        return UnsafeRawBufferPointer(start: start, count: range.count)
    }

    /// The text of a range; ill-formed UTF-8 is repaired. For messages and tests.
    public func string(_ range: TextRange) -> String {
        String(decoding: bytes(range), as: UTF8.self)
    }

    /// The positions of a line's parameters.
    @inlinable
    public func parameterIndices(_ line: ContentLine) -> Range<Int> {
        Int(line.firstParameter)..<Int(line.firstParameter) &+ Int(line.parameterCount)
    }

    /// The first parameter of a name, by `NameKey`; bare words do not count.
    public func parameter(_ key: UInt64, of line: ContentLine) -> ContentParameter? {
        for i in parameterIndices(line) where parameters[i].key == key && !parameters[i].isBare {
            return parameters[i]
        }
        return nil
    }

    /// The source range between two offsets from the source's start.
    @inlinable @inline(__always)
    package func sourceRange(_ from: Int, _ to: Int) -> TextRange {
        TextRange(
            place: UInt32(truncatingIfNeeded: from), length: UInt32(truncatingIfNeeded: to &- from))
    }

    /// The arena range from `start` to the arena's present end.
    @inlinable @inline(__always)
    package func arenaRange(from start: Int) -> TextRange {
        TextRange(
            place: 0x8000_0000 | UInt32(truncatingIfNeeded: start),
            length: UInt32(truncatingIfNeeded: arena.count &- start))
    }

    // MARK: Making lines

    /// Copies text into the arena.
    public func add(_ text: UnsafeRawBufferPointer) -> TextRange {
        let start = arena.count
        arena.append(bytes: text)
        return arenaRange(from: start)
    }

    /// Copies text into the arena.
    public func add(_ text: String) -> TextRange {
        let start = arena.count
        arena.append(text)
        return arenaRange(from: start)
    }

    /// Copies a range of other lines (or of these) into the arena.
    public func add(_ range: TextRange, of other: ContentLines) -> TextRange {
        if other === self { return range }
        return add(other.bytes(range))
    }

    /// Adds a line that is filled in afterwards; its parameters are those added from now on.
    public func open(name: String, group: TextRange = .empty) {
        var line = ContentLine()
        line.name = add(name)
        line.group = group
        line.key = NameKey.of(bytes(line.name))
        line.firstParameter = UInt32(truncatingIfNeeded: parameters.count)
        line.flags = .decoded
        lines.append(line)
    }

    /// Adds a parameter to the line opened last. The value is given as it is to be written,
    /// quotes included where it needs them; an empty name makes a bare word.
    public func addParameter(_ name: TextRange, _ value: TextRange) {
        guard count > 0 else { return }
        let isBare = name.isEmpty
        parameters.append(
            ContentParameter(
                name: name, value: value, key: NameKey.of(bytes(isBare ? value : name)),
                isBare: isBare, needsDecoding: true))
        lines.base[count - 1].parameterCount &+= 1
    }

    /// Adds a parameter to the line opened last.
    public func addParameter(_ name: String, _ value: String) {
        let name = add(name)
        addParameter(name, add(value))
    }

    /// Sets the value of the line opened last.
    public func close(value: TextRange) {
        guard count > 0 else { return }
        lines.base[count - 1].value = value
    }

    /// Adds a copy of a line of other lines, parameters included.
    public func append(_ i: Int, of other: ContentLines) {
        var line = other.lines[i]
        let indices = other.parameterIndices(line)
        line.group = add(line.group, of: other)
        line.name = add(line.name, of: other)
        line.value = add(line.value, of: other)
        if other !== self { line.raw = .empty }
        line.firstParameter = UInt32(truncatingIfNeeded: parameters.count)
        for j in indices {
            var parameter = other.parameters[j]
            parameter.name = add(parameter.name, of: other)
            parameter.value = add(parameter.value, of: other)
            parameters.append(parameter)
        }
        lines.append(line)
    }

    /// Appends the parameters of a line as they stand, each behind its semicolon.
    func append(parametersOf line: ContentLine, to out: RawVector<UInt8>) {
        for j in parameterIndices(line) {
            let parameter = parameters[j]
            out.append(0x3B)
            if !parameter.isBare {
                out.append(bytes: bytes(parameter.name))
                out.append(0x3D)
            }
            out.append(bytes: bytes(parameter.value))
        }
    }
}
