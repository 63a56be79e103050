// A value as one line of text for messages and differences. For people: formats spell values
// their own way.

extension Value {
    /// The value as text for people, shortened to about `limit` characters.
    public func text(limit: Int = 200) -> String {
        var out = ""
        write(to: &out, limit: limit)
        return out.count > limit ? String(out.prefix(limit)) + "…" : out
    }

    private func write(to out: inout String, limit: Int) {
        if out.utf8.count > limit * 4 { return }
        func scalar(_ body: (RawVector<UInt8>) -> Void) {
            let bytes = RawVector<UInt8>(capacity: 40)
            defer { bytes.destroy() }
            body(bytes)
            out += String(decoding: bytes.elements, as: UTF8.self)
        }
        switch self {
        case .null: out += "null"
        case .int(let v): out += String(v)
        case .bool(let v): out += v ? "true" : "false"
        case .string(let v): Value.quote(v, to: &out, limit: limit)
        case .invalidString(let v):
            out += "text that is no UTF-8 "
            Value.hex(v, to: &out, limit: limit)
        case .data(let v):
            out += "\(v.count) bytes "
            Value.hex(v, to: &out, limit: limit)
        case .date(let v):
            scalar { bytes in
                if !ScalarText.write(date: v, to: bytes) {
                    bytes.append("\(v.seconds) s \(v.nanoseconds) ns")
                }
            }
        case .float(let v): out += v.description
        case .double(let v): out += v.description
        case .decimal128(let v): scalar { ScalarText.write(v, to: $0) }
        case .objectId(let v): scalar { ScalarText.write(v, to: $0) }
        case .uuid(let v): scalar { ScalarText.write(v, to: $0) }
        case .link(let name, let key): out += "\(name) #\(key)"
        case .list(let v), .set(let v): Value.list(v, "[", "]", to: &out, limit: limit)
        case .object(let v): Value.list(v, "(", ")", to: &out, limit: limit)
        case .dictionary(let entries):
            out += "{"
            for (i, entry) in entries.enumerated() {
                if out.utf8.count > limit * 4 { break }
                if i > 0 { out += ", " }
                Value.quote(entry.key, to: &out, limit: limit)
                out += ": "
                entry.value.write(to: &out, limit: limit)
            }
            out += "}"
        }
    }

    private static func list(
        _ values: [Value], _ open: String, _ close: String, to out: inout String, limit: Int
    ) {
        out += open
        for (i, value) in values.enumerated() {
            if out.utf8.count > limit * 4 { break }
            if i > 0 { out += ", " }
            value.write(to: &out, limit: limit)
        }
        out += close
    }

    private static func quote(_ text: String, to out: inout String, limit: Int) {
        out += "\""
        for c in text.unicodeScalars.prefix(limit + 1) {
            switch c {
            case "\"", "\\": out += "\\\(c)"
            case "\n": out += "\\n"
            case "\r": out += "\\r"
            case "\t": out += "\\t"
            case _ where c.value < 0x20 || c.value == 0x7F:
                out += "\\u{\(String(c.value, radix: 16))}"
            default: out.unicodeScalars.append(c)
            }
        }
        out += "\""
    }

    private static func hex(_ bytes: [UInt8], to out: inout String, limit: Int) {
        for byte in bytes.prefix(limit / 2 + 1) {
            out += (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
    }
}
