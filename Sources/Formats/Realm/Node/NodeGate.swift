// The one gate through which nodes come: alignment, header and payload are checked against the
// image here and nowhere else, so that what is behind it needs an index check only.

/// Hands out checked nodes of one image, and counts them.
///
/// Every live node of a sound snapshot is reached exactly once, and takes at least eight bytes.
/// A pass that meets more nodes than fit into the image goes in circles, or is being sent through
/// the same nodes over and over; the count ends it.
final class NodeGate {
    let image: LogicalImage
    private let base: UnsafeRawPointer
    private let limit: Int
    private let holes: PageHoles?
    /// How many more nodes this pass may meet.
    var visitsLeft: Int
    /// How many more elements that take no room this pass may meet in large nodes: eight bytes
    /// can claim 16 million zeros, which ought not to cost the time of 16 million values.
    var hollowLeft: Int
    /// Leaves of trees hold at most 1000 elements, and a null of ints one more.
    private static let hollowLimit = 1001

    init(_ image: LogicalImage) {
        self.image = image
        base = image.base
        limit = image.bytes.count
        holes = image.holes
        // Tree walks look at a leaf twice: once as a node, once for what it holds.
        visitsLeft = image.bytes.count / 4 + 1024
        hollowLeft = 4 * image.bytes.count + 4_000_000
    }

    /// The node at a reference.
    @inline(__always)
    func node(_ ref: Int64) throws(FormatError) -> Node {
        let at = Int(ref)
        guard at >= 24, at & 7 == 0, at <= limit &- 8 else {
            throw damage(at, "a reference leads to \(at), where no node can stand")
        }
        visitsLeft &-= 1
        guard visitsLeft >= 0 else { throw circular(at) }
        let header = base + at
        let bytes = header.assumingMemoryBound(to: UInt8.self)
        let count = Int(bytes[5]) << 16 | Int(bytes[6]) << 8 | Int(bytes[7])
        let node = Node(ref: at, payload: header + 8, count: count, head: bytes[4])
        guard node.scheme != 3, node.byteCount <= limit &- at else { throw unfit(node) }
        if node.head & 7 == 0, count > NodeGate.hollowLimit, node.scheme != 2 {
            hollowLeft &-= count
            guard hollowLeft >= 0 else { throw hollow(node) }
        }
        if let holes, holes.touch(at, node.byteCount) { throw torn(at) }
        return node
    }

    /// A node of integers (scheme 0).
    @inline(__always)
    func integers(_ ref: Int64) throws(FormatError) -> Node {
        let node = try self.node(ref)
        guard node.scheme == 0 else { throw unexpected(node, "whole numbers") }
        return node
    }

    /// A node of references, with at least `least` slots.
    @inline(__always)
    func references(_ ref: Int64, least: Int = 0) throws(FormatError) -> Node {
        let node = try self.node(ref)
        guard node.scheme == 0, node.hasRefs, node.count >= least else {
            throw unexpected(node, "at least \(least) references")
        }
        return node
    }

    /// The node a slot refers to, nil for an empty slot.
    func child(_ parent: Node, _ slot: Int) throws(FormatError) -> Node? {
        let ref = parent.integer(slot)
        if ref == 0 { return nil }
        guard ref & 1 == 0 else {
            throw damage(parent.ref, "slot \(slot) holds a number where a reference belongs")
        }
        return try node(ref)
    }

    /// The reference in a slot that may not be empty.
    func ref(_ parent: Node, _ slot: Int) throws(FormatError) -> Int64 {
        let ref = parent.integer(slot)
        guard ref != 0, ref & 1 == 0 else {
            throw damage(parent.ref, "slot \(slot) holds no reference")
        }
        return ref
    }

    /// The bytes of an unsplit blob node.
    func blob(_ ref: Int64) throws(FormatError) -> UnsafeRawBufferPointer {
        let node = try self.node(ref)
        guard !node.hasRefs, node.scheme == 2 else { throw unexpected(node, "bytes") }
        return node.bytes
    }

    // MARK: Errors, made out of line

    @inline(never)
    func damage(_ at: Int, _ message: String) -> FormatError {
        FormatError(
            .damaged, message, file: image.name, offset: at,
            fix:
                "rtool verify lists everything that is broken; --top other tries the snapshot before"
        )
    }

    @inline(never)
    private func torn(_ at: Int) -> FormatError {
        damage(at, "the node stands on a page of the encrypted file that is damaged or was lost")
    }

    @inline(never)
    private func circular(_ at: Int) -> FormatError {
        damage(at, "the nodes form a circle, or are shared: more were met than the file can hold")
    }

    @inline(never)
    private func hollow(_ node: Node) -> FormatError {
        damage(
            node.ref, "the node claims \(node.count) elements without content, one of too many such"
        )
    }

    @inline(never)
    private func unfit(_ node: Node) -> FormatError {
        if node.scheme == 3 { return damage(node.ref, "the node has an unknown layout") }
        return damage(
            node.ref,
            "the node says it takes \(node.byteCount) bytes, which is past the end of the file")
    }

    @inline(never)
    func unexpected(_ node: Node, _ wanted: String) -> FormatError {
        damage(
            node.ref,
            "found a node of kind 0x\(String(node.head, radix: 16)) with \(node.count) elements, "
                + "expected \(wanted)")
    }
}
