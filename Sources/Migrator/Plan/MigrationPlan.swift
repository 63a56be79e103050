// A plan as a pure value: steps from schema version to schema version, each with its changes and
// what must hold afterwards. Reading and writing its JSON stands in `PlanText`.

public import Formats

/// How a store's classes become those of a newer schema version.
///
/// ```swift
/// let plan = MigrationPlan("to-do") {
///     MigrationStep(from: 0, to: 1) {
///         RenameProperty("Task.taskTitle", to: "title")
///         AddProperty("Task.priority", .int, value: 1)
///     }
/// }
/// ```
///
/// The same plan as JSON is read by `MigrationPlan(json:)` and written by `json`.
public struct MigrationPlan: Sendable {
    /// What the plan is called.
    public var name: String
    /// The steps, in ascending order; each begins where the one before ends.
    public var steps: [MigrationStep]

    /// A plan of steps.
    public init(_ name: String, steps: [MigrationStep]) {
        self.name = name
        self.steps = steps
    }

    /// A plan written in code.
    public init(_ name: String, @MigrationStepsBuilder steps: () -> [MigrationStep]) {
        self.init(name, steps: steps())
    }

    /// The schema version the plan begins at; 0 for a plan without steps.
    public var firstVersion: UInt64 { steps.first?.from ?? 0 }
    /// The schema version the plan leads to.
    public var lastVersion: UInt64 { steps.last?.to ?? 0 }

    /// The steps that lead from one version to another.
    /// - Throws: `unsupportedVersion` when the store is older than the plan knows, newer than it,
    ///   or when no step begins or ends there.
    public func steps(from version: UInt64, to target: UInt64? = nil) throws(FormatError)
        -> [MigrationStep]
    {
        try checkOrder()
        let target = target ?? lastVersion
        if version == target { return [] }
        let known = "the plan \(name) leads from \(firstVersion) to \(lastVersion)"
        if version > target {
            throw FormatError(
                .unsupportedVersion,
                "the store is newer than the plan: it has schema version \(version); \(known)",
                fix: "a plan never leads back; use the plan of a newer app")
        }
        if version < firstVersion {
            throw FormatError(
                .unsupportedVersion,
                "the store is older than the plan: it has schema version \(version); \(known)",
                fix: "add the steps from version \(version) on to the plan")
        }
        guard let begin = steps.firstIndex(where: { $0.from == version }),
            let end = steps.firstIndex(where: { $0.to == target })
        else {
            let stops = ([firstVersion] + steps.map(\.to)).map(String.init)
            throw FormatError(
                .unsupportedVersion,
                "no step of the plan leads from \(version) to \(target)",
                fix: "the plan knows the versions " + stops.joined(separator: ", "))
        }
        return Array(steps[begin...end])
    }

    /// Checks that the steps follow each other.
    func checkOrder() throws(FormatError) {
        guard !steps.isEmpty else {
            throw FormatError(.missingValue, "the plan \(name) has no steps")
        }
        for (i, step) in steps.enumerated() {
            if step.to <= step.from {
                throw FormatError(
                    .badValue, "a step leads upwards, not from \(step.from) to \(step.to)")
            }
            if i > 0, step.from != steps[i - 1].to {
                throw FormatError(
                    .badValue,
                    "step \(i + 1) begins at \(step.from), but the one before ends at "
                        + "\(steps[i - 1].to)", fix: "steps follow each other without a gap")
            }
        }
    }
}

/// One step of a plan.
public struct MigrationStep: Sendable {
    /// The schema version the step begins at.
    public var from: UInt64
    /// The schema version the step leads to.
    public var to: UInt64
    /// What the step is for.
    public var summary: String?
    /// The changes, in order.
    public var changes: [any Change]
    /// What must hold after the step.
    public var expectations: [Expectation]

    /// A step.
    public init(
        from: UInt64, to: UInt64, summary: String? = nil, changes: [any Change],
        expect: [Expectation] = []
    ) {
        self.from = from
        self.to = to
        self.summary = summary
        self.changes = changes
        expectations = expect
    }

    /// A step written in code.
    public init(
        from: UInt64, to: UInt64, summary: String? = nil, expect: [Expectation] = [],
        @ChangesBuilder changes: () -> [any Change]
    ) {
        self.init(from: from, to: to, summary: summary, changes: changes(), expect: expect)
    }
}

/// Gathers the steps of a plan written in code.
@resultBuilder public enum MigrationStepsBuilder {
    /// One step.
    public static func buildExpression(_ step: MigrationStep) -> [MigrationStep] { [step] }
    /// All steps.
    public static func buildBlock(_ parts: [MigrationStep]...) -> [MigrationStep] {
        parts.flatMap { $0 }
    }
    /// The steps of a loop.
    public static func buildArray(_ parts: [[MigrationStep]]) -> [MigrationStep] {
        parts.flatMap { $0 }
    }
    /// A step that may be left out.
    public static func buildOptional(_ part: [MigrationStep]?) -> [MigrationStep] { part ?? [] }
}

/// Gathers the changes of a step written in code.
@resultBuilder public enum ChangesBuilder {
    /// One change.
    public static func buildExpression(_ change: any Change) -> [any Change] { [change] }
    /// All changes.
    public static func buildBlock(_ parts: [any Change]...) -> [any Change] {
        parts.flatMap { $0 }
    }
    /// The changes of a loop.
    public static func buildArray(_ parts: [[any Change]]) -> [any Change] {
        parts.flatMap { $0 }
    }
    /// Changes that may be left out.
    public static func buildOptional(_ part: [any Change]?) -> [any Change] { part ?? [] }
    /// Changes of one branch.
    public static func buildEither(first part: [any Change]) -> [any Change] { part }
    /// Changes of the other branch.
    public static func buildEither(second part: [any Change]) -> [any Change] { part }
}
