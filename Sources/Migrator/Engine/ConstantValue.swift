// Constants of a plan as values, spelled as in a store document.

internal import Formats

/// Reads constants.
enum ConstantValue {
    /// The value of a constant, by the type that is wanted where it is known.
    /// - Throws: `badValue` where the constant does not fit the type.
    static func value(_ json: PlanJSON, as type: PropertyType?) throws(FormatError) -> Value {
        switch json {
        case .null: return .null
        case .bool(let v):
            guard type == nil || type == .bool || type == .mixed else { throw misfit(json, type) }
            return .bool(v)
        case .string(let text): return try string(text, type, json)
        case .number(let text): return try number(text, type, json)
        case .array(let list):
            var values: [Value] = []
            for entry in list { values.append(try value(entry, as: type)) }
            return .list(values)
        case .object(let members):
            if members.count == 1 || members.first?.name == "$date" {
                return try wrapper(members[0].name, members[0].value, type, json)
            }
            throw misfit(json, type)
        }
    }

    private static func misfit(_ json: PlanJSON, _ type: PropertyType?) -> FormatError {
        FormatError(
            .badValue,
            "\(json.line) is no value"
                + (type.map { " of type \($0.rawValue)" } ?? ""),
            fix: "values are spelled as in store documents: text, 1, true, null, "
                + "{\"$date\": \"2016-04-14T08:32:57Z\"}, {\"$oid\": ...}")
    }

    private static func string(_ text: String, _ type: PropertyType?, _ json: PlanJSON)
        throws(FormatError) -> Value
    {
        switch type {
        case nil, .string?, .mixed?: return .string(text)
        case .date?, .objectId?, .uuid?, .decimal128?:
            // The text form alone is clear where the type is known.
            return try parsed(text, type ?? .string, json)
        default: throw misfit(json, type)
        }
    }

    private static func parsed(_ text: String, _ type: PropertyType, _ json: PlanJSON)
        throws(FormatError) -> Value
    {
        let found: Value? = Conversions.bytes(text) { bytes in
            switch type {
            case .date: ScalarText.date(bytes).map { .date($0) }
            case .objectId: ScalarText.objectID(bytes).map { .objectId($0) }
            case .uuid: ScalarText.uuid(bytes).map { .uuid($0) }
            case .decimal128: ScalarText.decimal(bytes).map { .decimal128($0) }
            case .double: ScalarText.double(bytes).map { .double($0) }
            case .float: ScalarText.float(bytes).map { .float($0) }
            case .int: ScalarText.int(bytes).map { .int($0) }
            default: nil
            }
        }
        guard let found else { throw misfit(json, type) }
        return found
    }

    private static func number(_ text: String, _ type: PropertyType?, _ json: PlanJSON)
        throws(FormatError) -> Value
    {
        switch type {
        case .int?, .double?, .float?, .decimal128?:
            return try parsed(text, type ?? .int, json)
        case nil, .mixed?:
            if let int = Int64(text) { return .int(int) }
            return try parsed(text, .double, json)
        default: throw misfit(json, type)
        }
    }

    private static func wrapper(
        _ name: String, _ inner: PlanJSON, _ type: PropertyType?, _ json: PlanJSON
    ) throws(FormatError) -> Value {
        let result: (PropertyType, Value)
        switch (name, inner) {
        case ("$date", .string(let text)): result = (.date, try parsed(text, .date, json))
        case ("$date", .number(let text)):
            guard let ms = Int64(text) else { throw misfit(json, type) }
            result = (
                .date,
                .date(
                    Timestamp(
                        seconds: ms / 1000, nanoseconds: Int32(ms % 1000) * 1_000_000))
            )
        case ("$date", .object(let parts)):
            func part(_ name: String) -> Int64 {
                for p in parts where p.name == name {
                    if case .number(let text) = p.value { return Int64(text) ?? 0 }
                }
                return 0
            }
            result = (
                .date,
                .date(
                    Timestamp(
                        seconds: part("seconds"),
                        nanoseconds: Int32(truncatingIfNeeded: part("nanoseconds"))))
            )
        case ("$oid", .string(let text)): result = (.objectId, try parsed(text, .objectId, json))
        case ("$uuid", .string(let text)): result = (.uuid, try parsed(text, .uuid, json))
        case ("$numberDecimal", .string(let text)):
            result = (.decimal128, try parsed(text, .decimal128, json))
        case ("$numberInt", .string(let text)), ("$numberLong", .string(let text)):
            result = (.int, try parsed(text, .int, json))
        case ("$numberDouble", .string(let text)):
            if let special = special(text) {
                result = (.double, .double(special))
            } else {
                result = (.double, try parsed(text, .double, json))
            }
        case ("$numberFloat", .string(let text)):
            if let special = special(text) {
                result = (.float, .float(Float(special)))
            } else {
                result = (.float, try parsed(text, .float, json))
            }
        case ("$binary", .object(let parts)):
            let text = parts.first { $0.name == "base64" }?.value
            guard case .string(let base64)? = text else { throw misfit(json, type) }
            let out = RawVector<UInt8>(capacity: 16)
            defer { out.destroy() }
            guard
                Conversions.bytes(base64, { ScalarText.base64($0, into: out) ? true : nil }) != nil
            else { throw misfit(json, type) }
            result = (.data, .data(Array(out.elements)))
        default: throw misfit(json, type)
        }
        guard
            type == nil || type == .mixed || type == result.0
                || (type == .float && result.0 == .double)
        else { throw misfit(json, type) }
        if type == .float, case .double(let v) = result.1 { return .float(Float(v)) }
        return result.1
    }

    private static func special(_ text: String) -> Double? {
        switch text {
        case "NaN": .nan
        case "Infinity": .infinity
        case "-Infinity": -.infinity
        case "-0.0", "-0": -0.0
        default: nil
        }
    }
}
