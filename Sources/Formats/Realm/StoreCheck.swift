// Checks a whole store: what the parts under Check find is gathered here. A check reads
// everything and repairs nothing.

/// What a check of a store found.
public struct StoreCheckResult: Sendable {
    /// One thing that is wrong.
    public struct Finding: Sendable {
        /// A stable word, such as `backlink-mismatch`.
        public var code: String
        /// Class and property, or the part of the file.
        public var place: String
        /// The byte the finding is about, where one can be named.
        public var offset: Int?
        /// One sentence.
        public var message: String
    }

    /// What is wrong, in the order of the check; at most `findingLimit` of a kind.
    public internal(set) var findings: [Finding] = []
    /// Findings that were left out because there were too many of their kind.
    public internal(set) var more = 0
    /// Live nodes.
    public internal(set) var nodes = 0
    /// Bytes of live nodes.
    public internal(set) var liveBytes = 0
    /// Bytes in the free list.
    public internal(set) var freeBytes = 0
    /// Bytes that are neither: an error in the normal form, allowed in the streaming form.
    public internal(set) var gapBytes = 0
    /// Tables, internal ones included.
    public internal(set) var tables = 0
    /// Rows of all tables.
    public internal(set) var rows = 0
    /// Entries of all search indexes.
    public internal(set) var indexEntries = 0
    /// Links, each element of a collection counted.
    public internal(set) var links = 0

    /// True when nothing is wrong.
    public var isClean: Bool { findings.isEmpty }

    static let findingLimit = 20
    private var counts: [String: Int] = [:]

    mutating func add(_ code: String, _ place: String, _ offset: Int?, _ message: String) {
        counts[code, default: 0] += 1
        guard counts[code, default: 0] <= StoreCheckResult.findingLimit else {
            more += 1
            return
        }
        findings.append(Finding(code: code, place: place, offset: offset, message: message))
    }

    /// Takes over what another part of the check found.
    mutating func join(_ other: StoreCheckResult) {
        for finding in other.findings {
            add(finding.code, finding.place, finding.offset, finding.message)
        }
        more += other.more
        nodes += other.nodes
        liveBytes += other.liveBytes
        freeBytes += other.freeBytes
        gapBytes += other.gapBytes
        tables += other.tables
        rows += other.rows
        indexEntries += other.indexEntries
        links += other.links
    }

    mutating func add(_ error: FormatError, _ place: String, code: String = "damaged") {
        let details = error.details
        let whole = details.property.map { place.isEmpty ? $0 : "\(place).\($0)" } ?? place
        add(code, whole, details.offset, details.message)
    }
}

/// The state the parts of a check share.
final class CheckContext {
    let store: Store
    let gate: NodeGate
    let group: Group
    let plan: SnapshotPlan
    let session: ReadSession
    /// The schema with every class an ordinary one, so that embedded objects are read as rows.
    let flatSchema: Schema
    var result = StoreCheckResult()
    /// The room one attempt to read may take.
    let portion: Int

    init(_ store: Store) throws(FormatError) {
        self.store = store
        gate = CheckContext.gate(store)
        portion = (64 << 20) + 2 * store.image.bytes.count
        group = try Group(gate, top: store.topReference)
        var plan = try ModernSchema.plan(gate, group, isWhole: true)
        for i in plan.tables.indices {
            for j in plan.tables[i].columns.indices {
                plan.tables[i].columns[j].embeddedClass = nil
            }
        }
        self.plan = plan
        session = ReadSession(gate, tables: plan.tables.map(\.tableKey))
        var schema = plan.schema
        for i in schema.classes.indices { schema.classes[i].kind = .object }
        flatSchema = schema
    }

    /// The same store for a part of the check that works beside the others.
    init(beside other: CheckContext) {
        store = other.store
        gate = CheckContext.gate(other.store)
        portion = other.portion
        group = other.group
        plan = other.plan
        session = ReadSession(gate, tables: other.session.tableOfClass)
        flatSchema = other.flatSchema
    }

    private static func gate(_ store: Store) -> NodeGate {
        let gate = NodeGate(store.image)
        // The parts of a check pass the nodes several times, each of them proven to be one of a tree.
        gate.visitsLeft = .max / 2
        gate.hollowLeft = gate.hollowLeft.multipliedReportingOverflow(by: 4).partialValue
        return gate
    }

    /// What messages call a class.
    func name(_ index: Int) -> String { plan.schema.classes[index].name }

    /// Notes a failure and goes on.
    func attempt(_ place: String, _ body: () throws(FormatError) -> Void) {
        do throws(FormatError) { try body() } catch { result.add(error, place) }
    }
}

extension Store {
    /// Below this size a second thread is not worth its start.
    private static let smallCheck = 1 << 20

    /// Checks everything: that each node is reached once and each byte accounted for, that trees,
    /// leaves, indexes, links and the order of sets and dictionaries hold what they promise.
    public func check() -> StoreCheckResult {
        guard topReference != 0 else { return StoreCheckResult() }
        if fileFormat < 10 { return OldCheck.run(self) }
        let context: CheckContext
        do throws(FormatError) {
            context = try CheckContext(self)
        } catch {
            var result = StoreCheckResult()
            result.add(error, "root")
            return result
        }
        // A snapshot that goes in circles is not walked any further: nothing would end.
        guard SpaceCheck.run(context) else { return context.result }
        guard image.bytes.count > Store.smallCheck, System.processorCount > 1 else {
            TableCheck.run(context)
            LinkCheck.run(context)
            IndexCheck.run(context)
            return context.result
        }
        // Each of the two has all that it changes to itself; the store and its plan are only read.
        nonisolated(unsafe) let rows = context
        nonisolated(unsafe) let indexes = CheckContext(beside: context)
        System.inParallel(2) { number in
            if number == 0 {
                TableCheck.run(rows)
                LinkCheck.run(rows)
            } else {
                IndexCheck.run(indexes)
            }
        }
        rows.result.join(indexes.result)
        return rows.result
    }
}
