// Which values of a row are written, and in which order (DESIGN 1.2): rows as objects, lists, and
// the strings and small numbers that most values are. How other values are spelled is in
// `JSONValueWriter+Spelling`. Used by the store document, by rows of a class and by CSV cells.

/// Writes values into a byte vector.
final class JSONValueWriter {
    let out: RawVector<UInt8>
    let classIndices: [String: Int]
    /// Leave out nulls and empty collections.
    let omitEmpty: Bool
    let report: Report
    /// Each quote is written twice, so that the text can stand in a quoted CSV cell.
    let doublesQuotes: Bool
    /// Numbers, dates and UUIDs are spelled in canonical Extended JSON; set before the first plan.
    @exclusivity(unchecked) var isCanonical = false
    /// Values of MongoDB that stores have no type for keep their names; else a name that begins with
    /// `$` gets one more.
    @exclusivity(unchecked) var keepsWrappers = false
    /// Writes linked rows in the place of links.
    @exclusivity(unchecked) var embedding: JSONEmbedding?
    /// `{"$ref":"Name","$key":` of each class.
    let linkHeads: [[UInt8]]
    private let spare = RawVector<UInt8>(capacity: 8)
    private let masks: StringMask
    private let mask: UnsafeRawPointer
    @exclusivity(unchecked) private var generation = 0
    /// The plans of the batches that come in turns.
    private var keptPlans: [JSONRowPlan] = []

    init(
        out: RawVector<UInt8>, schema: Schema, omitEmpty: Bool, report: Report,
        doublesQuotes: Bool = false
    ) {
        self.out = out
        self.omitEmpty = omitEmpty
        self.report = report
        self.doublesQuotes = doublesQuotes
        masks = StringMask()
        mask = masks.base
        var indices: [String: Int] = [:]
        // A class goes before a plain table of the same name.
        for (i, c) in schema.classes.enumerated() where c.isTable { indices[c.name] = i }
        for (i, c) in schema.classes.enumerated() where !c.isTable { indices[c.name] = i }
        classIndices = indices
        linkHeads = schema.classes.map {
            Array("{\"$ref\":\(JSONText.quoted($0.name)),\"$key\":".utf8)
        }
    }

    deinit { spare.destroy() }

    /// A plan for a batch that will be written repeatedly.
    func plan(_ batch: RecordBatch, columns: [Int]?) -> JSONRowPlan {
        JSONRowPlan(
            batch, columns: columns, classIndices: classIndices, omitsEmpty: omitEmpty,
            doublesQuotes: doublesQuotes, isCanonical: isCanonical)
    }

    /// The same, kept: while one batch is written another one is filled.
    func keptPlan(_ batch: RecordBatch, columns: [Int]?) -> JSONRowPlan {
        if let known = keptPlans.first(where: {
            $0.batch === batch && $0.classIndex == batch.classIndex
        }) {
            return known
        }
        let made = plan(batch, columns: columns)
        if keptPlans.count >= 3 { keptPlans.removeFirst() }
        keptPlans.append(made)
        return made
    }

    /// To be called before a batch's rows are written: its vectors may have moved.
    func beginBatch() { generation += 1 }

    // MARK: Rows

    /// Writes a row as an object; `key` becomes its `$key`.
    func row(_ i: Int, _ plan: JSONRowPlan, key: Int64?) {
        plan.bindRows(generation)
        out.reserve(adding: 64)
        var first: UInt8 = 0x7B
        if let key {
            let start = out.count
            out.append("{\"$key\":")
            ScalarText.write(key, to: out)
            first = 0x2C
            if doublesQuotes { doubleQuotes(from: start) }
        }
        out.commit(to: members(i, plan, first, at: out.base + out.count))
    }

