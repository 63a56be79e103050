// A growable run of trivial values for column data and arenas. Its header lives behind a
// pointer, so that appending from a hot loop costs no exclusivity check and no ARC traffic.
// It does not free itself: the class that owns it calls `destroy()` in its deinit.

/// A growable array of trivial elements, owned and freed by the class that holds it.
///
/// Copies of the struct share the same storage. A pointer taken from `base` is valid until the
/// next append or the owner's end.
public struct RawVector<Element: BitwiseCopyable>: @unchecked Sendable {
    @usableFromInline
    struct Header {
        @usableFromInline var base: UnsafeMutablePointer<Element>
        @usableFromInline var count: Int
        @usableFromInline var capacity: Int
    }

    @usableFromInline let header: UnsafeMutablePointer<Header>

    /// An empty vector with room for `capacity` elements.
    public init(capacity: Int = 8) {
        let room = max(capacity, 1)
        header = .allocate(capacity: 1)
        header.initialize(
            to: Header(base: RawVector.room(nil, room), count: 0, capacity: room))
    }

    /// Frees the storage; only the owner calls this, once.
    public func destroy() {
        System.free(header.pointee.base)
        header.deallocate()
    }

    /// Room for `count` elements, with what stood in the room before.
    private static func room(_ old: UnsafeMutablePointer<Element>?, _ count: Int)
        -> UnsafeMutablePointer<Element>
    {
        let size = count.multipliedReportingOverflow(by: MemoryLayout<Element>.stride)
        precondition(!size.overflow, "more memory than there can be")
        return System.reallocate(old, size.partialValue)
            .bindMemory(to: Element.self, capacity: count)
    }

    /// The number of elements.
    @inlinable
    public var count: Int {
        @inline(__always) get { header.pointee.count }
    }

    /// True without elements.
    @inlinable
    public var isEmpty: Bool {
        @inline(__always) get { header.pointee.count == 0 }
    }

    /// The elements' storage; valid until the next append.
    @inlinable
    public var base: UnsafeMutablePointer<Element> {
        @inline(__always) get { header.pointee.base }
    }

    /// The elements, valid until the next append.
    @inlinable
    public var elements: UnsafeBufferPointer<Element> {
        @inline(__always) get {
            UnsafeBufferPointer(start: header.pointee.base, count: header.pointee.count)
        }
    }

    /// An element by position; checked in debug builds only.
    @inlinable
    public subscript(index: Int) -> Element {
        @inline(__always) get {
            assert(index >= 0 && index < header.pointee.count)
            return header.pointee.base[index]
        }
        @inline(__always) nonmutating set {
            assert(index >= 0 && index < header.pointee.count)
            header.pointee.base[index] = newValue
        }
    }

    /// Makes room for `more` further elements.
    @inlinable @inline(__always)
    public func reserve(adding more: Int) {
        if header.pointee.capacity &- header.pointee.count < more { grow(adding: more) }
    }

    @usableFromInline @inline(never)
    func grow(adding more: Int) {
        let count = header.pointee.count
        let room = max(header.pointee.capacity * 2, count + more, 16)
        // Large rooms are moved by the system without a copy.
        header.pointee.base = RawVector.room(header.pointee.base, room)
        header.pointee.capacity = room
    }

    /// Appends one element.
    @inlinable @inline(__always)
    public func append(_ element: Element) {
        if header.pointee.count == header.pointee.capacity { grow(adding: 1) }
        header.pointee.base[header.pointee.count] = element
        header.pointee.count &+= 1
    }

    /// Appends `count` elements from memory.
    @inlinable @inline(__always)
    public func append(_ from: UnsafePointer<Element>, count: Int) {
        reserve(adding: count)
        (header.pointee.base + header.pointee.count).update(from: from, count: count)
        header.pointee.count &+= count
    }

    /// Appends the elements of a buffer.
    @inlinable
    public func append(contentsOf other: UnsafeBufferPointer<Element>) {
        if let start = other.baseAddress { append(start, count: other.count) }
    }

    /// Appends one value `count` times.
    @inlinable
    public func append(repeating element: Element, count: Int) {
        reserve(adding: count)
        (header.pointee.base + header.pointee.count).update(repeating: element, count: count)
        header.pointee.count &+= count
    }

    /// Adds `count` uninitialised elements and gives their start, to be filled at once.
    @inlinable @inline(__always)
    public func extend(_ count: Int) -> UnsafeMutablePointer<Element> {
        reserve(adding: count)
        let start = header.pointee.base + header.pointee.count
        header.pointee.count &+= count
        return start
    }

    /// Drops all elements from position `count` on; the room is kept.
    @inlinable @inline(__always)
    public func truncate(to count: Int) {
        assert(count <= header.pointee.count)
        header.pointee.count = count
    }

    /// Drops all elements; the room is kept.
    @inlinable
    public func removeAll() { header.pointee.count = 0 }
}

extension RawVector where Element == UInt8 {
    /// Appends raw bytes.
    @inlinable @inline(__always)
    public func append(bytes: UnsafeRawBufferPointer) {
        if let start = bytes.baseAddress, bytes.count > 0 {
            append(start.assumingMemoryBound(to: UInt8.self), count: bytes.count)
        }
    }

    /// Appends bytes that mostly are few: up to 32 of them take no call, two moves that overlap.
    @inline(__always)
    func append(few bytes: UnsafeRawBufferPointer) {
        let n = bytes.count
        guard let from = bytes.baseAddress, n > 0 else { return }
        reserve(adding: n)
        let to = UnsafeMutableRawPointer(base + count)
        @inline(__always)
        func ends<T: BitwiseCopyable>(_ type: T.Type, _ width: Int) {
            let first = from.loadUnaligned(as: type)
            let last = from.loadUnaligned(fromByteOffset: n &- width, as: type)
            to.storeBytes(of: first, as: type)
            to.storeBytes(of: last, toByteOffset: n &- width, as: type)
        }
        if n > 32 {
            to.copyMemory(from: from, byteCount: n)
        } else if n >= 16 {
            ends(SIMD16<UInt8>.self, 16)
        } else if n >= 8 {
            ends(UInt64.self, 8)
        } else if n >= 4 {
            ends(UInt32.self, 4)
        } else {
            if n > 1 { ends(UInt16.self, 2) }
            to.storeBytes(of: from.load(as: UInt8.self), as: UInt8.self)
        }
        _ = extend(n)
    }

    /// Appends a string's UTF-8 bytes.
    public func append(_ text: String) {
        var text = text
        text.withUTF8 { append(bytes: UnsafeRawBufferPointer($0)) }
    }

    /// The bytes from `start` up to `end`, valid until the next append.
    @inlinable @inline(__always)
    public func bytes(from start: Int, to end: Int) -> UnsafeRawBufferPointer {
        assert(start >= 0 && start <= end && end <= count)
        return UnsafeRawBufferPointer(start: base + start, count: end &- start)
    }
}
