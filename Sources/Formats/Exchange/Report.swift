// What a conversion did to the data: counts that add up, and what was lost, changed, guessed or
// set aside (DESIGN 1.8). The command prints it as text or JSON; formats only note things.

/// Notes of one conversion; not thread-safe, it belongs to the task that converts.
public final class Report {
    /// How serious a note is.
    public enum ItemClass: String, Sendable {
        case lost, changed, guessed, setAside
    }

    /// One kind of note, with its first example and a count.
    public struct Item: Sendable {
        /// How serious it is.
        public var kind: ItemClass
        /// A stable word, such as `charset-guess`.
        public var code: String
        /// The file of the first example.
        public var source: String?
        /// The line of the first example.
        public var line: Int?
        /// The record number of the first example.
        public var record: Int?
        /// The property all occurrences share.
        public var property: String?
        /// The first 80 characters of the first example's value.
        public var value: String?
        /// How often it happened.
        public var count: Int
        /// What was done, and the option that changes it.
        public var action: String?
        /// The next occurrences, as far as something tells them apart; at most `Report.limit`.
        public internal(set) var others: [Example] = []
    }

    /// One of several occurrences.
    public struct Example: Sendable {
        /// The file.
        public var source: String?
        /// The line.
        public var line: Int?
        /// The record number.
        public var record: Int?
        /// The first 80 characters of the value.
        public var value: String?
    }

    /// The most occurrences of one kind that are kept besides the first.
    public static let limit = 99

    /// The code that says that a file of cards or tasks held none.
    package static let noRecords = "no-records"

    /// What a column of a table was taken for.
    public struct ColumnUse: Sendable {
        /// The table's file.
        public var source: String
        /// The column's name.
        public var column: String
        /// What it holds, in the words of a column map.
        public var field: String
        /// Why, where the column's name could mean something else.
        public var remark: String?
        /// The class whose properties the fields are; nil for contacts.
        public var className: String?
    }

    /// What the columns of tables were taken for.
    public internal(set) var columns: [ColumnUse] = []

    /// Records read, whatever became of them.
    @exclusivity(unchecked) public var read = 0
    /// Records written as they were.
    @exclusivity(unchecked) public var written = 0
    /// Records that could not be read and were kept out.
    public var setAside = 0
    /// Records that changed nothing.
    public var skipped = 0
    /// Records that updated one already there.
    public var merged = 0
    /// All notes, in order of first occurrence.
    public internal(set) var items: [Item] = []

    /// What notes that are counted together have in common.
    private struct Key: Hashable {
        var kind: ItemClass
        var code: String
        var property: String
    }

    private var index: [Key: Int] = [:]

    /// An empty report.
    public init() {}

    /// Notes something; equal kind, code and property are counted together.
    public func note(
        _ kind: ItemClass, _ code: String, source: String? = nil, line: Int? = nil,
        record: Int? = nil, property: String? = nil, value: String? = nil, count: Int = 1,
        action: String? = nil
    ) {
        let key = Report.key(kind, code, property)
        if let known = index[key] {
            items[known].count += count
            if items[known].others.count < Report.limit, line ?? record != nil || value != nil {
                items[known].others.append(
                    Example(
                        source: source, line: line, record: record,
                        value: value.map { String($0.prefix(80)) }))
            }
            return
        }
        index[key] = items.count
        items.append(
            Item(
                kind: kind, code: code, source: source, line: line, record: record,
                property: property, value: value.map { String($0.prefix(80)) }, count: count,
                action: action))
    }

    private static func key(_ kind: ItemClass, _ code: String, _ property: String?) -> Key {
        Key(kind: kind, code: code, property: property ?? "")
    }

    /// Where in `items` a note stands that has all the examples it will have; nil while it takes more.
    /// The place is good as long as no other report takes this one's notes.
    package func fullPlace(_ kind: ItemClass, _ code: String, property: String?) -> Int? {
        index[Report.key(kind, code, property)].flatMap {
            items[$0].others.count < Report.limit ? nil : $0
        }
    }

    /// Counts further occurrences of a note that is full.
    package func count(_ count: Int, at place: Int) {
        if place < items.count { items[place].count += count }
    }

    /// Moves the counts and notes of another report into this one, behind its own.
    package func take(_ other: Report) {
        read += other.read
        written += other.written
        setAside += other.setAside
        skipped += other.skipped
        merged += other.merged
        columns += other.columns
        for item in other.items {
            note(
                item.kind, item.code, source: item.source, line: item.line, record: item.record,
                property: item.property, value: item.value,
                count: item.count - item.others.count, action: item.action)
            for example in item.others {
                note(
                    item.kind, item.code, source: example.source, line: example.line,
                    record: example.record, property: item.property, value: example.value)
            }
        }
        other.removeAll()
    }

    private func removeAll() {
        (read, written, setAside, skipped, merged) = (0, 0, 0, 0, 0)
        items = []
        columns = []
        index = [:]
    }

    /// True when something was lost.
    public var hasLoss: Bool { items.contains { $0.kind == .lost } }
}