    /// Stores the members of a row and the closing brace.
    ///
    /// The end stays in a register while names, strings and small numbers are stored; what takes
    /// a call finds it in `out`, and moves it there.
    /// - Parameter first: what to begin with: a brace, or a comma behind other members.
    /// - Returns: where the row ends.
    @inline(__always)
    private func members(
        _ i: Int, _ plan: JSONRowPlan, _ first: UInt8, at start: UnsafeMutablePointer<UInt8>
    ) -> UnsafeMutablePointer<UInt8> {
        let out = self.out
        let quotes = doublesQuotes ? 2 : 1
        let used = plan.used
        let usedCount = plan.usedCount
        var to = start
        var limit = out.limit
        var first = first
        var group = 0
        while group < usedCount {
            var present = plan.present(i, from: group)
            // Items of cards begin with their order, a small number.
            if group == 0, let words = plan.leadingWords, present & 1 != 0, words[i] < 10,
                words[i] >= 0, limit - to > 64
            {
                let name = used[0].pointee.name
                let block = UnsafeRawPointer(name).loadUnaligned(as: SIMD16<UInt8>.self)
                UnsafeMutableRawPointer(to).storeBytes(of: block, as: SIMD16<UInt8>.self)
                to[0] = first
                first = 0x2C
                to += used[0].pointee.nameCount
                to[0] = 0x30 &+ UInt8(truncatingIfNeeded: words[i])
                to += 1
                present &= ~1
            }
            while present != 0 {
                let field = used[group &+ present.trailingZeroBitCount]
                present &= present &- 1
                let kind = field.pointee.kind
                var length = 0
                var text = field.pointee.bytes
                if kind == .string {
                    let start = i == 0 ? 0 : field.pointee.ends[i &- 1]
                    text += start
                    length = field.pointee.ends[i] &- start
                }
                let count = field.pointee.nameCount
                if limit - to < count &+ length &+ 48 {
                    out.commit(to: to)
                    out.reserve(adding: count &+ length &+ 48)
                    to = out.base + out.count
                    limit = out.limit
                }
                let name = field.pointee.name
                var at = 0
                repeat {
                    let block = UnsafeRawPointer(name + at).loadUnaligned(as: SIMD16<UInt8>.self)
                    UnsafeMutableRawPointer(to + at).storeBytes(of: block, as: SIMD16<UInt8>.self)
                    at &+= 16
                } while at < count
                to[0] = first
                first = 0x2C
                to += count
                if kind == .string, omitEmpty || field.pointee.nulls[i] == 0 {
                    JSONValueWriter.storeQuotes(at: to)
                    if JSONText.copy(
                        text, count: length, highs: field.pointee.highs, mask: mask,
                        to: to + quotes)
                    {
                        to += length &+ quotes
                        JSONValueWriter.storeQuotes(at: to)
                        to += quotes
                        continue
                    }
                } else if kind == .int, omitEmpty || field.pointee.nulls[i] == 0,
                    UInt64(bitPattern: field.pointee.words[i]) < 100
                {
                    let number = UInt64(bitPattern: field.pointee.words[i])
                    let tens = number / 10
                    to[0] = 0x30 &+ UInt8(truncatingIfNeeded: tens)
                    to += tens == 0 ? 0 : 1
                    to[0] = 0x30 &+ UInt8(truncatingIfNeeded: number &- tens &* 10)
                    to += 1
                    continue
                }
                if field.pointee.listsStrings, let end = storeStrings(field, i, plan, at: to) {
                    to = end
                    continue
                }
                out.commit(to: to)
                value(field, i, plan)
                to = out.base + out.count
                limit = out.limit
            }
            group &+= 32
        }
        if limit - to < 16 {
            out.commit(to: to)
            out.reserve(adding: 64)
            to = out.base + out.count
        }
        if first == 0x7B {
            to[0] = 0x7B
            to += 1
        }
        to[0] = 0x7D
        return to + 1
    }

    @inline(__always)
    private static func storeQuotes(at to: UnsafeMutablePointer<UInt8>) {
        to[0] = 0x22
        to[1] = 0x22
    }

    /// Stores a list of strings none of which needs a look, as the types of phones are.
    /// - Returns: where it ends; nil for any other list of strings, and where there is not room enough.
    @inline(never)
    private func storeStrings(
        _ field: UnsafeMutablePointer<JSONField>, _ i: Int, _ plan: JSONRowPlan,
        at start: UnsafeMutablePointer<UInt8>
    ) -> UnsafeMutablePointer<UInt8>? {
        let elements = plan.elements + field.pointee.slot
        let quotes = doublesQuotes ? 2 : 1
        let limit = out.limit
        let ends = elements.pointee.ends
        let end = field.pointee.ends[i]
        var n = i == 0 ? 0 : field.pointee.ends[i &- 1]
        var from = n == 0 ? 0 : ends[n &- 1]
        var to = start
        var first: UInt8 = 0x5B
        while n < end {
            let length = ends[n] &- from
            guard limit - to >= length &+ 32, elements.pointee.nulls[n] == 0 else { return nil }
            to[0] = first
            first = 0x2C
            JSONValueWriter.storeQuotes(at: to + 1)
            to += 1 &+ quotes
            guard
                JSONText.copy(
                    elements.pointee.bytes + from, count: length, highs: elements.pointee.highs,
                    mask: mask, to: to)
            else { return nil }
            to += length
            JSONValueWriter.storeQuotes(at: to)
            to += quotes
            from = ends[n]
            n &+= 1
        }
        guard first == 0x2C else { return nil }
        to[0] = 0x5D
        return to + 1
    }

