// A value of a plan bound to a class: names looked up, constants read, converters readied, so that
// it can be worked out row by row.

internal import Formats

/// An expression over the rows of one class.
final class BoundValue {
    private indirect enum Node {
        case constant(Value)
        case column(Int)
        case concat([Node])
        case coalesce([Node])
        case convert(Node, Conversions)
        case condition(Predicate, Node, Node)
        case add(Node, Node)
        case addSeconds(Node, Int64)
        case derive(RowIdentity)
    }

    private let node: Node
    /// What the value is wanted for.
    let property: Property
    /// The conversions it passes through.
    let conversions: [Conversions]

    /// Binds a value to a class.
    /// - Throws: what is wrong with its names and types.
    init(_ value: PlanValue, for property: Property, of c: Int, _ scope: ChangeScope)
        throws(FormatError)
    {
        self.property = property
        var binder = Binder(scope: scope, classIndex: c)
        do throws(FormatError) {
            node = try binder.bind(value, property)
            conversions = binder.conversions
        } catch {
            throw error.with {
                if $0.recordName == nil {
                    $0.recordName =
                        "step \(scope.step + 1), change \(scope.change + 1): "
                        + scope.line
                }
            }
        }
    }

    /// The value where it is the same for all rows.
    var constant: Value? { if case .constant(let value) = node { value } else { nil } }

    /// The value for a row; checked against the property it is wanted for.
    func value(_ batch: RecordBatch, _ row: Int) throws(ValueFailure) -> Value {
        let value = try BoundValue.evaluate(node, batch, row)
        try BoundValue.check(value, for: property)
        return value
    }

    /// Refuses a value the property cannot hold.
    static func check(_ value: Value, for property: Property) throws(ValueFailure) {
        if property.collection != nil {
            switch value {
            case .null: return
            case .list where property.collection == .list, .set where property.collection == .set,
                .dictionary where property.collection == .dictionary:
                return
            default: throw ValueFailure(reason: "not a collection of the right kind")
            }
        }
        if case .null = value {
            if !property.isOptional {
                throw ValueFailure(reason: "null for a required property")
            }
            return
        }
        if property.type == .mixed { return }
        if value.type == property.type { return }
        if case .object = value, property.type == .link { return }
        throw ValueFailure(
            reason: "a value of type \(value.type?.rawValue ?? "none") for a property of type "
                + property.type.rawValue)
    }

    private static func evaluate(_ node: Node, _ batch: RecordBatch, _ row: Int)
        throws(ValueFailure) -> Value
    {
        switch node {
        case .constant(let value): return value
        case .column(let i): return batch.columns[i].value(row)
        case .concat(let parts):
            var text = ""
            for part in parts {
                let value = try evaluate(part, batch, row)
                if case .null = value { continue }
                text += try Conversions.text(value)
            }
            return .string(text)
        case .coalesce(let parts):
            for part in parts {
                let value = try evaluate(part, batch, row)
                if case .null = value { continue }
                return value
            }
            return .null
        case .convert(let inner, let conversions):
            return try conversions.convert(evaluate(inner, batch, row))
        case .condition(let predicate, let then, let otherwise):
            return try evaluate(predicate.matches(batch, row) ? then : otherwise, batch, row)
        case .add(let a, let b):
            return try add(evaluate(a, batch, row), evaluate(b, batch, row))
        case .addSeconds(let inner, let n):
            let value = try evaluate(inner, batch, row)
            if case .null = value { return .null }
            guard case .date(let date) = value else {
                throw ValueFailure(reason: "addSeconds needs a date")
            }
            let (sum, isTooLarge) = date.seconds.addingReportingOverflow(n)
            if isTooLarge { throw ValueFailure(reason: "a date out of range") }
            var seconds = sum
            var nanoseconds = date.nanoseconds
            // Both parts keep the same sign.
            if seconds > 0, nanoseconds < 0 {
                seconds -= 1
                nanoseconds += 1_000_000_000
            } else if seconds < 0, nanoseconds > 0 {
                seconds += 1
                nanoseconds -= 1_000_000_000
            }
            return .date(Timestamp(seconds: seconds, nanoseconds: nanoseconds))
        case .derive(let identity): return identity.value(batch, row)
        }
    }

