// The spelling of single values in JSON (DESIGN 1.2): bare where JSON has the type, in a wrapper of
// MongoDB Extended JSON where it has not. Which values there are is for `JSONValueWriter`, which
// also doubles the quotes where that is wanted.

extension JSONValueWriter {
    // MARK: Single values

    /// A value that is neither a collection nor an embedded object.
    @inline(never)
    func scalar(_ field: UnsafeMutablePointer<JSONField>, _ i: Int) {
        if field.pointee.nulls[i] != 0 { return out.append("null") }
        let word = field.pointee.kind.hasWords ? field.pointee.words[i] : 0
        let bits = UInt64(bitPattern: word)
        let extra = field.pointee.kind.hasPairs ? field.pointee.extra[i] : 0
        switch field.pointee.kind {
        case .int: ScalarText.write(word, to: out)
        case .bool: out.append(word != 0 ? "true" : "false")
        case .float: float(UInt32(truncatingIfNeeded: word), wrapped: false)
        case .double: double(bits, wrapped: false)
        case .date:
            date(Timestamp(seconds: word, nanoseconds: Int32(truncatingIfNeeded: extra)))
        case .decimal128: decimal(Decimal128(low: bits, high: UInt64(bitPattern: extra)))
        case .objectId: objectID(ObjectID(high: bits, low: UInt32(truncatingIfNeeded: extra)))
        case .uuid: uuid(UUID(high: bits, low: UInt64(bitPattern: extra)))
        case .string: string(field.pointee.value(i))
        case .data: data(field.pointee.value(i))
        case .mixed:
            var decoder = MixedDecoder(field.pointee.value(i))
            mixed(&decoder)
        case .link: link(field.pointee.target, word)
        case .canonicalInt: canonical(word)
        case .canonicalFloat: canonical(float: UInt32(truncatingIfNeeded: word))
        case .canonicalDouble: double(bits, wrapped: true)
        case .canonicalDate:
            canonical(Timestamp(seconds: word, nanoseconds: Int32(truncatingIfNeeded: extra)))
        case .canonicalUUID: canonical(UUID(high: bits, low: UInt64(bitPattern: extra)))
        case .object, .list, .dictionary: break
        }
    }

    /// A dictionary key; one that begins with `$` gets one more.
    func memberName(_ name: UnsafeRawBufferPointer) {
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

    func string(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
            return out.append("\"\"")
        }
        if !JSONText.write(string: base, count: bytes.count, to: out) { invalidString(bytes) }
    }

    /// Stored text that is not UTF-8.
    func invalidString(_ bytes: UnsafeRawBufferPointer) {
        report.note(
            .changed, "string-not-utf8",
            action: "stored text that is no UTF-8 was written as base64, and reads back as it was")
        out.append("{\"$string\":{\"base64\":\"")
        ScalarText.write(base64: bytes, to: out)
        out.append("\"}}")
    }

    func data(_ bytes: UnsafeRawBufferPointer) {
        out.append(literal: "{\"$binary\":{\"base64\":\"")
        ScalarText.write(base64: bytes, to: out)
        out.append(literal: "\",\"subType\":\"00\"}}")
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
        out.append(literal: "{\"$date\":")
        let start = out.count
        out.append(0x22)
        if ScalarText.write(date: date, to: out) {
            out.append(literal: "\"}")
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
        out.append(literal: "{\"$oid\":\"")
        ScalarText.write(id, to: out)
        out.append(literal: "\"}")
    }

    func uuid(_ id: UUID) {
        out.append("{\"$uuid\":\"")
        ScalarText.write(id, to: out)
        out.append("\"}")
    }

    func link(_ target: Int, _ key: Int64) {
        if let embedding, embedding.write(target, key, self) { return }
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
        case .int where isCanonical: canonical(decoder.int())
        case .date where isCanonical: canonical(decoder.date())
        case .uuid where isCanonical: canonical(decoder.uuid())
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
            let count = decoder.count()
            if keepsWrappers, isForeignWrapper(decoder, count) {
                return foreignWrapper(&decoder, count)
            }
            out.append(0x7B)
            for j in 0..<count {
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
