import Testing

@testable package import Formats

// Values written as literals, so that cases read as tables.

extension Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByNilLiteral, ExpressibleByArrayLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int64) { self = .int(value) }
    package init(floatLiteral value: Double) { self = .double(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(nilLiteral: ()) { self = .null }
    package init(arrayLiteral elements: Value...) { self = .list(elements) }
}

/// A date by its seconds since 1970.
func date(_ seconds: Int64, _ nanoseconds: Int32 = 0) -> Value {
    .date(Timestamp(seconds: seconds, nanoseconds: nanoseconds))
}

/// A decimal by its text.
func decimal(_ text: String) -> Value {
    var text = text
    return text.withUTF8 { ScalarText.decimal(UnsafeRawBufferPointer($0)) }.map { .decimal128($0) }
        ?? .null
}

/// A UUID by its text.
func uuid(_ text: String) -> Value {
    var text = text
    return text.withUTF8 { ScalarText.uuid(UnsafeRawBufferPointer($0)) }.map { .uuid($0) } ?? .null
}

/// Short forms of properties.
func p(
    _ name: String, _ type: PropertyType, _ isOptional: Bool = false,
    _ collection: CollectionKind? = nil, to target: String? = nil
) -> Property {
    Property(
        name, type, collection: collection,
        isOptional: type == .mixed || isOptional
            || (type == .link && (collection ?? .dictionary) == .dictionary), target: target)
}

/// One case: rows before, a plan, rows afterwards and what was found.
struct PlanCase: CustomTestStringConvertible, Sendable {
    var name: String
    var store: SmallStore
    var changes: String
    /// The rows afterwards, by class; empty when nothing may be written.
    var after: [String: [[Value]]]
    /// Counts by kind and code.
    var found: [String: Int] = [:]
    /// The properties afterwards, as `Class: name summary, …`; nil where the rows say enough.
    var schema: [String: String] = [:]
    /// For stores before format 10, whose rows have no keys but their numbers: what the keys in
    /// `after` are then, by class.
    var oldKeys: [String: [Int64: Int64]] = [:]

    /// The rows afterwards, for a store of a file format.
    func after(_ format: UInt8) -> [String: [[Value]]] {
        format < 10 ? after.mapValues { $0.map { $0.map(renumbered) } } : after
    }

    private func renumbered(_ value: Value) -> Value {
        switch value {
        case .link(let name, let key): .link(name, oldKeys[name]?[key] ?? key)
        case .list(let elements): .list(elements.map(renumbered))
        case .set(let elements): .set(elements.map(renumbered))
        case .object(let values): .object(values.map(renumbered))
        default: value
        }
    }

    var testDescription: String { name }
}

/// A case on a store of one file format.
struct CatalogueRun: CustomTestStringConvertible, Sendable {
    var item: PlanCase
    var format: UInt8

    var testDescription: String { "\(item.name), format \(format)" }
}
