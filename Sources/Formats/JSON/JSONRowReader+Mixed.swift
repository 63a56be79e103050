// Values of type `mixed`: the spelling tells the type. Nesting is bounded by the scanner's limit.

extension JSONRowReader {
    /// Reads any value into the encoding of mixed values.
    func mixed(_ s: inout JSONScanner, _ out: MixedEncoder) throws(FormatError) {
        let kind = try s.peek()
        let start = s.at
        switch kind {
        case .null:
            try s.literal(kind)
            out.null()
        case .true, .false:
            try s.literal(kind)
            out.bool(kind == .true)
        case .string:
            let slice = try s.string()
            if !slice.hasEscapes { return out.string(s.bytes(slice)) }
            scratch.removeAll()
            decode(slice, s, into: scratch)
            out.string(UnsafeRawBufferPointer(scratch.elements))
        case .number:
            let n = try s.number()
            if let value = n.int { return out.int(value) }
            try mixedNumber(s.bytes(n.slice), n, out)
        case .array:
            let mark = out.openList()
            var count = 0
            var isFirst = true
            try s.enterArray()
            while try s.nextElement(&isFirst) {
                try mixed(&s, out)
                count += 1
            }
            out.close(mark, count: count)
        case .object:
            let mark = s
            if let w = try JSONWrapper.read(&s) {
                // A link that leads nowhere here is kept as what it looks like.
                let isLost = isLenient && w.kind == .link && classIndices[s.text(w.text)] == nil
                if !isLost { return try mixed(w, &s, start, out) }
                let target = s.text(w.text)
                s = mark
                report.note(
                    .lost, "link-left", value: target,
                    action: "links to \(target), of which there are no rows here, were kept as "
                        + "dictionaries (--class \(target) says that these rows are of it)")
                return try dictionary(&s, out, isKnown: true)
            }
            try dictionary(&s, out)
        }
    }

    private func dictionary(
        _ s: inout JSONScanner, _ out: MixedEncoder, isKnown: Bool = false
    ) throws(FormatError) {
        let mark = out.openDictionary()
        var count = 0
        var isFirst = true
        var repeats = try repeats(s)
        try s.enterObject()
        while try s.nextMember(&isFirst) {
            if repeats?.isNextToCount(s.text(s.name)) == false {
                try s.skip()
                continue
            }
            var name = s.bytes(s.name)
            if s.name.hasEscapes {
                scratch.removeAll()
                decode(s.name, s, into: scratch)
                name = UnsafeRawBufferPointer(scratch.elements)
            }
            if !isKnown, name.count > 1, name[0] == 0x24, name[1] != 0x24 {
                report.note(
                    .guessed, "unknown-wrapper", value: String(decoding: name, as: UTF8.self),
                    action:
                        "an object with a `$` member that is no known wrapper was read as a dictionary"
                )
            }
            out.key(unescaped(name))
            try mixed(&s, out)
            count += 1
        }
        out.close(mark, count: count)
    }

    /// A bare number that is no Int64: a double when it survives as one, else a decimal.
    private func mixedNumber(_ digits: UnsafeRawBufferPointer, _ n: JSONNumber, _ out: MixedEncoder)
        throws(FormatError)
    {
        let double = ScalarText.double(digits)
        if let double, !n.isInteger, JSONNumbers.survives(digits, double) {
            return out.double(bits: double.bitPattern)
        }
        if let decimal = ScalarText.decimal(digits) {
            report.note(
                .changed, "number-as-decimal",
                action: "a number with more digits than a double or int keeps became a decimal")
            return out.decimal(decimal)
        }
        report.note(
            .changed, "number-as-text",
            action: "a number that no type keeps was kept as text")
        out.string(digits)
    }

    private func mixed(
        _ w: JSONWrapper, _ s: inout JSONScanner, _ start: Int, _ out: MixedEncoder
    ) throws(FormatError) {
        let t = content(of: w, s)
        let bits = w.bits.map { s.bytes($0) }
        switch w.kind {
        case .objectId: if let v = ScalarText.objectID(t) { return out.objectID(v) }
        case .uuid: if let v = ScalarText.uuid(t) { return out.uuid(v) }
        case .int: if let v = ScalarText.int(t) { return out.int(v) }
        case .double: if let v = JSONNumbers.double(t, bits) { return out.double(bits: v) }
        case .float: if let v = JSONNumbers.float(t, bits) { return out.float(bits: v) }
        case .decimal: if let v = JSONNumbers.decimal(t, bits) { return out.decimal(v) }
        case .dateText, .dateMilliseconds, .dateParts:
            if let v = date(w, t) { return out.date(v) }
        case .binary, .string:
            scratch.removeAll()
            guard ScalarText.base64(t, into: scratch) else { break }
            let bytes = UnsafeRawBufferPointer(scratch.elements)
            if w.kind == .string { return out.string(bytes) }
            if w.subType == 4, bytes.count == 16 { return out.uuid(JSONNumbers.uuid(scratch)) }
            if w.subType != 0 { subTypeDropped("mixed") }
            return out.data(bytes)
        case .link:
            guard let index = classIndices[s.text(w.text)] else {
                throw FormatError(
                    .unknownName, "there is no class \(s.text(w.text))", offset: start)
            }
            return out.link(classIndex: index, key: try link(w, s, start, to: nil))
        case .table:
            guard let offset = w.offset else { break }
            // The payload is one encoded value of its own, behind its length.
            var inner = s
            inner.at = offset
            let inside = out.openTable()
            try mixed(&inner, out)
            return out.closeTable(inside)
        }
        throw badContent(start)
    }
}