    private static func add(_ a: Value, _ b: Value) throws(ValueFailure) -> Value {
        switch (a, b) {
        case (.null, _), (_, .null): return .null
        case (.int(let x), .int(let y)):
            let (sum, isTooLarge) = x.addingReportingOverflow(y)
            if isTooLarge { throw ValueFailure(reason: "the sum does not fit 64 bits") }
            return .int(sum)
        case (.double(let x), .double(let y)): return .double(x + y)
        case (.float(let x), .float(let y)): return .float(x + y)
        case (.double(let x), .int(let y)), (.int(let y), .double(let x)):
            return .double(x + Double(y))
        case (.string(let x), .string(let y)): return .string(x + y)
        default: throw ValueFailure(reason: "add needs two numbers")
        }
    }

    /// Looks names up while it turns a plan's value into nodes.
    private struct Binder {
        let scope: ChangeScope
        let classIndex: Int
        var conversions: [Conversions] = []

        mutating func bind(_ value: PlanValue, _ wanted: Property?) throws(FormatError) -> Node {
            let definition = scope.schema.classes[classIndex]
            switch value {
            case .constant(let json):
                var value = try ConstantValue.value(json, as: wanted?.type)
                if let wanted {
                    if case .list(let list) = value, wanted.collection == .set {
                        value = .set(list)
                    }
                    if wanted.collection == .dictionary || wanted.type == .link {
                        guard case .null = value else {
                            throw scope.error(
                                .badValue, "a constant cannot be written for this property",
                                property: wanted.name)
                        }
                    }
                    do throws(ValueFailure) { try BoundValue.check(value, for: wanted) } catch {
                        throw scope.error(
                            .badValue, "\(json.line): \(error.reason)", property: wanted.name)
                    }
                }
                return .constant(value)
            case .property(let name):
                guard let i = definition.index(of: name) else {
                    throw scope.error(
                        .unknownName, "\(definition.name) has no property \(name) at this point",
                        fix: suggestion(for: name, among: definition.properties.map(\.name)))
                }
                if let wanted, wanted.type != .mixed || definition.properties[i].collection != nil {
                    let found = definition.properties[i]
                    if found.type != wanted.type || found.collection != wanted.collection
                        || (found.type == .link && found.target != wanted.target)
                    {
                        throw scope.error(
                            .schemaMismatch,
                            "\(name) is \(found.summary), and \(wanted.summary) is wanted",
                            property: wanted.name,
                            fix: "write {\"convert\": {\"property\": \"\(name)\"}, \"using\": ...}")
                    }
                }
                return .column(i)
            case .concat(let list): return .concat(try all(list, nil))
            case .coalesce(let list):
                return .coalesce(try all(list, wanted.map(BoundValue.optional)))
            case .convert(let inner, let converter):
                let type = wanted?.type ?? Binder.type(of: converter)
                let conversion = try Conversions(to: type, using: converter)
                conversions.append(conversion)
                return .convert(try bind(inner, nil), conversion)
            case .condition(let text, let then, let otherwise):
                let predicate: Predicate
                do throws(FormatError) {
                    predicate = try Predicate.parse(
                        text, schema: scope.schema, classIndex: classIndex)
                } catch { throw error.with { $0.excerpt = $0.excerpt ?? text } }
                return .condition(predicate, try bind(then, wanted), try bind(otherwise, wanted))
            case .add(let a, let b): return .add(try bind(a, nil), try bind(b, nil))
            case .addSeconds(let inner, let n):
                return .addSeconds(try bind(inner, Property("", .date, isOptional: true)), n)
            case .derive(let salt):
                guard definition.kind != .embedded else {
                    throw scope.error(.badValue, "embedded objects have no key to derive ids from")
                }
                guard let type = wanted?.type, RowIdentity.types.contains(type) else {
                    throw scope.error(
                        .badValue, "ids can be derived of type objectId, uuid, string and int",
                        property: wanted?.name)
                }
                return .derive(RowIdentity(type, definition.name, salt: salt))
            }
        }

