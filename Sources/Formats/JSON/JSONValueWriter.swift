// The spelling of values in JSON (DESIGN 1.2): bare where JSON has the type, in a wrapper of
// MongoDB Extended JSON where it has not. Used by the store document and by rows of a class.

/// Writes values into a byte vector.
final class JSONValueWriter {
    let out: RawVector<UInt8>
    let classIndices: [String: Int]
    /// Leave out nulls and empty collections.
    let omitEmpty: Bool
    private let report: Report
    private let classNames: [String]
    /// `{"$ref":"Name","$key":` of each class.
    private let linkHeads: [[UInt8]]
    @exclusivity(unchecked) private var generation = 0

    init(out: RawVector<UInt8>, schema: Schema, omitEmpty: Bool, report: Report) {
        self.out = out
        self.omitEmpty = omitEmpty
        self.report = report
        var indices: [String: Int] = [:]
        // A class goes before a plain table of the same name.
        for (i, c) in schema.classes.enumerated() where c.isTable { indices[c.name] = i }
        for (i, c) in schema.classes.enumerated() where !c.isTable { indices[c.name] = i }
        classIndices = indices
        classNames = schema.classes.map(\.name)
        linkHeads = classNames.map {
            Array("{\"$ref\":\(JSONText.quoted($0)),\"$key\":".utf8)
        }
    }

    /// A plan for a batch that will be written repeatedly.
    func plan(_ batch: RecordBatch, columns: [Int]?) -> JSONRowPlan {
        JSONRowPlan(batch, columns: columns, classIndices: classIndices)
    }

    /// To be called before a batch's rows are written: its vectors may have moved.
    func beginBatch() { generation += 1 }

    // MARK: Rows

    /// Writes a row as an object; `key` becomes its `$key`.
    func row(_ i: Int, _ plan: JSONRowPlan, key: Int64?) {
        plan.bind(generation)
        let out = self.out
        var first: UInt8 = 0x7B
        if let key {
            out.append("{\"$key\":")
            ScalarText.write(key, to: out)
            first = 0x2C
        }
        let fields = plan.fields
        let names = plan.names.base
        // The end stays in a register while names, strings and small numbers are stored.
        var to = out.base + out.count
        for n in 0..<(omitEmpty ? plan.usedCount : plan.selection.count) {
            let slot = omitEmpty ? plan.used[n] : n
            let field = fields + slot
            let kind = field.pointee.kind
            var length = 0
            var text = field.pointee.bytes
            switch kind {
            case .list, .dictionary:
                if omitEmpty, (i == 0 ? 0 : field.pointee.ends[i &- 1]) == field.pointee.ends[i] {
                    continue
                }
            case _ where field.pointee.nulls[i] != 0:
                if omitEmpty { continue }
            case .string:
                let start = i == 0 ? 0 : field.pointee.ends[i &- 1]
                text += start
                length = field.pointee.ends[i] &- start
            default: break
            }
            let count = field.pointee.nameCount
            if out.limit - to < count &+ length &+ 32 {
                out.commit(to: to)
                out.reserve(adding: count &+ length &+ 32)
                to = out.base + out.count
            }
            to[0] = first
            first = 0x2C
            let name = names + field.pointee.nameStart
            var at = 0
            repeat {
                let block = UnsafeRawPointer(name + at).loadUnaligned(as: SIMD16<UInt8>.self)
                UnsafeMutableRawPointer(to + 1 + at).storeBytes(
                    of: block, as: SIMD16<UInt8>.self)
                at &+= 16
            } while at < count
            to += count &+ 1
            if kind == .string, field.pointee.nulls[i] == 0,
                JSONText.store(string: text, count: length, at: to)
            {
                to += length &+ 2
            } else if kind == .int, field.pointee.nulls[i] == 0,
                UInt64(bitPattern: field.pointee.words[i]) < 10
            {
                to[0] = 0x30 &+ UInt8(truncatingIfNeeded: field.pointee.words[i])
                to += 1
            } else {
                out.commit(to: to)
                value(field, i, plan)
                to = out.base + out.count
            }
        }
        out.commit(to: to)
        if first == 0x7B { out.append(0x7B) }
        out.append(0x7D)
    }

    /// Writes the value of one field of a plan.
    func cell(_ slot: Int, _ i: Int, _ plan: JSONRowPlan) {
        plan.bind(generation)
        value(plan.fields + slot, i, plan)
    }

    // MARK: Values

    @inline(__always)
    private func value(_ field: UnsafeMutablePointer<JSONField>, _ i: Int, _ plan: JSONRowPlan) {
        switch field.pointee.kind {
        case .list, .dictionary: collection(field, i, plan)
        case .string where field.pointee.nulls[i] == 0:
            let end = field.pointee.ends[i]
            let start = i == 0 ? 0 : field.pointee.ends[i &- 1]
            let p = field.pointee.bytes + start
            if !JSONText.write(string: p, count: end &- start, to: out) {
                invalidString(UnsafeRawBufferPointer(start: p, count: end &- start))
            }
        case .int where field.pointee.nulls[i] == 0:
            ScalarText.write(field.pointee.words[i], to: out)
        default: other(field, i, plan)
        }
    }