    /// Writes cells of a row of CSV from the one at `from` on: nested values in quotes, each cell behind
    /// its delimiter.
    /// - Returns: how many of the run's cells stand there now. The next one after them has no quote
    ///   in it, so whether it needs some around it is for others to say.
    func cells(_ i: Int, _ run: JSONCellRun, from: Int, _ plan: JSONRowPlan) -> Int {
        plan.bindRows(generation)
        run.bind(plan, generation)
        let out = self.out
        var next = from
        var group = 0
        while group < plan.usedCount {
            var present = plan.present(i, from: group) & run.mask(group)
            while present != 0 {
                let field = plan.used[group &+ present.trailingZeroBitCount]
                present &= present &- 1
                let cell = field.pointee.slot &- run.first
                if cell < next { continue }
                run.appendAbsent(next, upTo: cell, to: out)
                let start = out.count
                out.append(0x22)
                if field.pointee.listsObjects {
                    objects(field, plan.elements + field.pointee.slot, i, plan)
                } else {
                    value(field, i, plan)
                }
                let text = UnsafePointer(out.base + start + 1)
                let count = out.count &- start &- 1
                // Mostly `{""…` or `[{""…`.
                guard
                    count > 3 && (text[1] == 0x22 || text[2] == 0x22)
                        || firstIndex(of: 0x22, in: text, count: count) != nil
                else {
                    out.truncate(to: start &- 1)
                    return cell
                }
                out.append(0x22)
                next = cell &+ 1
            }
            group &+= 32
        }
        run.appendAbsent(next, to: out)
        return run.count
    }

    /// Writes the value of one field of a plan.
    func cell(_ slot: Int, _ i: Int, _ plan: JSONRowPlan) {
        plan.bind(generation)
        value(plan.fields + slot, i, plan)
    }

    // MARK: Values

    private func value(_ field: UnsafeMutablePointer<JSONField>, _ i: Int, _ plan: JSONRowPlan) {
        switch field.pointee.kind {
        case .list:
            if field.pointee.isOrdered { return collection(field, i, plan) }
            let elements = plan.elements + field.pointee.slot
            switch elements.pointee.kind {
            case .object: objects(field, elements, i, plan)
            case .string: strings(field, elements, i)
            default: collection(field, i, plan)
            }
        case .dictionary: collection(field, i, plan)
        case .string where field.pointee.nulls[i] == 0: string(field, i)
        case .int where field.pointee.nulls[i] == 0:
            ScalarText.write(field.pointee.words[i], to: out)
        case .object where field.pointee.nulls[i] == 0:
            plan.child(field.pointee.slot, classIndices)._withUnsafeGuaranteedRef {
                row(Int(field.pointee.words[i]), $0, key: nil)
            }
        default:
            let start = out.count
            scalar(field, i)
            if doublesQuotes { doubleQuotes(from: start) }
        }
    }

    /// A list of embedded objects.
    private func objects(
        _ field: UnsafeMutablePointer<JSONField>, _ elements: UnsafeMutablePointer<JSONField>,
        _ i: Int, _ plan: JSONRowPlan
    ) {
        let start = i == 0 ? 0 : field.pointee.ends[i &- 1]
        let end = field.pointee.ends[i]
        plan.child(field.pointee.slot, classIndices)._withUnsafeGuaranteedRef {
            objects(start, end, elements, $0)
        }
    }

    @inline(__always)
    private func objects(
        _ start: Int, _ end: Int, _ elements: UnsafeMutablePointer<JSONField>,
        _ child: JSONRowPlan
    ) {
        child.bindRows(generation)
        out.reserve(adding: 64)
        var to = out.base + out.count
        to[0] = 0x5B
        to += 1
        for n in start..<end {
            if n > start {
                to[0] = 0x2C
                to += 1
            }
            if elements.pointee.nulls[n] == 0 {
                to = members(Int(elements.pointee.words[n]), child, 0x7B, at: to)
            } else {
                out.commit(to: to)
                out.append("null")
                to = out.base + out.count
            }
            if out.limit - to < 16 {
                out.commit(to: to)
                out.reserve(adding: 64)
                to = out.base + out.count
            }
        }
        to[0] = 0x5D
        out.commit(to: to + 1)
    }

