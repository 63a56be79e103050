// JSON to JSON (DESIGN 1.8: plain rows, cells unchanged): each object travels as its own text, only
// without the white space between its parts. So members that some rows lack stay missing, numbers
// keep their digits and `$` members their names. Where rows stand is for JSONRowsReader.

/// Rows of JSON as their text.
enum JSONVerbatim {
    /// The one property of such rows; no name of a property can be this.
    private static let property = "\u{0}object"

    /// The class of rows that are text.
    static func classSchema(_ name: String) -> ClassSchema {
        ClassSchema(name, properties: [Property(property, .string)])
    }

    /// Whether the rows of a class are text.
    static func isVerbatim(_ known: ClassSchema) -> Bool {
        known.properties.count == 1 && known.properties[0].name == property
    }

    /// Appends the object at the cursor as a row.
    /// - Parameters:
    ///   - scratch: for strings that must be spelled anew.
    ///   - onRepair: called with the place of a string and the number of half characters of UTF-16
    ///     in it that became U+FFFD.
    static func row(
        _ s: inout JSONScanner, into batch: RecordBatch, scratch: RawVector<UInt8>,
        onRepair: (Int, Int) -> Void
    ) throws(FormatError) {
        guard try s.peek() == .object else { throw s.unexpected("an object") }
        let start = s.at
        try s.skip()
        let column = batch.columns[0]
        let out = column.bytes
        let base = s.base
        let end = s.at
        out.reserve(adding: end - start)
        var i = start
        while i < end {
            let from = i
            if base[i] == 0x22 {
                var hasEscapes = false
                i += 1
                while i < end, base[i] != 0x22 {
                    if base[i] == 0x5C {
                        hasEscapes = true
                        i += 1
                    }
                    i += 1
                }
                i += 1
                if hasEscapes {
                    let inside = UnsafeRawBufferPointer(start: base + from + 1, count: i - from - 2)
                    scratch.removeAll()
                    let repaired = JSONText.decode(inside, into: scratch)
                    if repaired > 0 {
                        onRepair(from, repaired)
                        _ = JSONText.write(
                            string: UnsafePointer(scratch.base), count: scratch.count, to: out)
                        continue
                    }
                }
                out.append(base + from, count: i - from)
            } else if base[i] <= 0x20 {
                i += 1
            } else {
                while i < end, base[i] > 0x20, base[i] != 0x22 { i += 1 }
                out.append(base + from, count: i - from)
            }
        }
        column.closeBytes()
        batch.closeRow()
    }
}

/// Writes rows that are text.
final class JSONVerbatimWriter: RecordWriter {
    private let sink: ByteSink
    private let style: JSONRowsWriter.Style
    private let report: Report
    private var isEmpty = true

    init(sink: ByteSink, style: JSONRowsWriter.Style, report: Report) {
        self.sink = sink
        self.style = style
        self.report = report
        if style == .array { sink.buffer.append("[") }
    }

    func write(_ batch: RecordBatch) throws(FormatError) {
        report.written += batch.rowCount
        let column = batch.columns[0]
        let out = sink.buffer
        var start = 0
        for i in 0..<batch.rowCount {
            let end = column.ends[i]
            if style == .array { out.append(isEmpty ? "\n  " : ",\n  ") }
            isEmpty = false
            out.append(UnsafePointer(column.bytes.base) + start, count: end - start)
            if style == .ndjson { out.append(0x0A) }
            start = end
            try sink.flushIfFull()
        }
    }

    func finish() throws(FormatError) {
        if style == .array { sink.buffer.append(isEmpty ? "]\n" : "\n]\n") }
        try sink.finish()
    }
}
