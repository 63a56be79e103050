import Foundation

import TestSupport

@testable import Formats

/// Text as an input.
func jsonInput(_ text: String, _ name: String = "x.json") -> InputBytes {
    bytes(text) { InputBytes(name: name, copying: $0) }
}

/// What a writer puts into a file, as text.
func jsonWritten(_ body: (ByteSink) throws -> Void) throws -> String {
    let path = FileManager.default.temporaryDirectory
        .appendingPathComponent("rtool-json-\(UInt64.random(in: 0 ... .max))").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try body(try OutputFile.create(path, force: true))
    return try String(contentsOfFile: path, encoding: .utf8)
}

/// The store document of a reader's rows.
func storeDocument(
    _ reader: any RecordReader, fileFormat: Int? = 24, context: ExchangeContext? = nil
)
    throws -> String
{
    try jsonWritten { sink in
        let writer = JSONStoreWriter(
            sink: sink, schema: reader.schema, fileFormat: fileFormat,
            context: context ?? ExchangeContext())
        let batch = RecordBatch(schema: reader.schema)
        while try reader.next(into: batch) { try writer.write(batch) }
        try writer.finish()
    }
}

/// A reader over a store document.
func storeReader(_ text: String, _ context: ExchangeContext = ExchangeContext()) throws(FormatError)
    -> JSONStoreReader
{
    try JSONStoreReader(input: jsonInput(text), context: context)
}

/// A store document with one class `T` around its rows.
func storeText(_ properties: String, _ rows: String, key: String? = nil) -> String {
    """
    {"rtool": 1, "schemaVersion": null, "classes": [
      {"name": "T", "kind": "object"\(key.map { ", \"primaryKey\": \"\($0)\"" } ?? ""), "properties": [\(properties)]},
      {"name": "Dog", "kind": "object", "primaryKey": "name", "properties": [{"name": "name", "type": "string"}]},
      {"name": "Part", "kind": "embedded", "properties": [
        {"name": "n", "type": "int"}, {"name": "more", "type": "link", "target": "Part", "collection": "list"}]}],
     "tables": [], "objects": {"T": [\(rows)], "Dog": [{"$key": 4, "name": "Rex"}, {"$key": 9, "name": "Zoë"}]}, "rows": {}}
    """
}

/// A folder of the handed files; nil where there is none.
func sharedFolder(_ path: String) -> URL? {
    guard let folder = Shared.folder else {
        print("skipped: no shared data for \(path)")
        return nil
    }
    return URL(fileURLWithPath: folder + "/" + path)
}
