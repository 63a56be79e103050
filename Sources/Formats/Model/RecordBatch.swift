// The currency between class readers and class writers: some thousand rows of one class as
// columns, reused from call to call.

/// Rows that stand for groups, and the names of the groups that others are in.
package struct RowGroups {
    /// The rows that are groups.
    package var isGroup: Set<Int> = []
    /// By row, the names of its groups.
    package var categories: [Int: [String]] = [:]
    /// The names of cards that others link to, by the card's address as it is compared.
    package var names: [String: String] = [:]

    /// No groups.
    package init() {}
}

/// Rows of one class as columns.
///
/// A reader fills a batch, a writer takes it; both keep nothing of it afterwards. The same batch
/// object serves all classes of a schema, one class at a time (`begin(class:)`).
public final class RecordBatch {
    /// The schema the batch's classes belong to.
    public let schema: Schema
    /// The class of the rows now in the batch, as a position in `schema.classes`.
    @exclusivity(unchecked) public private(set) var classIndex: Int
    /// One column a property of that class, in schema order.
    @exclusivity(unchecked) public private(set) var columns: [Column]
    /// The number of finished rows.
    @exclusivity(unchecked) public private(set) var rowCount = 0
    /// The object key of each row; empty when the rows have none yet.
    ///
    /// The writer then gives them ascending keys. Embedded rows have none.
    public let keys: RawVector<Int64>
    /// The record number (from 1) of the first row within its source, for messages.
    @exclusivity(unchecked) public var firstRecord = 1

    /// True when the rows were made from records of another format: what a reader of their own
    /// format would have kept as it was, there is not.
    @exclusivity(unchecked) package var isConverted = false

    /// Which rows are groups of others, and who is in them, where a reader finds that out.
    @exclusivity(unchecked) package var groups = RowGroups()

    /// By row, the names of the files that keep the bytes of photos, where they are written apart.
    @exclusivity(unchecked) package var photoFiles: [Int: Set<String>] = [:]

    @exclusivity(unchecked) private var cache: [Int: [Column]] = [:]

    /// A batch ready for rows of one class.
    public init(schema: Schema, classIndex: Int = 0) {
        self.schema = schema
        self.classIndex = classIndex
        keys = RawVector(capacity: 8)
        columns = []
        if classIndex < schema.classes.count {
            columns = schema.classes[classIndex].properties.map { Column($0, schema: schema) }
            cache[classIndex] = columns
        }
    }

    /// A batch of columns made elsewhere, each with `rowCount` values; keys are for the caller to
    /// append.
    package init(
        schema: Schema, classIndex: Int, columns: [Column], rowCount: Int, firstRecord: Int
    ) {
        self.schema = schema
        self.classIndex = classIndex
        self.columns = columns
        self.rowCount = rowCount
        self.firstRecord = firstRecord
        keys = RawVector(capacity: max(rowCount, 1))
    }

    deinit { keys.destroy() }

    /// The class of the rows now in the batch.
    public var classSchema: ClassSchema { schema.classes[classIndex] }

    /// Empties the batch and readies it for rows of one class.
    public func begin(class index: Int) {
        isConverted = false
        if index != classIndex {
            classIndex = index
            if let known = cache[index] {
                columns = known
            } else {
                columns = schema.classes[index].properties.map { Column($0, schema: schema) }
                cache[index] = columns
            }
        }
        removeAll()
    }

    /// Drops all rows and keeps the room.
    public func removeAll() {
        rowCount = 0
        keys.removeAll()
        for column in columns { column.removeAll() }
    }

    /// Marks all text of the rows as known to be UTF-8, for a reader that has looked at it piece by
    /// piece: writers then need not look again.
    package func trustText() {
        for column in columns { column.trustText() }
    }

    /// Counts a row whose values were appended to every column.
    @inline(__always)
    public func closeRow() { rowCount &+= 1 }

    /// Counts `count` rows whose values were appended to every column.
    @inline(__always)
    public func closeRows(_ count: Int) { rowCount &+= count }

    /// Drops the rows from position `count` on, and what was begun of the next one.
    public func truncate(to count: Int) {
        rowCount = min(rowCount, count)
        if keys.count > count { keys.truncate(to: count) }
        for column in columns { column.truncate(to: count) }
    }

    /// Appends a copy of one row of another batch of the same class, with its key.
    public func append(row i: Int, of other: RecordBatch) {
        if other.keys.count > i { keys.append(other.keys[i]) }
        // A column that was not asked for is empty.
        for (column, source) in zip(columns, other.columns) where source.count > i {
            column.append(i, of: source)
        }
        closeRow()
    }
}