    @inline(never)
    private func other(_ field: UnsafeMutablePointer<JSONField>, _ i: Int, _ plan: JSONRowPlan) {
        let f = field.pointee
        if f.nulls[i] != 0 { return out.append("null") }
        switch f.kind {
        case .int: ScalarText.write(f.words[i], to: out)
        case .bool: out.append(f.words[i] != 0 ? "true" : "false")
        case .float: float(UInt32(truncatingIfNeeded: f.words[i]), wrapped: false)
        case .double: double(UInt64(bitPattern: f.words[i]), wrapped: false)
        case .date:
            date(
                Timestamp(
                    seconds: f.words[i], nanoseconds: Int32(truncatingIfNeeded: f.extra[i])))
        case .decimal128:
            decimal(
                Decimal128(
                    low: UInt64(bitPattern: f.words[i]), high: UInt64(bitPattern: f.extra[i])))
        case .objectId:
            objectID(
                ObjectID(
                    high: UInt64(bitPattern: f.words[i]),
                    low: UInt32(truncatingIfNeeded: f.extra[i])))
        case .uuid:
            uuid(
                UUID(high: UInt64(bitPattern: f.words[i]), low: UInt64(bitPattern: f.extra[i])))
        case .string:
            let bytes = bytes(f, i)
            string(bytes)
        case .data: data(bytes(f, i))
        case .mixed:
            var decoder = MixedDecoder(bytes(f, i))
            mixed(&decoder)
        case .link: link(f.target, f.words[i])
        case .object:
            row(Int(f.words[i]), plan.child(f.slot, classIndices), key: nil)
        case .list, .dictionary: break
        }
    }