        private mutating func all(_ list: [PlanValue], _ wanted: Property?) throws(FormatError)
            -> [Node]
        {
            var nodes: [Node] = []
            for value in list { nodes.append(try bind(value, wanted)) }
            return nodes
        }

        private static func type(of converter: Converter) -> PropertyType {
            switch converter {
            case .parseDate: .date
            case .formatDate, .text: .string
            case .epoch: .int
            case .number: .int
            case .base64: .data
            case .uuid: .uuid
            case .objectId: .objectId
            case .decimal: .decimal128
            }
        }
    }

    private static func optional(_ property: Property) -> Property {
        var property = property
        property.isOptional = true
        return property
    }
}

extension Value {
    /// The type of a single value; nil for null and collections.
    var type: PropertyType? {
        switch self {
        case .int: .int
        case .bool: .bool
        case .string, .invalidString: .string
        case .data: .data
        case .date: .date
        case .float: .float
        case .double: .double
        case .decimal128: .decimal128
        case .objectId: .objectId
        case .uuid: .uuid
        case .link: .link
        case .null, .list, .set, .dictionary, .object: nil
        }
    }
}

/// Ids made of a row: the same row gives the same id, whenever the plan runs.
final class RowIdentity {
    static let types: Set<PropertyType> = [.objectId, .uuid, .string, .int]
    private let type: PropertyType
    private let start: SipHash
    private let scratch = RawVector<UInt8>(capacity: 64)

    /// The keys of the hash; ids depend on them.
    private static let keys: (UInt64, UInt64) = (0x7274_6F6F_6C2D_6964, 0x6D69_6772_6174_6F72)

    init(_ type: PropertyType, _ className: String, salt: String?) {
        self.type = type
        var hash = SipHash(key0: RowIdentity.keys.0, key1: RowIdentity.keys.1, wide: true)
        hash.add(className)
        hash.add(0 as UInt8)
        hash.add(salt ?? "")
        hash.add(0 as UInt8)
        start = hash
    }

    deinit { scratch.destroy() }

    /// The id of a row: of its primary key where it has one, else of its object key.
    func value(_ batch: RecordBatch, _ row: Int) -> Value {
        if type == .int { return .int(batch.keys.count > row ? batch.keys[row] : Int64(row)) }
        scratch.removeAll()
        if let name = batch.classSchema.primaryKey, let column = batch.column(name) {
            RowContent.append(column, row, to: scratch)
        } else {
            let key = batch.keys.count > row ? batch.keys[row] : Int64(row)
            UnsafeMutableRawPointer(scratch.extend(8)).storeBytes(
                of: key.littleEndian, as: Int64.self)
        }
        return value(of: UnsafeRawBufferPointer(scratch.elements))
    }

    /// The id of some bytes.
    func value(of bytes: UnsafeRawBufferPointer) -> Value {
        var hash = start
        hash.add(bytes)
        let (high, low) = hash.finish128()
        switch type {
        case .uuid:
            return .uuid(
                UUID(
                    high: high & ~0xF000 | 0x8000,
                    low: low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000))
        case .string:
            let out = RawVector<UInt8>(capacity: 24)
            defer { out.destroy() }
            ScalarText.write(
                ObjectID(high: high, low: UInt32(truncatingIfNeeded: low)), to: out)
            return .string(String(decoding: out.elements, as: UTF8.self))
        case .int: return .int(Int64(bitPattern: high >> 1))
        default:
            return .objectId(ObjectID(high: high, low: UInt32(truncatingIfNeeded: low)))
        }
    }
}
