// What the stages found: counted by change, kind and code, with the first examples. The same log
// serves check and run.

public import Formats

/// One thing a change did or met, counted.
public struct MigrationFinding: Sendable {
    /// What it means for the plan.
    public enum Kind: String, Sendable {
        /// A rule of the plan took care of it.
        case handled
        /// Data that the new schema has no place for, dropped by a line of the plan.
        case lost
        /// Rows listed and kept out.
        case rejected
        /// The plan has no rule for it: nothing is written.
        case needsDecision
    }

    /// One row it happened to.
    public struct Example: Sendable {
        /// The primary key as text, else `#` and the object key.
        public var key: String
        /// The value.
        public var value: String
        /// Why.
        public var reason: String
    }

    /// Position of the step in the plan, from 0.
    public var step: Int
    /// Position of the change in its step, from 0; nil for an expectation.
    public var change: Int?
    /// The change in one line.
    public var line: String
    /// What it means for the plan.
    public var kind: Kind
    /// A stable word, such as `null-without-rule`.
    public var code: String
    /// The class, as it is called at that point.
    public var className: String
    /// The property.
    public var property: String?
    /// How often.
    public var count: Int
    /// The first rows.
    public var examples: [Example]
    /// What to add to the plan, where it needs a decision.
    public var fix: String?
}

/// A row that is kept out, at the moment it is.
public struct RejectedRow {
    /// The change in one line.
    public var line: String
    /// The row's class.
    public var className: String
    /// The primary key as text, else `#` and the object key.
    public var key: String
    /// The property.
    public var property: String?
    /// Why.
    public var reason: String
    /// The rows at that point of the migration, and which of them it is; valid during the call.
    public var batch: RecordBatch
    /// The row's position in the batch.
    public var row: Int
}

/// Gathers findings.
final class MigrationLog {
    private(set) var findings: [MigrationFinding] = []
    private var positions: [String: Int] = [:]
    static let exampleLimit = 5
    /// Called with each row that is kept out.
    var onReject: ((RejectedRow) -> Void)?
    /// Rows kept out, by the position of their class.
    var rejectedRows = 0
    /// True once a rule removed rows (repeated keys, orphans).
    var removedRows = false

    var needsDecision: Bool { findings.contains { $0.kind == .needsDecision } }

    func add(_ finding: MigrationFinding) {
        let key =
            "\(finding.step)/\(finding.change ?? -1)/\(finding.kind.rawValue)/\(finding.code)/"
            + "\(finding.className)/\(finding.property ?? "")"
        if let at = positions[key] {
            findings[at].count += finding.count
            let room = MigrationLog.exampleLimit - findings[at].examples.count
            if room > 0 { findings[at].examples += finding.examples.prefix(room) }
            return
        }
        positions[key] = findings.count
        findings.append(finding)
    }

    /// True when a further example would be kept.
    func wantsExample(
        _ scope: ChangeScope, _ kind: String, _ code: String, _ c: String, _ p: String?
    )
        -> Bool
    {
        let key = "\(scope.step)/\(scope.change)/\(kind)/\(code)/\(c)/\(p ?? "")"
        guard let at = positions[key] else { return true }
        return findings[at].examples.count < MigrationLog.exampleLimit
    }
}

/// The log as one change sees it.
package final class StageLog {
    let log: MigrationLog
    let scope: ChangeScope

    init(_ log: MigrationLog, _ scope: ChangeScope) {
        self.log = log
        self.scope = scope
    }

    /// Notes something of a class as a whole.
    func note(
        _ kind: MigrationFinding.Kind, _ code: String, class name: String,
        property: String? = nil, count: Int = 1, example: MigrationFinding.Example? = nil,
        fix: String? = nil
    ) {
        guard count > 0 else { return }
        log.add(
            MigrationFinding(
                step: scope.step, change: scope.change, line: scope.line, kind: kind, code: code,
                className: name, property: property, count: count,
                examples: example.map { [$0] } ?? [], fix: fix))
    }

    /// Notes something of one row.
    func note(
        _ kind: MigrationFinding.Kind, _ code: String, _ batch: RecordBatch, _ row: Int,
        property: String?, value: String? = nil, reason: String, key: String? = nil,
        fix: String? = nil
    ) {
        let name = batch.classSchema.name
        var example: MigrationFinding.Example?
        if log.wantsExample(scope, kind.rawValue, code, name, property) {
            let text =
                value ?? property.flatMap { batch.column($0)?.value(row).text(limit: 60) } ?? ""
            example = .init(key: key ?? batch.keyText(row), value: text, reason: reason)
        }
        note(kind, code, class: name, property: property, example: example, fix: fix)
        if kind == .rejected {
            log.rejectedRows += 1
            log.onReject?(
                RejectedRow(
                    line: scope.line, className: name, key: key ?? batch.keyText(row),
                    property: property, reason: reason, batch: batch, row: row))
        }
    }
}

extension RecordBatch {
    /// The column of a property's name.
    func column(_ name: String) -> Column? { classSchema.index(of: name).map { columns[$0] } }

    /// What a row is called: its primary key, else `#` and the object key.
    func keyText(_ row: Int) -> String {
        if let name = classSchema.primaryKey, let column = column(name) {
            return column.value(row).text(limit: 60)
        }
        return keys.count > row ? "#\(keys[row])" : "row \(firstRecord + row)"
    }
}
