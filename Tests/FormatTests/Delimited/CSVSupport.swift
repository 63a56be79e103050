// Helpers of the CSV tests: text in, rows out, and the way to the shared corpus.

import Testing

@testable import Formats

/// A file of the shared corpus, nil (and said so) where it is not at hand.
func sharedPath(_ path: String, filePath: String = #filePath) -> String? {
    var candidates: [String] = []
    if let root = System.environment("RTOOL_SHARED") { candidates.append(root) }
    var parts = filePath.split(separator: "/").dropLast()
    while let last = parts.last, last != "Tests" { parts.removeLast() }
    parts.removeLast(min(2, parts.count))
    candidates.append("/" + parts.joined(separator: "/") + "/shared")
    for root in candidates where System.status(path: "\(root)/\(path)") != nil {
        return "\(root)/\(path)"
    }
    print("skipped: no shared corpus here (\(path))")
    return nil
}

func input(_ text: String, name: String = "test.csv") -> InputBytes {
    input(bytes: Array(text.utf8), name: name)
}

func input(_ bytes: [UInt8], name: String = "test.vcf") -> InputBytes {
    input(bytes: bytes, name: name)
}

func input(bytes: [UInt8], name: String = "test.csv") -> InputBytes {
    bytes.withUnsafeBytes { InputBytes(name: name, copying: $0) }
}

/// All rows of a reader as values.
func rows(_ reader: any RecordReader) throws -> [[Value]] {
    let batch = RecordBatch(schema: reader.schema)
    var all: [[Value]] = []
    while try reader.next(into: batch) {
        #expect(batch.rowCount > 0)
        for column in batch.columns { #expect(column.count == batch.rowCount) }
        for row in 0..<batch.rowCount { all.append(batch.values(row: row)) }
    }
    return all
}

/// The rows of a text as strings; nil for null.
func plainRows(_ text: String, _ context: ExchangeContext = ExchangeContext()) throws
    -> [[String?]]
{
    try rows(CSVRows(input: input(text), context: context)).map { row in
        row.map { if case .string(let text) = $0 { text } else { nil } }
    }
}

/// Writes the rows of a reader and gives the text.
func written(
    _ reader: any RecordReader, classIndex: Int = 0, columns: [String]? = nil,
    options: CSVWriterOptions = CSVWriterOptions(), hooks: CSVWriterHooks = CSVWriterHooks(),
    context: ExchangeContext = ExchangeContext()
) throws -> [UInt8] {
    let path = "/tmp/rtool-csv-test-\(System.processID)-\(UInt64.random(in: 0...UInt64.max))"
    let sink = try OutputFile.create(path, force: false)
    defer { System.remove(path) }
    let writer = try CSVWriter(
        sink: sink, schema: reader.schema, classIndex: classIndex, columns: columns,
        options: options, hooks: hooks, context: context)
    let batch = RecordBatch(schema: reader.schema)
    while try reader.next(into: batch) { try writer.write(batch) }
    try writer.finish()
    let file = try InputBytes.open(path)
    return withExtendedLifetime(file) { Array(file.bytes) }
}

func sniff(_ text: String, _ known: [String] = []) -> CSVDialect {
    Array(text.utf8).withUnsafeBytes { CSVSniffer.sniff($0, knownHeaders: known) }
}
