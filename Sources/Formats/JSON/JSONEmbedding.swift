// Links written as the rows they lead to, so many levels deep (`--embed N`). Cycles end at the
// bound like everything else: from there on a link is a key.

/// Writes linked rows in the place of links.
final class JSONEmbedding {
    private let rows: LinkTargets
    /// The names of the writer's classes.
    private let names: [String]
    private var depth = 0
    private var plans: [ObjectIdentifier: JSONRowPlan] = [:]

    /// A row with all that hangs on it may be this long; further links in it stay keys.
    private let limit: Int

    init(_ rows: LinkTargets, _ schema: Schema, limit: Int = 64 << 20) {
        self.rows = rows
        self.limit = limit
        names = schema.classes.map(\.name)
    }

    /// Writes the row that a link leads to.
    /// - Returns: false, and nothing is written, when the link is to be written as a key.
    func write(_ target: Int, _ key: Int64, _ writer: JSONValueWriter) -> Bool {
        guard depth < rows.levels, target < names.count,
            let place = rows.place(key, of: names[target])
        else { return false }
        guard writer.out.count < limit else {
            writer.report.note(
                .changed, "embed-limit", property: names[target],
                action: "a row with its linked rows grows beyond measure; further links in it "
                    + "were written as keys")
            return false
        }
        let id = ObjectIdentifier(place.batch)
        let plan = plans[id] ?? writer.plan(place.batch, columns: nil)
        plans[id] = plan
        depth += 1
        writer.row(place.row, plan, key: nil)
        depth -= 1
        return true
    }
}
