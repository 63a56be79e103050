// An iCalendar file as rows of `TodoItem`: the component reader, the mapper and the ids joined.

/// Reads the to-dos of an iCalendar or vCalendar file as batches of `TodoItem`.
public final class ICalendarTodoReader: RecordReader {
    /// The classes of to-dos.
    public var schema: Schema { TodoClass.schema }
    /// To-dos without a state are open: who takes a completion back, removes what says it (T3).
    public var gaps: RowGaps {
        var gaps = RowGaps()
        gaps.saysStates = true
        return gaps
    }

    private let reader: ICalendarReader
    private let mapper: TodoMapper
    private let minter = TodoIdentity.minter()
    private let isForStore: Bool
    /// Rows a batch may have, and bytes of source that end it early.
    private static let rows = 1000
    private static let bytes = 2 << 20

    /// A reader of an input, which it keeps.
    public convenience init(input: InputBytes, context: ExchangeContext) {
        self.init(input: input, context: context, isForStore: false)
    }

    /// - Parameter isForStore: whether to-dos with a value that no store can hold are set aside.
    init(input: InputBytes, context: ExchangeContext, isForStore: Bool) {
        self.isForStore = isForStore
        reader = ICalendarReader(input: input, context: context)
        mapper = TodoMapper(source: reader, context: context)
    }

    /// Fills the batch with the next to-dos.
    public func next(into batch: RecordBatch) throws(FormatError) -> Bool {
        batch.begin(class: 0)
        guard let columns = TodoColumns(batch) else {
            throw FormatError(.defect, "the batch is not of the class TodoItem")
        }
        let rows = TodoRows(batch)
        var size = 0
        while batch.rowCount < ICalendarTodoReader.rows, size < ICalendarTodoReader.bytes,
            reader.next()
        {
            let row = batch.rowCount
            if row == 0 { batch.firstRecord = reader.record }
            mapper.append(to: columns)
            if isForStore, reader.source.count > ValueLimit.bytes / 4,
                let refusal = ValueLimit.refusal(of: row, in: batch)
            {
                batch.truncate(to: row)
                reader.setAside(refusal)
                continue
            }
            columns.id.append(TodoIdentity.id(of: rows, row, minter))
            size += reader.source.count
        }
        return batch.rowCount > 0
    }
}
