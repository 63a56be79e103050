// What a check found or a run did: values for whoever shows them.

internal import Formats

/// What a migration found and did.
public struct MigrationReport: Sendable {
    /// The rows of one class.
    public struct ClassCount: Sendable {
        /// The class.
        public var name: String
        /// Rows before; nil for a class that was not there.
        public var before: Int?
        /// Rows afterwards; nil for a class that is no more.
        public var after: Int?
        /// Columns proven to hold the same values in the same order as before.
        public var unchangedColumns = 0
        /// Columns that were worked out anew.
        public var changedColumns = 0
    }

    /// The plan's name.
    public var plan: String
    /// A hash of the plan's text, 16 hex digits.
    public var planHash: String
    /// The schema version of the store.
    public var from: UInt64
    /// The schema version it was led to.
    public var to: UInt64
    /// The file format of the store, where it is a Realm file.
    public var fileFormat: Int?
    /// The changes carried out, one line each, by step.
    public var lines: [(step: Int, line: String)] = []
    /// The time zones the plan names.
    public var zones: [String] = []
    /// A hash of all rows before, 16 hex digits.
    public var contentBefore = ""
    /// A hash of all rows afterwards.
    public var contentAfter = ""
    /// The classes, those before first.
    public var classes: [ClassCount] = []
    /// What happened, in the order it was met.
    public var findings: [MigrationFinding] = []
    /// Rows listed and kept out.
    public var rejected = 0
    /// Where the original is kept, after a migration in place.
    public var original: String?
    /// True once the result was written, verified and given its name.
    public var isWritten = false
    /// True when the rows came along in the nodes they stood in.
    package var isCarried = false

    /// True when the plan has no rule for something: nothing is written then.
    public var needsDecision: Bool { findings.contains { $0.kind == .needsDecision } }
    /// True when the store has the target version already.
    public var isUpToDate: Bool { from == to }
}
