// Times of day in rows that come as an app's class already: spelled as the app spells them, since
// it takes its text apart. Times that are none become the app's defaults, and are reported.

/// Rows of an app's class whose times of day are made `HH:mm`.
final class MapClockReader: RecordReader {
    private struct Clock {
        var column: Int
        var word: String
        var fallback: String
    }

    let schema: Schema
    private let reader: any RecordReader
    private let classIndex: Int
    private let clocks: [Clock]
    private let context: ExchangeContext
    private let input: RecordBatch

    private init(
        _ reader: any RecordReader, _ classIndex: Int, _ clocks: [Clock],
        _ context: ExchangeContext
    ) {
        self.reader = reader
        self.classIndex = classIndex
        self.clocks = clocks
        self.context = context
        schema = reader.schema
        input = RecordBatch(schema: reader.schema)
    }

    /// A reader whose times of day are spelled as the map's class has them; the same one where
    /// the map has none.
    static func reader(
        _ reader: any RecordReader, _ map: AppMap, classIndex: Int, _ context: ExchangeContext
    ) -> any RecordReader {
        let known = reader.schema.classes[classIndex]
        let clocks = map.fields.compactMap { field -> Clock? in
            guard TodoFields.clockLines[field.from] != nil, map.source == .tasks,
                case .string(let fallback)? = field.fallback,
                let column = known.index(
                    of: map.target.classSchema.properties[field.property].name),
                known.properties[column].type == .string, known.properties[column].collection == nil
            else { return nil }
            return Clock(column: column, word: field.from, fallback: fallback)
        }
        return clocks.isEmpty ? reader : MapClockReader(reader, classIndex, clocks, context)
    }

    func next(into batch: RecordBatch) throws(FormatError) -> Bool {
        guard try reader.next(into: input) else {
            batch.removeAll()
            return false
        }
        batch.begin(class: input.classIndex)
        batch.firstRecord = input.firstRecord
        let isOurs = input.classIndex == classIndex
        for (i, column) in batch.columns.enumerated() {
            if isOurs, let clock = clocks.first(where: { $0.column == i }) {
                for row in 0..<input.rowCount { append(row, input.columns[i], clock, to: column) }
            } else {
                column.append(0..<input.rowCount, of: input.columns[i])
            }
        }
        batch.keys.append(contentsOf: input.keys.elements)
        batch.closeRows(input.rowCount)
        return true
    }

    private func append(_ row: Int, _ from: Column, _ clock: Clock, to column: Column) {
        let text = from.presentText(row).map { String(decoding: $0, as: UTF8.self) } ?? ""
        if let time = ClockTime(text) { return column.append(time.text) }
        column.append(clock.fallback)
        let isEmpty = text.allSatisfy(\.isWhitespace)
        context.report.note(
            isEmpty ? .guessed : .lost, isEmpty ? "no-\(clock.word)" : "time-unreadable",
            record: input.firstRecord + row, property: from.property.name,
            value: isEmpty ? nil : text,
            action: isEmpty
                ? "a record without it got \"\(clock.fallback)\""
                : "it is no time of day: \"\(clock.fallback)\" was written")
    }
}