    /// A list of strings.
    private func strings(
        _ field: UnsafeMutablePointer<JSONField>, _ elements: UnsafeMutablePointer<JSONField>,
        _ i: Int
    ) {
        let start = i == 0 ? 0 : field.pointee.ends[i &- 1]
        let end = field.pointee.ends[i]
        out.reserve(adding: 8)
        out.append(0x5B)
        for n in start..<end {
            if n > start { out.append(0x2C) }
            if elements.pointee.nulls[n] == 0 {
                string(elements, n)
            } else {
                out.append("null")
            }
        }
        out.append(0x5D)
    }

    /// A string that is there.
    @inline(__always)
    private func string(_ field: UnsafeMutablePointer<JSONField>, _ i: Int) {
        let start = i == 0 ? 0 : field.pointee.ends[i &- 1]
        let text = field.pointee.bytes + start
        let length = field.pointee.ends[i] &- start
        let quotes = doublesQuotes ? 2 : 1
        out.reserve(adding: length &+ 24)
        let to = out.base + out.count
        JSONValueWriter.storeQuotes(at: to)
        if JSONText.copy(
            text, count: length, highs: field.pointee.highs, mask: mask, to: to + quotes)
        {
            JSONValueWriter.storeQuotes(at: to + (length &+ quotes))
            out.commit(length &+ 2 &* quotes)
        } else {
            oddString(field, text, length)
        }
    }

    /// A string that holds an escape, or the column's first one outside ASCII.
    @inline(never)
    private func oddString(
        _ field: UnsafeMutablePointer<JSONField>, _ text: UnsafePointer<UInt8>, _ length: Int
    ) {
        field.pointee.trust()
        let bytes = UnsafeRawBufferPointer(start: text, count: length)
        guard field.pointee.highs == 0 || UTF8Check.isValid(bytes) else {
            let start = out.count
            invalidString(bytes)
            if doublesQuotes { doubleQuotes(from: start) }
            return
        }
        for _ in 0..<(doublesQuotes ? 2 : 1) { out.append(0x22) }
        JSONText.appendEscaped(text, count: length, doublesQuotes: doublesQuotes, to: out)
        for _ in 0..<(doublesQuotes ? 2 : 1) { out.append(0x22) }
    }

    /// Any collection.
    private func collection(
        _ field: UnsafeMutablePointer<JSONField>, _ i: Int, _ plan: JSONRowPlan
    ) {
        let start = i == 0 ? 0 : field.pointee.ends[i &- 1]
        let end = field.pointee.ends[i]
        let elements = plan.elements + field.pointee.slot
        // Sets and dictionaries are written in the order of format 24, whatever the source's.
        var order: [Int]?
        if field.pointee.isOrdered, end &- start > 1 {
            order = CollectionOrder.sorted(
                plan.batch.columns[plan.selection[field.pointee.slot]], row: i)
        }
        let isDictionary = field.pointee.kind == .dictionary
        out.append(isDictionary ? 0x7B : 0x5B)
        for n in start..<end {
            let j = order.map { $0[n &- start] } ?? n
            if n > start { out.append(0x2C) }
            if isDictionary {
                let from = out.count
                name(plan.keys + field.pointee.slot, j)
                if doublesQuotes { doubleQuotes(from: from) }
                out.append(0x3A)
            }
            value(elements, j, plan)
        }
        out.append(isDictionary ? 0x7D : 0x5D)
    }

    /// The key of a dictionary's entry.
    private func name(_ keys: UnsafeMutablePointer<JSONField>, _ j: Int) {
        if keys.pointee.kind == .int {
            out.append(0x22)
            ScalarText.write(keys.pointee.words[j], to: out)
            out.append(0x22)
        } else {
            memberName(keys.pointee.value(j))
        }
    }

    /// Writes each quote twice in what was appended from `start` on.
    private func doubleQuotes(from start: Int) {
        let count = out.count &- start
        spare.removeAll()
        spare.append(out.base + start, count: count)
        out.truncate(to: start)
        out.reserve(adding: count &* 2)
        let text = spare.base
        var to = out.base + start
        var at = 0
        while at < count {
            // Eight bytes without a quote at a time.
            if at &+ 8 <= count {
                let word = UnsafeRawPointer(text + at).loadUnaligned(as: UInt64.self)
                let quote = word ^ 0x2222_2222_2222_2222
                if (quote &- JSONText.low) & ~quote & JSONText.high == 0 {
                    UnsafeMutableRawPointer(to).storeBytes(of: word, as: UInt64.self)
                    to += 8
                    at &+= 8
                    continue
                }
            }
            let end = min(at &+ 8, count)
            while at < end {
                let c = text[at]
                at &+= 1
                to[0] = c
                to += 1
                if c == 0x22 {
                    to[0] = c
                    to += 1
                }
            }
        }
        out.commit(to: to)
    }
}
