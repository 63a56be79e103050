// The member names of one class as they stand in JSON, and the search for one of them.

/// The names of a class's properties, ready to be compared with member names.
final class JSONRowShape {
    let classSchema: ClassSchema
    private let names: RawVector<UInt8>
    /// End of each name in `names`; the first is 0.
    private let ends: RawVector<Int>
    let count: Int
    private var children: [JSONRowShape?]

    init(_ c: ClassSchema) {
        classSchema = c
        count = c.properties.count
        names = RawVector(capacity: 16 * (count + 1))
        ends = RawVector(capacity: count + 1)
        children = Array(repeating: nil, count: count)
        ends.append(0)
        for p in c.properties {
            if p.name.utf8.first == 0x24 { names.append(0x24) }
            names.append(p.name)
            ends.append(names.count)
        }
    }

    deinit {
        names.destroy()
        ends.destroy()
    }

    /// The position of the property a member name stands for, nil if there is none. `guess` is
    /// looked at first: members usually come in the order of the properties.
    @inline(__always)
    func index(_ name: UnsafeRawBufferPointer, guess: Int) -> Int? {
        if guess < count, isEqual(name, guess) { return guess }
        return search(name, from: guess)
    }

    @inline(__always)
    private func isEqual(_ name: UnsafeRawBufferPointer, _ i: Int) -> Bool {
        let start = ends[i]
        let length = ends[i &+ 1] &- start
        guard length == name.count else { return false }
        var j = 0
        let p = names.base + start
        while j &+ 8 <= length {
            let a = UnsafeRawPointer(p + j).loadUnaligned(as: UInt64.self)
            if a != name.loadUnaligned(fromByteOffset: j, as: UInt64.self) { return false }
            j &+= 8
        }
        while j < length {
            if p[j] != name[j] { return false }
            j &+= 1
        }
        return true
    }

    private func search(_ name: UnsafeRawBufferPointer, from: Int) -> Int? {
        var i = from
        for _ in 0..<count {
            i &+= 1
            if i >= count { i = 0 }
            if isEqual(name, i) { return i }
        }
        return nil
    }

    /// The shape of the embedded objects of a property, made by `make` when first asked for.
    @inline(__always)
    func child(_ i: Int, _ make: () -> JSONRowShape) -> JSONRowShape {
        if let known = children[i] { return known }
        let shape = make()
        children[i] = shape
        return shape
    }
}
