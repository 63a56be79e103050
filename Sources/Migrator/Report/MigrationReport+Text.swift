// The report of a migration for people and as JSON: the same facts twice; a change here concerns
// both.

package import Formats

extension MigrationReport {
    /// The report for people, without a line end after the last line.
    public var text: String {
        var lines = ["plan \(plan): schema version \(from) -> \(to)"]
        if let fileFormat { lines[0] += ", from file format \(fileFormat)" }
        if isUpToDate {
            lines[0] = "plan \(plan): the store has schema version \(to) already"
            return lines[0]
        }
        var step: Int?
        for (i, line) in self.lines {
            if i != step { lines.append("step \(i + 1)") }
            step = i
            lines.append("  \(line)")
        }
        if !zones.isEmpty { lines.append("time zones: " + zones.joined(separator: ", ")) }
        for count in classes {
            let before = count.before.map { "\($0)" } ?? "no"
            var line = "\(count.name): \(before) rows -> \(count.after.map { "\($0)" } ?? "none")"
            if count.after != nil, count.before != nil {
                line +=
                    count.changedColumns == 0
                    ? ", proven equal"
                    : ", \(count.unchangedColumns) properties proven equal, "
                        + "\(count.changedColumns) worked out"
            }
            lines.append(line)
        }
        for finding in findings { lines += finding.lines }
        if needsDecision {
            let count = findings.count { $0.kind == .needsDecision }
            lines.append(
                "nothing was written: the plan needs \(count) decision\(count == 1 ? "" : "s")")
        }
        if let original { lines.append("the original is kept as \(original)") }
        return lines.joined(separator: "\n")
    }

    /// The report as JSON.
    public var json: PlanJSON {
        .members([
            ("plan", .string(plan)), ("planHash", .string(planHash)),
            ("from", .number(String(from))), ("to", .number(String(to))),
            ("fileFormat", fileFormat.map { .int($0) }), ("written", .bool(isWritten)),
            ("needsDecision", .bool(needsDecision)), ("rejected", .int(rejected)),
            ("original", original.map { .string($0) }),
            ("contentBefore", .string(contentBefore)), ("contentAfter", .string(contentAfter)),
            ("zones", .array(zones.map { .string($0) })),
            (
                "changes",
                .array(
                    lines.map { step, line in
                        .members([("step", .int(step + 1)), ("line", .string(line))])
                    })
            ),
            (
                "classes",
                .array(
                    classes.map { count in
                        .members([
                            ("name", .string(count.name)),
                            ("before", count.before.map { .int($0) }),
                            ("after", count.after.map { .int($0) }),
                            ("unchangedProperties", .int(count.unchangedColumns)),
                            ("changedProperties", .int(count.changedColumns)),
                        ])
                    })
            ), ("findings", .array(findings.map(\.json))),
        ])
    }
}

extension MigrationFinding {
    /// What a kind is called.
    private var word: String {
        switch kind {
        case .handled: "handled"
        case .lost: "lost"
        case .rejected: "kept out"
        case .needsDecision: "needs a decision"
        }
    }

    /// The finding for people.
    var lines: [String] {
        var place = className
        if let property { place += ".\(property)" }
        var text = "\(word): \(code)"
        if !place.isEmpty { text += ", \(place)" }
        if count > 1 { text += " x\(count)" }
        var lines = [text, "  by step \(step + 1): \(line)"]
        for example in examples {
            var text = "  \(example.key)"
            if !example.value.isEmpty { text += ": \(example.value)" }
            lines.append(text + (example.reason.isEmpty ? "" : " - \(example.reason)"))
        }
        if count > examples.count, !examples.isEmpty {
            lines.append("  and \(count - examples.count) more")
        }
        if let fix { lines.append("  fix: \(fix)") }
        return lines
    }

    var json: PlanJSON {
        .members([
            ("kind", .string(kind.rawValue)), ("code", .string(code)), ("step", .int(step + 1)),
            ("change", change.map { .int($0 + 1) }), ("line", .string(line)),
            ("class", className.isEmpty ? nil : .string(className)),
            ("property", property.map { .string($0) }), ("count", .int(count)),
            (
                "examples",
                .array(
                    examples.map {
                        .members([
                            ("key", .string($0.key)), ("value", .string($0.value)),
                            ("reason", .string($0.reason)),
                        ])
                    })
            ), ("fix", fix.map { .string($0) }),
        ])
    }

    /// Notes the finding among those of conversions.
    package func note(in report: Report) {
        let kinds: [Kind: Report.ItemClass] = [
            .handled: .changed, .lost: .lost, .rejected: .setAside,
        ]
        guard let item = kinds[kind] else { return }
        let place = property.map { "\(className).\($0)" } ?? className
        report.note(
            item, code, property: place.isEmpty ? nil : place, value: examples.first?.value,
            count: count, action: line)
    }
}
