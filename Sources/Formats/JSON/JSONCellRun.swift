// Neighbouring columns of nested values as cells of CSV rows. Of some thirty such columns a contact
// has values in eight: what stands in the others is kept as one text and copied from value to value.
// The values are `JSONValueWriter`'s.

/// Neighbouring columns of nested values of one class.
final class JSONCellRun {
    /// The position of the first one in the class.
    let first: Int
    /// How many there are.
    let count: Int
    private let delimiter: UInt8
    /// The cells without a value, each behind its delimiter, and 16 bytes of room behind the last.
    private let absent = RawVector<UInt8>(capacity: 128)
    /// Where each of them begins, and where the last one ends.
    private let starts = RawVector<Int>(capacity: 40)
    /// For each 32 fields in use a bit for each that is a cell of these.
    private let masks = RawVector<UInt32>(capacity: 4)
    @exclusivity(unchecked) private var generation = 0

    init(first: Int, count: Int, delimiter: UInt8) {
        self.first = first
        self.count = count
        self.delimiter = delimiter
    }

    deinit {
        absent.destroy()
        starts.destroy()
        masks.destroy()
    }

    /// Readies for the rows of a batch.
    @inline(__always)
    func bind(_ plan: JSONRowPlan, _ generation: Int) {
        if self.generation != generation { rebind(plan, generation) }
    }

    private func rebind(_ plan: JSONRowPlan, _ generation: Int) {
        self.generation = generation
        absent.removeAll()
        starts.removeAll()
        masks.removeAll()
        for column in plan.batch.columns[first..<first + count] {
            starts.append(absent.count)
            absent.append(delimiter)
            guard column.layout == .collection else { continue }
            absent.append(column.property.collection == .dictionary ? "{}" : "[]")
        }
        starts.append(absent.count)
        absent.reserve(adding: 16)
        masks.append(repeating: 0, count: plan.usedCount / 32 + 1)
        for n in 0..<plan.usedCount
        where (first..<first + count).contains(plan.used[n].pointee.slot) {
            masks[n / 32] |= 1 << UInt32(n % 32)
        }
    }

    /// Which of the 32 fields in use from `group` on are cells of these.
    @inline(__always)
    func mask(_ group: Int) -> UInt32 { masks[group / 32] }

    /// Appends cells without a value, and the delimiter before the cell `end`.
    @inline(__always)
    func appendAbsent(_ cell: Int, upTo end: Int, to out: RawVector<UInt8>) {
        append(starts[cell], starts[end] &+ 1, to: out)
    }

    /// Appends all cells from one on without a value.
    @inline(__always)
    func appendAbsent(_ cell: Int, to out: RawVector<UInt8>) {
        append(starts[cell], starts[count], to: out)
    }

    @inline(__always)
    private func append(_ from: Int, _ end: Int, to out: RawVector<UInt8>) {
        out.reserve(adding: end &- from &+ 16)
        let to = UnsafeMutableRawPointer(out.base + out.count)
        var at = from
        while at < end {
            let block = UnsafeRawPointer(absent.base + at).loadUnaligned(as: SIMD16<UInt8>.self)
            to.storeBytes(of: block, toByteOffset: at &- from, as: SIMD16<UInt8>.self)
            at &+= 16
        }
        out.commit(end &- from)
    }
}
