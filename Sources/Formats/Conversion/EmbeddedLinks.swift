// The rows that links of a class lead to, gathered before the class is written (`--embed N`): the
// opened input is read once more for them.

/// Gathers linked rows.
enum EmbeddedLinks {
    /// The rows that stand inside of others; nil where the options ask for none.
    /// - Parameter reader: makes a reader of its own.
    /// - Throws: `usage` where rows of all classes are written.
    static func gather(
        for result: Shaping.Result, _ context: ExchangeContext,
        _ reader: (ExchangeContext) throws(FormatError) -> any RecordReader
    ) throws(FormatError) -> LinkTargets? {
        let levels = try levels(context.options)
        guard levels > 0 else { return nil }
        guard let classIndex = result.classIndex else {
            throw FormatError(
                .usage, "--embed is for the rows of one class; a store document has all rows once",
                fix: "name the class with --class")
        }
        let wanted = classes(of: result.reader.schema, from: classIndex, levels)
        guard !wanted.isEmpty else { return nil }
        let reader = try reader(ExchangeContext(options: context.options))
        let batch = RecordBatch(schema: reader.schema)
        for (i, known) in reader.schema.classes.enumerated() where known.kind != .embedded {
            batch.begin(class: i)
            for column in batch.columns { column.isWanted = wanted.contains(known.name) }
        }
        let rows = LinkTargets(levels: levels)
        while try reader.next(into: batch) {
            if wanted.contains(batch.classSchema.name) { rows.add(batch) }
        }
        return rows
    }

    /// How many levels the options ask for.
    /// - Throws: `usage` for what is no such number.
    static func levels(_ options: ExchangeOptions) throws(FormatError) -> Int {
        guard let text = options.extra["embed"] else { return 0 }
        guard let levels = Int(text), 0...LinkTargets.most ~= levels else {
            throw FormatError(
                .usage, "--embed needs a number of levels, not \"\(text)\"",
                fix: "use a number from 0 to \(LinkTargets.most)")
        }
        return levels
    }

    /// The classes whose rows can be reached over so many links.
    private static func classes(of schema: Schema, from start: Int, _ levels: Int) -> Set<String> {
        var found: Set<Int> = []
        var front: Set<Int> = [start]
        for _ in 0..<levels {
            let next = targets(of: front, schema).subtracting(found)
            if next.isEmpty { break }
            found.formUnion(next)
            front = next
        }
        return Set(found.map { schema.classes[$0].name })
    }

    /// The classes that rows of some classes link to, also from the objects embedded in them.
    private static func targets(of classes: Set<Int>, _ schema: Schema) -> Set<Int> {
        var targets: Set<Int> = []
        var seen = classes
        var open = Array(classes)
        while let c = open.popLast() {
            for property in schema.classes[c].properties {
                if property.type == .mixed {
                    targets.formUnion(ClassChoice.candidates(in: schema))
                }
                guard property.type == .link,
                    let target = property.target.flatMap({ schema.index(of: $0) })
                else { continue }
                if !schema.isEmbedded(property) {
                    targets.insert(target)
                } else if seen.insert(target).inserted {
                    open.append(target)
                }
            }
        }
        return targets
    }
}
