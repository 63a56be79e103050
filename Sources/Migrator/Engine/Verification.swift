// Proof that the result is what was meant: columns no change touched come out equal, the file
// holds what went into it, and its inner order is sound.

internal import Formats

/// Compares a migration's two ends and its file.
struct Verification {
    private let chain: MigrationChain
    private let lineage: [ClassLineage]

    init(_ chain: MigrationChain) {
        self.chain = chain
        lineage = chain.lineage
    }

    /// A hash of a text, 16 hex digits.
    static func hash(_ text: String) -> String {
        var hash = SipHash(key0: 0x706C_616E, key1: 0)
        hash.add(text)
        let digits = String(hash.finish64(), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// The rows of all classes, and how many columns stayed as they were.
    func counts() -> [MigrationReport.ClassCount] {
        var counts: [MigrationReport.ClassCount] = []
        var known: Set<Int> = []
        for (i, definition) in chain.output.classes.enumerated() where definition.kind != .embedded
        {
            let lineage = lineage[i]
            let before = lineage.source ?? chain.input.index(of: definition.name)
            if let before { known.insert(before) }
            let unchanged = lineage.columns.count { $0 != nil }
            counts.append(
                .init(
                    name: definition.name, before: before.map { chain.before.classes[$0].rows },
                    after: chain.after.classes[i].rows, unchangedColumns: unchanged,
                    changedColumns: lineage.columns.count - unchanged))
        }
        for (i, definition) in chain.input.classes.enumerated()
        where definition.kind != .embedded && !known.contains(i) {
            counts.append(
                .init(
                    name: definition.name, before: chain.before.classes[i].rows, after: nil))
        }
        return counts
    }

    /// Checks a written store.
    /// - Throws: `defect` with what differs.
    func verify(_ store: Store, checksAll: Bool) throws(FormatError) {
        try compareEnds()
        // The rows are compared here while another thread, which knows the store alone, looks at
        // its inner order.
        var check: StoreCheckResult?
        try inParallel { () throws(FormatError) in
            try compareFile(store, checksAll: checksAll)
        } _: { () throws(FormatError) in
            check = store.check()
        }
        if let finding = check?.findings.first {
            throw FormatError(
                .defect,
                "the written store is not sound: \(finding.code) at \(finding.place): "
                    + finding.message, offset: finding.offset)
        }
    }

    /// Columns no change touched hold what they held.
    private func compareEnds() throws(FormatError) {
        for (i, lineage) in lineage.enumerated() {
            guard let source = lineage.source else { continue }
            let definition = chain.output.classes[i]
            if definition.kind == .embedded { continue }
            let before = chain.before.classes[source]
            let after = chain.after.classes[i]
            // Rows that a rule kept out are counted there.
            guard before.rows == after.rows else {
                if chain.log.rejectedRows > 0 || chain.log.removedRows { continue }
                throw differs(definition.name, nil, "\(before.rows) rows became \(after.rows)")
            }
            if before.keys != after.keys {
                throw differs(definition.name, nil, "object keys changed")
            }
            for (p, column) in lineage.columns.enumerated() {
                guard let column else { continue }
                let property = definition.properties[p]
                if property.type == .table || !isWhole(property) { continue }
                if before.columns[column] != after.columns[p] {
                    throw differs(definition.name, property.name, "values changed")
                }
            }
        }
    }

    /// True for properties without embedded objects that a change touched.
    private func isWhole(_ property: Property, _ depth: Int = 0) -> Bool {
        guard depth < 64, chain.output.isEmbedded(property),
            let target = property.target.flatMap({ chain.output.index(of: $0) })
        else { return depth < 64 }
        let lineage = lineage[target]
        guard let source = lineage.source,
            lineage.columns.count == chain.input.classes[source].properties.count,
            lineage.columns.enumerated().allSatisfy({ $0 == $1 })
        else { return false }
        return chain.output.classes[target].properties.allSatisfy { inner in
            inner.target == property.target || isWhole(inner, depth + 1)
        }
    }

    /// The file holds what went into it.
    private func compareFile(_ store: Store, checksAll: Bool) throws(FormatError) {
        let names = store.schema.classes.map { definition in
            chain.output.classes.firstIndex {
                $0.name == definition.name && $0.isTable == definition.isTable
            }
        }
        let tokens = names.map { UInt64($0.map { chain.positions[$0] } ?? .max) }
        let digest = ContentDigest(store.schema, tokens: tokens)
        let reader = store.makeReader()
        let batch = RecordBatch(schema: store.schema)
        while try reader.next(into: batch) { digest.add(batch) }
        for (i, definition) in chain.output.classes.enumerated() {
            if definition.kind == .embedded { continue }
            guard let j = names.firstIndex(of: i) else {
                throw differs(definition.name, nil, "the class is missing in the file")
            }
            let wanted = chain.after.classes[i]
            let found = digest.classes[j]
            if wanted.rows != found.rows || wanted.keys != found.keys {
                throw differs(
                    definition.name, nil, "\(found.rows) of \(wanted.rows) rows in the file")
            }
            let other = store.schema.classes[j]
            for (p, property) in definition.properties.enumerated() {
                if holdsTables(property) { continue }
                guard let q = other.index(of: property.name) else {
                    throw differs(definition.name, property.name, "missing in the file")
                }
                if checksAll, wanted.columns[p] != found.columns[q] {
                    throw differs(definition.name, property.name, "the file holds other values")
                }
            }
        }
        if store.schema.version != chain.output.version {
            throw differs("", nil, "the file has another schema version")
        }
    }

    /// True for old subtables, which become classes in the file.
    private func holdsTables(_ property: Property, _ depth: Int = 0) -> Bool {
        if property.type == .table || property.type == .mixed && chain.hasTables { return true }
        guard depth < 64, chain.output.isEmbedded(property),
            let target = property.target.flatMap({ chain.output.index(of: $0) })
        else { return false }
        return chain.output.classes[target].properties.contains {
            $0.target != property.target && holdsTables($0, depth + 1)
        }
    }

    private func differs(_ name: String, _ property: String?, _ message: String) -> FormatError {
        FormatError(
            .defect, "the result is not what the plan says: \(message)",
            recordName: "class \(name)", property: property,
            fix: "nothing was changed; please report this with the plan")
    }
}

extension MigrationChain {
    /// True when the input has columns of subtables.
    var hasTables: Bool {
        input.classes.contains { $0.properties.contains { $0.type == .table } }
    }
}
