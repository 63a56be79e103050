import Foundation

@testable import Formats

/// Rows of a batch as the dictionaries that JSON would make of them: nils and empty lists left
/// out, bytes as base64.
enum Plain {
    static func rows(_ batch: RecordBatch) -> [[String: Any]] {
        (0..<batch.rowCount).map { object(batch.values(row: $0), batch.classSchema, batch.schema) }
    }

    static func object(_ values: [Value], _ type: ClassSchema, _ schema: Schema) -> [String: Any] {
        var result: [String: Any] = [:]
        for (property, value) in zip(type.properties, values) {
            if let plain = plain(value, property, schema) { result[property.name] = plain }
        }
        return result
    }

    private static func plain(_ value: Value, _ property: Property, _ schema: Schema) -> Any? {
        switch value {
        case .null: return nil
        case .int(let v): return Int(v)
        case .string(let v): return v
        case .data(let v): return Data(v).base64EncodedString()
        case .date(let v): return Int(v.seconds)
        case .objectId(let v):
            return String(format: "%016lx%08x", v.high, v.low)
        case .list(let v):
            return v.isEmpty ? nil : v.compactMap { plain($0, property, schema) }
        case .object(let v):
            guard let i = schema.index(of: property.target ?? "") else { return nil }
            return object(v, schema.classes[i], schema)
        default: return "?"
        }
    }
}

/// All contacts of a vCard file.
func contacts(_ input: InputBytes, _ context: ExchangeContext = ExchangeContext()) throws
    -> [[String: Any]]
{
    let reader = VCardContactReader(input: input, context: context)
    let batch = RecordBatch(schema: reader.schema)
    var result: [[String: Any]] = []
    while try reader.next(into: batch) { result += Plain.rows(batch) }
    return result
}
