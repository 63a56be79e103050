import Foundation

@testable import Formats

/// Rows of to-dos as dictionaries, nils and empty lists left out.
enum Todos {
    static func rows(_ batch: RecordBatch) -> [[String: Any]] {
        (0..<batch.rowCount).map { object(batch.values(row: $0), batch.classSchema, batch.schema) }
    }

    private static func object(_ values: [Value], _ type: ClassSchema, _ schema: Schema)
        -> [String: Any]
    {
        var result: [String: Any] = [:]
        for (property, value) in zip(type.properties, values) {
            if let plain = plain(value, property, schema) { result[property.name] = plain }
        }
        return result
    }

    private static func plain(_ value: Value, _ property: Property, _ schema: Schema) -> Any? {
        switch value {
        case .int(let v): return Int(v)
        case .string(let v): return v
        case .objectId(let v): return String(format: "%016lx%08x", v.high, v.low)
        case .list(let v):
            return v.isEmpty ? nil : v.compactMap { plain($0, property, schema) }
        case .object(let v):
            guard let i = schema.index(of: property.target ?? "") else { return nil }
            return object(v, schema.classes[i], schema)
        default: return nil
        }
    }

    /// All rows of a reader.
    static func all(_ reader: any RecordReader) throws -> [[String: Any]] {
        let batch = RecordBatch(schema: reader.schema)
        var result: [[String: Any]] = []
        while try reader.next(into: batch) { result += rows(batch) }
        return result
    }

    /// The to-dos of an iCalendar text.
    static func read(_ text: String, _ context: ExchangeContext = ExchangeContext()) throws
        -> [[String: Any]]
    {
        try all(ICalendarTodoReader(input: input(text, name: "t.ics"), context: context))
    }

    /// What a writer made of the rows of a reader.
    static func written(
        _ reader: any RecordReader, _ make: (ByteSink) throws -> any RecordWriter
    ) throws -> String {
        let path = NSTemporaryDirectory() + "/rtool-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let file = try OutputFile.create(path, force: false)
        let writer = try make(file)
        let batch = RecordBatch(schema: reader.schema)
        while try reader.next(into: batch) { try writer.write(batch) }
        try writer.finish()
        return try String(decoding: Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
    }

    /// An iCalendar text through rows and back.
    static func rewritten(
        _ source: InputBytes, _ context: ExchangeContext = ExchangeContext()
    ) throws -> String {
        let reader = ICalendarTodoReader(input: source, context: context)
        return try written(reader) {
            ICalendarTodoWriter(sink: $0, schema: reader.schema, context: context)
        }
    }

    /// An iCalendar text through the line-level conversion.
    static func converted(
        _ source: InputBytes, _ context: ExchangeContext = ExchangeContext()
    ) throws -> String {
        let path = NSTemporaryDirectory() + "/rtool-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let file = try OutputFile.create(path, force: false)
        try ICalendarConverter(input: source, context: context).convert(to: file)
        try file.finish()
        return try String(decoding: Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
    }
}
