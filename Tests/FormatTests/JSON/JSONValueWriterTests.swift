import Testing

@testable import Formats

@Suite("JSON values") struct JSONValueWriterTests {
    private static func string(_ random: inout SeededGenerator) -> [UInt8] {
        let pieces = [
            "a", "plain text ", "\"", "\\", "\n", "\u{1}", "é", "日本", "😀", "Привет, мир ", "/",
            "0123456789abcdef", "\u{7F}",
        ]
        return (0..<Int(random.next() % 6)).flatMap { _ in
            Array(pieces[Int(random.next() % UInt64(pieces.count))].utf8)
        }
    }

    @Test(arguments: 0..<20) func aStringIsCopiedWhereNoByteNeedsALook(_ seed: UInt64) {
        var random = SeededGenerator(seed)
        let masks = StringMask()
        for _ in 0..<300 {
            let string = Self.string(&random)
            // What stands behind it must not matter.
            let text = string + (0..<16).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            var copy = [UInt8](repeating: 0, count: string.count + 32)
            for highs in [JSONText.high, 0] {
                let isPlain = !string.contains {
                    $0 < 0x20 || $0 == 0x22 || $0 == 0x5C || ($0 >= 0x80 && highs != 0)
                }
                let isCopied = text.withUnsafeBufferPointer { from in
                    copy.withUnsafeMutableBufferPointer { to in
                        guard let p = from.baseAddress, let d = to.baseAddress else { return false }
                        return JSONText.copy(
                            p, count: string.count, highs: highs, mask: masks.base, to: d)
                    }
                }
                #expect(isCopied == isPlain)
                if isPlain { #expect(Array(copy[..<string.count]) == string) }
            }
        }
    }

    /// Rows of 40 strings and some others, many of them null.
    private func batch(_ random: inout SeededGenerator, isValid: Bool) -> RecordBatch {
        let part = ClassSchema(
            "Part", kind: .embedded,
            properties: [
                Property("order", .int), Property("text", .string, isOptional: true),
                Property("words", .string, collection: .list),
            ])
        let many = (0..<40).map { Property("p\($0)", .string, isOptional: true) }
        let others = [
            Property("n", .int, isOptional: true), Property("d", .date, isOptional: true),
            Property("data", .data, isOptional: true), Property("x", .double, isOptional: true),
            Property("o", .objectId, isOptional: true), Property("$s", .bool, isOptional: true),
            Property("parts", .link, collection: .list, target: "Part"),
            Property("part", .link, isOptional: true, target: "Part"),
            Property("map", .string, collection: .dictionary),
            Property("strings", .string, collection: .list, isOptional: true),
        ]
        let schema = Schema(classes: [ClassSchema("T", properties: many + others), part])
        let batch = RecordBatch(schema: schema, classIndex: 0)
        func append(string column: Column) {
            if random.next() % 3 == 0 { return column.appendNull() }
            var bytes = Self.string(&random)
            if !isValid, random.next() % 20 == 0 { bytes.append(0xC3) }
            bytes.withUnsafeBytes { column.append(bytes: $0) }
        }
        func append(part: RecordBatch) {
            part.columns[0].append(word: Int64(random.next() % 120) - 5)
            append(string: part.columns[1])
            for _ in 0..<random.next() % 3 {
                Self.string(&random).withUnsafeBytes { part.columns[2].elements?.append(bytes: $0) }
            }
            part.columns[2].closeCollection()
            part.closeRow()
        }
        for _ in 0..<30 {
            for column in batch.columns {
                switch column.property.name {
                case "parts":
                    for _ in 0..<random.next() % 3 {
                        column.elements?.openObject()
                        if let child = column.elements?.child { append(part: child) }
                    }
                    column.closeCollection()
                case "map":
                    for k in 0..<random.next() % 3 {
                        column.keys?.append(k == 0 ? "$\"k" : "é\(k)")
                        column.elements?.append("v\"")
                    }
                    column.closeCollection()
                case "strings":
                    for _ in 0..<random.next() % 3 {
                        if let elements = column.elements { append(string: elements) }
                    }
                    column.closeCollection()
                case _ where column.type == .string: append(string: column)
                case _ where random.next() % 2 == 0: column.appendNull()
                case "part":
                    column.openObject()
                    append(part: column.child)
                case "n", "$s": column.append(word: Int64(random.next() % 2))
                case "x": column.append(word: Int64(bitPattern: Double.nan.bitPattern))
                case "d": column.append(Timestamp(seconds: 1_700_000_000))
                case "o": column.append(ObjectID(high: random.next(), low: 7))
                default: [1, 2, 3].withUnsafeBytes { column.append(bytes: $0) }
                }
            }
            batch.closeRow()
        }
        return batch
    }

    @Test(arguments: 0..<10, [true, false])
    func aRowIsItsCellsUnderTheirNames(_ seed: UInt64, _ isValid: Bool) {
        var random = SeededGenerator(seed)
        let batch = batch(&random, isValid: isValid)
        for omits in [true, false] {
            let out = RawVector<UInt8>()
            defer { out.destroy() }
            let writer = JSONValueWriter(
                out: out, schema: batch.schema, omitEmpty: omits, report: Report())
            let plan = writer.plan(batch, columns: nil)
            writer.beginBatch()
            for i in 0..<batch.rowCount {
                out.removeAll()
                writer.row(i, plan, key: nil)
                let row = Array(out.elements)
                var expected = "{"
                for (slot, column) in batch.columns.enumerated() {
                    let isEmpty =
                        column.layout == .collection
                        ? column.range(i).isEmpty : column.nulls[i] != 0
                    if omits, isEmpty { continue }
                    if expected.count > 1 { expected += "," }
                    let name = column.property.name
                    expected += JSONText.quoted(name.hasPrefix("$") ? "$" + name : name) + ":"
                    out.removeAll()
                    writer.cell(slot, i, plan)
                    expected += String(decoding: out.elements, as: UTF8.self)
                }
                #expect(String(decoding: row, as: UTF8.self) == expected + "}")
            }
        }
    }

    @Test(arguments: 0..<10, [true, false])
    func insideAQuotedCellEachQuoteStandsTwice(_ seed: UInt64, _ isValid: Bool) {
        var random = SeededGenerator(seed)
        let batch = batch(&random, isValid: isValid)
        let (plain, doubled) = (RawVector<UInt8>(), RawVector<UInt8>())
        defer {
            plain.destroy()
            doubled.destroy()
        }
        let (one, two) = (
            JSONValueWriter(out: plain, schema: batch.schema, omitEmpty: true, report: Report()),
            JSONValueWriter(
                out: doubled, schema: batch.schema, omitEmpty: true, report: Report(),
                doublesQuotes: true)
        )
        let plans = (one.plan(batch, columns: nil), two.plan(batch, columns: nil))
        one.beginBatch()
        two.beginBatch()
        for i in 0..<batch.rowCount {
            for slot in batch.columns.indices { one.cell(slot, i, plans.0) }
            for slot in batch.columns.indices { two.cell(slot, i, plans.1) }
            one.row(i, plans.0, key: 3)
            two.row(i, plans.1, key: 3)
        }
        let expected = plain.elements.flatMap { $0 == 0x22 ? [$0, $0] : [$0] }
        #expect(Array(doubled.elements) == expected)
    }
}
