// What is said about a batch of rows: the shape of rows that were mended, and the rows that were
// set aside, verbatim, with their places.

/// Notes and rejects of the rows of one document.
final class CSVRejects {
    private let document: CSVDocument
    private var lines: LineCounter

    init(_ document: CSVDocument) {
        self.document = document
        lines = LineCounter(document.text.bytes)
    }

    /// Notes what the scanner met in a table.
    func note(_ table: CellTable, _ firstRecord: Int, extrasAreLost: Bool) {
        let report = document.context.report
        let name = document.input.name
        if table.shortRows > 0 {
            report.note(
                .guessed, "short-row", source: name, count: table.shortRows,
                action: "missing cells were read as empty")
        }
        if table.strayCells > 0 {
            report.note(
                .guessed, "stray-quote", source: name, count: table.strayCells,
                action: "text after a closing quote was taken as part of the cell")
        }
        if table.comments > 0 {
            report.note(
                .changed, "comment-skipped", source: name, count: table.comments,
                action: "lines beginning with # were passed over")
        }
        if let extra = table.extras.first, extrasAreLost {
            report.note(
                .lost, "extra-cells", source: name, record: firstRecord + extra.row,
                value: String(decoding: table.value(extra.cell), as: UTF8.self),
                count: table.extras.count, action: "cells beyond the header have no property")
        }
    }

    /// Sets the broken rows of a table, and those with problems, aside in the order they stand in.
    func setAside(_ table: CellTable, _ problems: [Int: FormatError], _ firstRecord: Int) {
        var broken = table.broken[...]
        func flush(upTo row: Int) {
            while let first = broken.first, first.before <= row {
                let passed = table.broken.count - broken.count
                broken.removeFirst()
                let reason =
                    first.reason == .openQuote
                    ? FormatError(
                        .malformed, "a quote is opened and never closed",
                        fix: "close the quote, or double it")
                    : FormatError(.limitExceeded, "the row is larger than 1 GiB")
                reject(
                    UnsafeRawBufferPointer(rebasing: table.text[first.start..<first.end]), reason,
                    at: first.start, record: firstRecord + first.before + passed)
            }
        }
        for row in problems.keys.sorted() {
            flush(upTo: row)
            guard let reason = problems[row] else { continue }
            let passed = table.broken.count - broken.count
            reject(
                table.verbatim(row), reason,
                at: reason.details.offset ?? table.rows[row * 2],
                record: firstRecord + row + passed)
        }
        flush(upTo: Int.max)
    }

    private func reject(
        _ bytes: UnsafeRawBufferPointer, _ reason: FormatError, at offset: Int, record: Int
    ) {
        let place = lines.place(of: offset)
        document.context.setAside(
            bytes,
            reason.with {
                $0.file = document.input.name
                $0.offset = document.text.offsetInInput.map { $0 + offset }
                $0.line = place.line
                $0.column = place.column
                $0.record = record
                $0.excerpt = CSVDocument.line(document.text.bytes, at: offset)
            }, heading: document.heading)
    }
}
