import Foundation

@testable import Formats
@testable import Migrator

/// A store written as values: rows of classes by name, with object keys in order from 0 unless
/// given.
struct SmallStore {
    var schema: Schema
    var rows: [(className: String, key: Int64, values: [Value])] = []

    init(_ classes: [ClassSchema], version: UInt64? = 1) {
        schema = Schema(version: version, classes: classes)
    }

    /// A class with rows; the object keys count from `first`.
    func with(_ className: String, first: Int64 = 0, _ rows: [[Value]]) -> SmallStore {
        var copy = self
        for (i, values) in rows.enumerated() {
            copy.rows.append((className, first + Int64(i), values))
        }
        return copy
    }

    /// Writes the store into a file.
    func write(_ path: String) throws {
        let writer = try StoreWriter(
            output: try OutputFile.create(path, force: true), schema: schema,
            context: ExchangeContext())
        let batch = RecordBatch(schema: schema)
        for row in rows {
            guard let c = schema.index(of: row.className) else { continue }
            batch.begin(class: c)
            batch.append(values: row.values, key: row.key)
            try writer.write(batch)
        }
        try writer.finish()
    }
}

/// A store read back as values.
struct ReadStore {
    var schema: Schema
    var classes: [String: [(key: Int64, values: [Value])]] = [:]

    init(_ path: String) throws {
        let store = try Store.open(path)
        schema = store.schema
        let reader = store.makeReader()
        let batch = RecordBatch(schema: store.schema)
        while try reader.next(into: batch) {
            for i in 0..<batch.rowCount {
                classes[batch.classSchema.name, default: []].append(
                    (batch.keys[i], batch.values(row: i)))
            }
        }
    }

    /// The values of a class, row by row.
    func rows(_ name: String) -> [[Value]] { classes[name]?.map(\.values) ?? [] }
    /// The object keys of a class.
    func keys(_ name: String) -> [Int64] { classes[name]?.map(\.key) ?? [] }
    /// A class's definition.
    func definition(_ name: String) -> ClassSchema? {
        schema.index(of: name).map { schema.classes[$0] }
    }
}

/// A temporary folder, removed when it goes.
final class TemporaryFolder {
    let path: String

    init() {
        path = NSTemporaryDirectory() + "rtool-migrator-\(Foundation.UUID().uuidString)"
        try? FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { path + "/" + name }
}

/// What came of a migration.
struct Outcome {
    var report: MigrationReport
    var store: ReadStore?
    var rejected: [String] = []

    func count(_ kind: MigrationFinding.Kind, _ code: String? = nil) -> Int {
        report.findings.filter { $0.kind == kind && (code == nil || $0.code == code) }
            .reduce(0) { $0 + $1.count }
    }
}

/// Runs changes, written as in a plan, on a store: checked first, then carried out; both must
/// say the same.
func migrate(
    _ store: SmallStore, _ changes: String, expect: String = "[]", format: UInt8 = 24
) throws -> Outcome {
    let folder = TemporaryFolder()
    let path = folder.file("old.realm")
    try store.write(path, format: format)
    if format < 10, let keep = ProcessInfo.processInfo.environment["RTOOL_KEEP"] {
        try? FileManager.default.copyItem(
            atPath: path, toPath: keep + "/old\(format)-\(Foundation.UUID().uuidString).realm")
    }
    let text = """
        {"rtoolPlan": 1, "name": "test", "steps": [{"from": \(store.schema.version ?? 0),
         "to": 99, "changes": \(changes), "expect": \(expect)}]}
        """
    return try migrate(path, MigrationPlan(json: Array(text.utf8)), in: folder)
}

func migrate(_ path: String, _ plan: MigrationPlan, in folder: TemporaryFolder) throws -> Outcome {
    // The plan must survive being written and read.
    let again = try MigrationPlan(json: Array(plan.json().text.utf8))
    precondition(again.lines == plan.lines, "a plan reads back as \(again.lines)")
    let checked = try MigrationRun(plan, store: Store.open(path)).check()
    var run = MigrationRun(plan, store: try Store.open(path))
    var rejected: [String] = []
    run.onReject = { rejected.append("\($0.className) \($0.key): \($0.reason)") }
    let output = folder.file("new-\(UInt32.random(in: 0 ... .max)).realm")
    let report = try run.write(to: output)
    precondition(
        summary(checked) == summary(report),
        "check and run differ:\n\(summary(checked))\n\(summary(report))")
    if report.isWritten, let keep = ProcessInfo.processInfo.environment["RTOOL_KEEP"] {
        try? FileManager.default.copyItem(
            atPath: output, toPath: keep + "/\(Foundation.UUID().uuidString).realm")
    }
    return Outcome(
        report: report, store: report.isWritten ? try ReadStore(output) : nil, rejected: rejected)
}

func summary(_ report: MigrationReport) -> [String] {
    report.findings.map {
        "\($0.kind) \($0.code) \($0.className).\($0.property ?? "") \($0.count)"
    } + report.classes.map { "\($0.name) \($0.before ?? -1) \($0.after ?? -1)" } + [
        report.contentBefore, report.contentAfter,
    ]
}
