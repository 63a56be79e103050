// Stages that only look: at the rows a migration begins and ends with, and at what a step must
// keep or reach.

internal import Formats

/// Shows the batches of the counting pass to somebody.
final class TapStage: Stage {
    let output: Schema
    private let body: (RecordBatch) throws(FormatError) -> Void

    init(_ schema: Schema, _ body: @escaping (RecordBatch) throws(FormatError) -> Void) {
        output = schema
        self.body = body
    }

    var lineage: [ClassLineage] { ClassLineage.same(output) }
    var carried: [CarriedRows]? { CarriedRows.same(output) }

    func prepare(_ source: any RowSource, log: StageLog) throws(FormatError) {}

    func open(_ source: any RowSource, classes: Set<Int>?, log: StageLog?) throws(FormatError)
        -> any RowStream
    {
        let stream = try source.open(classes: classes, counting: log != nil)
        return log == nil ? stream : TapStream(stream, body)
    }
}

private final class TapStream: RowStream {
    private let stream: any RowStream
    private let body: (RecordBatch) throws(FormatError) -> Void

    init(_ stream: any RowStream, _ body: @escaping (RecordBatch) throws(FormatError) -> Void) {
        self.stream = stream
        self.body = body
    }

    func next() throws(FormatError) -> RecordBatch? {
        guard let batch = try stream.next() else { return nil }
        try body(batch)
        return batch
    }
}

extension ClassLineage {
    /// Each class as it is.
    static func same(_ schema: Schema) -> [ClassLineage] {
        schema.classes.enumerated().map { i, c in
            ClassLineage(source: i, columns: c.properties.indices.map { $0 })
        }
    }

    /// Where the classes of a later stage come from, by way of an earlier one.
    static func join(_ earlier: [ClassLineage], _ later: [ClassLineage]) -> [ClassLineage] {
        later.map { lineage in
            guard let middle = lineage.source, middle < earlier.count,
                let source = earlier[middle].source
            else { return ClassLineage(source: nil, columns: lineage.columns.map { _ in nil }) }
            return ClassLineage(
                source: source,
                columns: lineage.columns.map { column in
                    column.flatMap {
                        $0 < earlier[middle].columns.count
                            ? earlier[middle].columns[$0] : nil
                    }
                })
        }
    }
}

/// Gathers what the expectations of a step ask for, on one side of it.
final class ExpectationProbe {
    let schema: Schema
    private(set) var rows: [Int]
    private var distinct: [(PropertyName, Int, Int, Set<UInt64>, Bool)] = []
    private var sums: [(Expectation.Aggregate, PropertyName, Int, Int, Value)] = []
    private var conditions: [(String, String, Int, Predicate, Int, String)] = []

    init(_ schema: Schema) {
        self.schema = schema
        rows = schema.classes.map { _ in 0 }
    }

    func addDistinct(_ name: PropertyName, _ at: (Int, Int)) {
        distinct.append((name, at.0, at.1, [], false))
    }

    func addAggregate(_ kind: Expectation.Aggregate, _ name: PropertyName, _ at: (Int, Int)) {
        sums.append((kind, name, at.0, at.1, .null))
    }

    func addNone(_ name: String, _ text: String, _ c: Int, _ predicate: Predicate) {
        conditions.append((name, text, c, predicate, 0, ""))
    }

    func see(_ batch: RecordBatch) {
        rows[batch.classIndex] += batch.rowCount
        for i in distinct.indices where distinct[i].1 == batch.classIndex {
            let column = batch.columns[distinct[i].2]
            for row in 0..<batch.rowCount {
                let hash = ValueHash.of(column, row)
                if !distinct[i].3.insert(hash).inserted { distinct[i].4 = true }
            }
        }
        for i in sums.indices where sums[i].2 == batch.classIndex {
            let column = batch.columns[sums[i].3]
            for row in 0..<batch.rowCount {
                sums[i].4 = ExpectationProbe.join(sums[i].0, sums[i].4, column.value(row))
            }
        }
        for i in conditions.indices where conditions[i].2 == batch.classIndex {
            for row in 0..<batch.rowCount where conditions[i].3.matches(batch, row) {
                if conditions[i].4 == 0 { conditions[i].5 = batch.keyText(row) }
                conditions[i].4 += 1
            }
        }
    }

    private static func join(_ kind: Expectation.Aggregate, _ a: Value, _ b: Value) -> Value {
        switch (a, b) {
        case (.null, _): return b
        case (_, .null): return a
        case (.int(let x), .int(let y)):
            return .int(kind == .sum ? x &+ y : kind == .min ? min(x, y) : max(x, y))
        case (.double(let x), .double(let y)):
            return .double(kind == .sum ? x + y : kind == .min ? min(x, y) : max(x, y))
        case (.float(let x), .float(let y)):
            return .float(kind == .sum ? x + y : kind == .min ? min(x, y) : max(x, y))
        case (.date(let x), .date(let y)):
            let isFirst = (x.seconds, x.nanoseconds) < (y.seconds, y.nanoseconds)
            return (kind == .min) == isFirst ? a : b
        case (.string(let x), .string(let y)):
            return (kind == .min) == (x < y) ? a : b
        default: return a
        }
    }

    func hasRepeats(_ name: PropertyName) -> Bool {
        distinct.contains { $0.0 == name && $0.4 }
    }

    func aggregate(_ kind: Expectation.Aggregate, _ name: PropertyName) -> Value {
        sums.first { $0.0 == kind && $0.1 == name }?.4 ?? .null
    }

    func matches(_ name: String, _ text: String) -> (count: Int, first: String) {
        conditions.first { $0.0 == name && $0.1 == text }.map { ($0.4, $0.5) } ?? (0, "")
    }
}

/// A value as one number, for telling repeats.
enum ValueHash {
    static func of(_ column: Column, _ row: Int) -> UInt64 {
        let out = RawVector<UInt8>(capacity: 32)
        defer { out.destroy() }
        RowContent.append(column, row, to: out)
        var hash = SipHash(key0: 1, key1: 2)
        hash.add(UnsafeRawBufferPointer(out.elements))
        return hash.finish64()
    }
}
