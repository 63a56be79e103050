// The leaf of dates: nullable whole seconds, and nanoseconds beside them.

/// A leaf of dates.
struct DateLeaf: BitwiseCopyable {
    let seconds: IntLeaf
    let nanoseconds: Node
    var count: Int { seconds.count }

    init(_ session: ReadSession, _ ref: Int64) throws(FormatError) {
        let gate = session.gate
        let top = try gate.references(ref, least: 2)
        seconds = try IntLeaf(session, gate.ref(top, 0), isNullable: true)
        nanoseconds = try gate.integers(gate.ref(top, 1))
        guard nanoseconds.count == seconds.count else {
            throw gate.unexpected(nanoseconds, "nanoseconds for \(seconds.count) dates")
        }
    }

    /// The leaf of an old column, whose two parts are leaves of different trees.
    init(seconds: IntLeaf, nanoseconds: Node) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    /// Appends dates; `beside` is where their nanoseconds stand, if not in the same place.
    func append(
        _ range: Range<Int>, beside: Range<Int>? = nil, isNullable: Bool, session: ReadSession,
        to column: Column
    ) throws(FormatError) {
        let n = range.count
        let from = column.words.count
        seconds.append(range, to: column)
        let extra = column.extra.extend(n)
        nanoseconds.copy(beside ?? range, to: extra)
        let nulls = column.nulls.base + from
        for i in 0..<n {
            if nulls[i] != 0 {
                extra[i] = 0
                nulls[i] = isNullable ? 1 : 0
            } else if extra[i] <= -1_000_000_000 || extra[i] >= 1_000_000_000 {
                throw session.gate.damage(
                    nanoseconds.ref, "a date with \(extra[i]) nanoseconds")
            }
        }
    }
}
