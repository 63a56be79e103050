// What Modern and Legacy hand to the row reader: for each class a plan of its columns, and where
// its rows begin. The row reader knows no file format beyond it.

/// One property of a class, and where and how it is stored.
struct ColumnPlan: Sendable {
    /// How many values a row holds, and how.
    enum Shape: Sendable {
        case single, list, set
        case dictionary(intKeys: Bool)
        /// An old subtable: a cell leads to the roots of its own columns.
        case table([ColumnPlan])
        /// An old subtable of one column, which is how lists of values were kept before format 10.
        case column([ColumnPlan])
    }

    /// The position among the class's properties.
    var property: Int
    /// The place of the column's leaf among the leaves of a chunk of rows.
    var leafIndex: Int
    var shape: Shape
    /// How values, or elements, are stored.
    var format: LeafFormat
    /// The class whose objects stand inline, for links to embedded objects.
    var embeddedClass: Int?
    /// Where the links stand of which an interrupted upgrade has moved only the rest of the row.
    var leftBehind: LeftBehindLinks?
}

/// One class (or plain table), and how to read it.
struct TablePlan: Sendable {
    /// The table's key, or its number in old files.
    var tableKey: Int64
    var columns: [ColumnPlan]
    /// The root of the rows: a tree of clusters, or in old files the list of the columns' roots;
    /// 0 = no rows.
    var root: Int64
    /// The number of rows the file states.
    var rowCount: Int
    /// Why nothing can be read of it.
    var damage: FormatError?
    /// True for the tables of formats before 10, which keep a tree for each column.
    var isColumnWise = false
}

/// Where a chunk's values of one column stand.
struct LeafPlace {
    var ref: Int64
    /// The position of the chunk's first row in the leaf.
    var start: Int
    /// The number of values the leaf must have.
    var count: Int
    /// The leaf beside it, where an old column has two trees.
    var second = SecondLeaf()
    /// The root of an old column.
    var root: Int64 = 0
}

/// The other leaf of a place.
struct SecondLeaf {
    var ref: Int64 = 0
    var start = 0
    var count = 0
}

/// A run of rows whose values stand in one leaf a column.
protocol RowChunk {
    var count: Int { get }
    func key(_ row: Int) -> Int64
    func place(_ column: ColumnPlan) throws(FormatError) -> LeafPlace
}

extension Cluster: RowChunk {
    func place(_ column: ColumnPlan) -> LeafPlace {
        LeafPlace(ref: leaf(column.leafIndex), start: 0, count: count)
    }
}
