// Plans as JSON text, and back: strict, every slip of the pen an error with its place.

public import Formats

extension MigrationPlan {
    /// The version of the plan's grammar.
    static let grammar = 1

    /// Reads a plan.
    /// - Parameters:
    ///   - json: the text, UTF-8.
    ///   - name: what messages call the text.
    /// - Throws: `malformed`, `unknownName`, `missingValue`, `badValue`, with line and column.
    public init(json: [UInt8], name: String = "plan") throws(FormatError) {
        let input = json.withUnsafeBytes { InputBytes(name: name, copying: $0) }
        try self.init(input)
    }

    /// Reads the plan of a file.
    public static func load(_ path: String) throws(FormatError) -> MigrationPlan {
        try MigrationPlan(InputBytes.open(path))
    }

    private init(_ input: InputBytes) throws(FormatError) {
        let source = try JSONSource(input)
        var scanner = source.scanner(depthLimit: 64)
        do throws(FormatError) {
            let tree = try JSONTree(&scanner)
            try scanner.finish()
            try self.init(tree)
        } catch { throw source.located(error) }
    }

    init(_ tree: JSONTree) throws(FormatError) {
        var members = try PlanMembers(tree, "a plan")
        let grammar = try members.need("rtoolPlan")
        guard grammar.int == 1 else {
            throw FormatError(
                .unsupportedVersion, "this version of plans is not known",
                offset: grammar.offset, fix: "write \"rtoolPlan\": 1")
        }
        let name = try members.text("name")
        let list = try members.need("steps")
        guard let entries = list.array else {
            throw FormatError(.badValue, "steps must be a list", offset: list.offset)
        }
        _ = members.take("$schema")
        _ = members.take("summary")
        try members.finish()
        var steps: [MigrationStep] = []
        for entry in entries { steps.append(try MigrationStep(entry)) }
        self.init(name, steps: steps)
        do throws(FormatError) { try checkOrder() } catch {
            throw error.with { $0.offset = list.offset }
        }
    }

    /// The plan as JSON.
    /// - Throws: `unsupported` when it holds a change that only code can express.
    public func json() throws(FormatError) -> PlanJSON {
        var entries: [PlanJSON] = []
        for step in steps { entries.append(try step.json()) }
        return .members([
            ("rtoolPlan", .int(MigrationPlan.grammar)), ("name", .string(name)),
            ("steps", .array(entries)),
        ])
    }

    /// The plan in readable lines, one a change.
    public var lines: [String] {
        var lines = ["plan \(name): schema version \(firstVersion) to \(lastVersion)"]
        for step in steps {
            lines.append(
                "step \(step.from) -> \(step.to)" + (step.summary.map { ": \($0)" } ?? ""))
            lines += step.changes.map { "  \($0.line)" }
            lines += step.expectations.map { "  expect \($0.line)" }
        }
        return lines
    }
}

extension MigrationStep {
    init(_ tree: JSONTree) throws(FormatError) {
        var members = try PlanMembers(tree, "a step")
        from = try PlanMembers.unsigned(members.need("from"), "from")
        to = try PlanMembers.unsigned(members.need("to"), "to")
        summary = try members.optionalText("summary")
        changes = []
        expectations = []
        let list = try members.need("changes")
        guard let entries = list.array else {
            throw FormatError(.badValue, "changes must be a list", offset: list.offset)
        }
        for entry in entries { changes += Ask.expand(try ChangeTable.change(entry)) }
        if let expect = members.take("expect") {
            guard let entries = expect.array else {
                throw FormatError(.badValue, "expect must be a list", offset: expect.offset)
            }
            for entry in entries { expectations.append(try Expectation(entry)) }
        }
        try members.finish()
    }

    func json() throws(FormatError) -> PlanJSON {
        var entries: [PlanJSON] = []
        for change in changes {
            guard let json = change.json else {
                throw FormatError(
                    .unsupported, "\(type(of: change).name) stands in code only: \(change.line)")
            }
            entries.append(json)
        }
        return .members([
            ("from", .number(String(from))), ("to", .number(String(to))),
            ("summary", summary.map { .string($0) }), ("changes", .array(entries)),
            ("expect", expectations.isEmpty ? nil : .array(expectations.map(\.json))),
        ])
    }
}

extension MigrationPlan: Codable {
    /// Reads a plan through a decoder; places in messages are not known then.
    public init(from decoder: any Decoder) throws {
        try self.init(JSONTree(PlanJSON(from: decoder)))
    }

    /// Writes the plan.
    public func encode(to encoder: any Encoder) throws { try json().encode(to: encoder) }
}

extension JSONTree {
    /// A value that never was text.
    init(_ json: PlanJSON) {
        switch json {
        case .null: self.init(JSONTree.Value.null)
        case .bool(let value): self.init(JSONTree.Value.bool(value))
        case .number(let text): self.init(JSONTree.Value.number(text))
        case .string(let text): self.init(JSONTree.Value.string(text))
        case .array(let elements): self.init(JSONTree.Value.array(elements.map { JSONTree($0) }))
        case .object(let members):
            self.init(JSONTree.Value.object(members.map { ($0.name, JSONTree($0.value)) }))
        }
    }
}

extension ChangeTable {
    /// Reads one change.
    static func change(_ tree: JSONTree) throws(FormatError) -> any Change {
        var members = try PlanMembers(tree, "a change")
        guard let first = members.first else {
            throw FormatError(
                .missingValue, "a change names itself by its first member", offset: tree.offset)
        }
        // A decoder may have lost the order of the members.
        let mark = tree.members?.first { kinds[$0.name] != nil }
        guard let mark, let kind = kinds[mark.name] else {
            throw FormatError(
                .unknownName, "there is no change \"\(first.name)\"", offset: tree.offset,
                fix: suggestion(for: first.name, among: kinds.keys.sorted()))
        }
        members = try PlanMembers(tree, mark.name)
        let subject = try members.need(mark.name)
        let change = try kind.init(subject, &members)
        // A remark for people; drafts put their marks there.
        _ = try members.optionalText("note")
        try members.finish()
        return change
    }
}
