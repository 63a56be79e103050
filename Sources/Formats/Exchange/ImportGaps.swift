// What incoming rows do not say: values that a reader made up because a property must have one.

/// The gaps of the incoming rows of one class.
final class ImportGaps {
    /// Properties that the rows from one on do not have.
    private var columns: [(row: Int, columns: Set<Int>)] = []
    private var cells: Set<Int> = []
    private(set) var coarseness = ImportCoarseness()
    /// The texts of rows that lack a required value.
    private var texts: [Int: RowText] = [:]
    /// The first value that such a row lacks.
    private var firstMissing: [Int: Int] = [:]
    /// What embedded objects lack, by row.
    private var inner: [Int: Set<[Int]>] = [:]
    /// By the first row of several, what their source would say of stored rows.
    private var echoes: [(row: Int, echo: (any RowEcho)?)] = []
    /// By the first row of several, whether a to-do without a state is open.
    private var states: [(row: Int, saysStates: Bool)] = []
    private static let width = 65_536

    /// Notes the gaps of a batch whose rows begin at a row.
    func add(_ gaps: RowGaps, from row: Int) {
        if gaps.columns != columns.last?.columns ?? [] { columns.append((row, gaps.columns)) }
        coarseness.add(gaps.coarse, from: row)
        if gaps.echo !== echoes.last?.echo { echoes.append((row, gaps.echo)) }
        if gaps.saysStates != states.last?.saysStates ?? false {
            states.append((row, gaps.saysStates))
        }
        for cell in gaps.cells { cells.insert((row &+ cell.row) &* Self.width &+ cell.column) }
        if gaps.texts.isEmpty { return }
        for text in gaps.texts { texts[row &+ text.row] = text.text }
        for it in gaps.inner { inner[row &+ it.row, default: []].insert(it.path) }
        for cell in gaps.cells where texts[row &+ cell.row] != nil {
            let known = firstMissing[row &+ cell.row] ?? Int.max
            firstMissing[row &+ cell.row] = min(known, cell.column)
        }
    }

    /// What the source of a row would say of stored rows; nil where it says all that they do.
    func echo(_ row: Int) -> (any RowEcho)? {
        echoes.isEmpty ? nil : echoes.last { $0.row <= row }?.echo
    }

    /// True for a row whose source says of every to-do whether it is done.
    func saysState(_ row: Int) -> Bool { states.last { $0.row <= row }?.saysStates ?? false }

    /// The members that the embedded objects of a row lack.
    func missingMembers(_ row: Int) -> Set<[Int]> { inner.isEmpty ? [] : inner[row] ?? [] }

    /// A column of a value that a row must have and lacks.
    func missing(_ row: Int) -> Int? { firstMissing.isEmpty ? nil : firstMissing[row] }

    /// The text of such a row, or of one without a key; nil for others.
    func text(_ row: Int) -> RowText? { texts[row] }

    /// True when a value was made up.
    func contains(_ row: Int, _ column: Int) -> Bool {
        if !cells.isEmpty, cells.contains(row &* Self.width &+ column) { return true }
        if columns.isEmpty { return false }
        return columns.last { $0.row <= row }?.columns.contains(column) ?? false
    }
}