    @inline(__always)
    private func bytes(_ f: JSONField, _ i: Int) -> UnsafeRawBufferPointer {
        let start = i == 0 ? 0 : f.ends[i &- 1]
        return UnsafeRawBufferPointer(start: f.bytes + start, count: f.ends[i] &- start)
    }

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
        if field.pointee.kind == .dictionary {
            let keys = plan.keys + field.pointee.slot
            out.append(0x7B)
            for n in start..<end {
                let j = order.map { $0[n &- start] } ?? n
                if n > start { out.append(0x2C) }
                if keys.pointee.kind == .int {
                    out.append(0x22)
                    ScalarText.write(keys.pointee.words[j], to: out)
                    out.append(0x22)
                } else {
                    memberName(bytes(keys.pointee, j))
                }
                out.append(0x3A)
                value(elements, j, plan)
            }
            out.append(0x7D)
            return
        }
        out.append(0x5B)
        for n in start..<end {
            if n > start { out.append(0x2C) }
            value(elements, order.map { $0[n &- start] } ?? n, plan)
        }
        out.append(0x5D)
    }

    /// A dictionary key; one that begins with `$` gets one more.
    private func memberName(_ name: UnsafeRawBufferPointer) {
        guard let base = name.baseAddress?.assumingMemoryBound(to: UInt8.self), name.count > 0
        else { return out.append("\"\"") }
        let start = out.count
        if !JSONText.write(string: base, count: name.count, to: out) {
            report.note(
                .changed, "key-not-utf8",
                action: "bytes of dictionary keys that are no UTF-8 were replaced by U+FFFD")
            JSONText.write(String(decoding: name, as: UTF8.self), to: out)
        }
        if base[0] == 0x24 {
            out.append(0)
            let p = out.base
            var i = out.count &- 1
            while i > start + 1 {
                p[i] = p[i &- 1]
                i &-= 1
            }
        }
    }

    // MARK: Spelling

    func string(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
            return out.append("\"\"")
        }
        if !JSONText.write(string: base, count: bytes.count, to: out) { invalidString(bytes) }
    }

    /// Stored text that is not UTF-8.
    private func invalidString(_ bytes: UnsafeRawBufferPointer) {
        report.note(
            .changed, "string-not-utf8",
            action: "stored text that is no UTF-8 was written as base64, and reads back as it was")
        out.append("{\"$string\":{\"base64\":\"")
        ScalarText.write(base64: bytes, to: out)
        out.append("\"}}")
    }

    func data(_ bytes: UnsafeRawBufferPointer) {
        out.append("{\"$binary\":{\"base64\":\"")
        ScalarText.write(base64: bytes, to: out)
        out.append("\",\"subType\":\"00\"}}")
    }

    func double(_ bits: UInt64, wrapped: Bool) {
        let value = Double(bitPattern: bits)
        let isPlain = value.isFinite && !(value == 0 && value.sign == .minus)
        if isPlain, !wrapped { return ScalarText.write(double: value, to: out) }
        out.append("{\"$numberDouble\":\"")
        if value.isFinite {
            ScalarText.write(double: value, to: out)
            out.append(0x22)
        } else {
            special(
                isNaN: value.isNaN, negative: value.sign == .minus, bits: bits, digits: 16,
                usual: 0x7FF8_0000_0000_0000)
        }
        out.append(0x7D)
    }

    func float(_ bits: UInt32, wrapped: Bool) {
        let value = Float(bitPattern: bits)
        let isPlain = value.isFinite && !(value == 0 && value.sign == .minus)
        if isPlain, !wrapped { return ScalarText.write(float: value, to: out) }
        out.append(wrapped ? "{\"$numberFloat\":\"" : "{\"$numberDouble\":\"")
        if value.isFinite {
            ScalarText.write(float: value, to: out)
            out.append(0x22)
        } else {
            special(
                isNaN: value.isNaN, negative: value.sign == .minus, bits: UInt64(bits),
                digits: 8, usual: 0x7FC0_0000)
        }
        out.append(0x7D)
    }

    /// The rest of a wrapper for NaN and the infinities, from behind the quote.
    private func special(isNaN: Bool, negative: Bool, bits: UInt64, digits: Int, usual: UInt64) {
        guard isNaN else { return out.append(negative ? "-Infinity\"" : "Infinity\"") }
        out.append("NaN\"")
        if bits != usual {
            out.append(",\"$bits\":\"")
            JSONText.write(hex: bits, digits: digits, to: out)
            out.append(0x22)
        }
    }

    func date(_ date: Timestamp) {
        out.append("{\"$date\":")
        let start = out.count
        out.append(0x22)
        if ScalarText.write(date: date, to: out) {
            out.append("\"}")
            return
        }
        out.truncate(to: start)
        out.append("{\"seconds\":")
        ScalarText.write(date.seconds, to: out)
        out.append(",\"nanoseconds\":")
        ScalarText.write(Int64(date.nanoseconds), to: out)
        out.append("}}")
    }

    func decimal(_ value: Decimal128) {
        out.append("{\"$numberDecimal\":\"")
        ScalarText.write(value, to: out)
        out.append(0x22)
        if !value.isCanonical {
            out.append(",\"$bits\":\"")
            JSONText.write(hex: value.high, digits: 16, to: out)
            JSONText.write(hex: value.low, digits: 16, to: out)
            out.append(0x22)
        }
        out.append(0x7D)
    }

    func objectID(_ id: ObjectID) {
        out.append("{\"$oid\":\"")
        ScalarText.write(id, to: out)
        out.append("\"}")
    }

    func uuid(_ id: UUID) {
        out.append("{\"$uuid\":\"")
        ScalarText.write(id, to: out)
        out.append("\"}")
    }

    func link(_ target: Int, _ key: Int64) {
        guard target < linkHeads.count else { return out.append("null") }
        linkHeads[target].withUnsafeBytes { out.append(bytes: $0) }
        ScalarText.write(key, to: out)
        out.append(0x7D)
    }

    /// A value of type `mixed`: its own type shows in the spelling. Nesting is bounded by the
    /// readers that made the value.
    func mixed(_ decoder: inout MixedDecoder) {
        switch decoder.tag() {
        case .null: out.append("null")
        case .bool: out.append(decoder.bool() ? "true" : "false")
        case .int: ScalarText.write(decoder.int(), to: out)
        case .float: float(decoder.float(), wrapped: true)
        case .double: double(decoder.double(), wrapped: true)
        case .string: string(decoder.blob())
        case .data: data(decoder.blob())
        case .date: date(decoder.date())
        case .decimal128: decimal(decoder.decimal())
        case .objectId: objectID(decoder.objectID())
        case .uuid: uuid(decoder.uuid())
        case .link:
            let (index, key) = decoder.link()
            link(index, key)
        case .list:
            out.append(0x5B)
            for j in 0..<decoder.count() {
                if j > 0 { out.append(0x2C) }
                mixed(&decoder)
            }
            out.append(0x5D)
        case .dictionary:
            out.append(0x7B)
            for j in 0..<decoder.count() {
                if j > 0 { out.append(0x2C) }
                memberName(decoder.blob())
                out.append(0x3A)
                mixed(&decoder)
            }
            out.append(0x7D)
        case .table:
            // The payload is itself an encoded dictionary of `columns` and `rows`.
            let payload = decoder.blob()
            out.append("{\"$table\":")
            var inner = MixedDecoder(payload)
            if payload.count > 0 { mixed(&inner) } else { out.append("null") }
            out.append(0x7D)
        }
    }
}
