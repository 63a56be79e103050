// Which line of a card gives a group its label.

/// The label lines of one card by the `NameKey` of their group.
final class LabelLines {
    private let keys = RawVector<UInt64>(capacity: 16)
    private let places = RawVector<Int>(capacity: 16)
    /// Made for cards with many labels only.
    @exclusivity(unchecked) private var table: [UInt64: Int] = [:]
    private static let few = 24

    deinit {
        keys.destroy()
        places.destroy()
    }

    /// True when no group has a label.
    var isEmpty: Bool { keys.isEmpty }

    /// Forgets all.
    func removeAll() {
        keys.removeAll()
        places.removeAll()
        if !table.isEmpty { table.removeAll(keepingCapacity: true) }
    }

    /// Adds a line; the first one of a group counts.
    func add(_ key: UInt64, line: Int) {
        keys.append(key)
        places.append(line)
    }

    /// Readies for looking up, after the last line.
    func index() {
        guard keys.count > LabelLines.few else { return }
        for i in 0..<keys.count where table[keys[i]] == nil { table[keys[i]] = places[i] }
    }

    /// The line of a group's label; nil without one.
    @inline(__always)
    func line(_ key: UInt64) -> Int? {
        let count = keys.count
        if count > LabelLines.few { return table[key] }
        for i in 0..<count where keys[i] == key { return places[i] }
        return nil
    }
}
