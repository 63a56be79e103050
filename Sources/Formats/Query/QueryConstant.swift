// A literal of a query text, and what it becomes beside a property: a constant of the property's
// type, or a plain error.

/// A literal as written.
struct QueryLiteral {
    enum Kind {
        case null
        case bool(Bool)
        case number(String)
        case text(String)
        case date(Timestamp)
        case objectID(ObjectID)
        case uuid(UUID)
        case data([UInt8])
    }
    let kind: Kind
    /// The bytes it takes in the text.
    let range: Range<Int>

    /// What a message calls it.
    var name: String {
        switch kind {
        case .null: "nil"
        case .bool(let value): value ? "TRUE" : "FALSE"
        case .number(let text): text
        case .text(let text): "'\(text)'"
        case .date: "a date"
        case .objectID: "an ObjectId"
        case .uuid: "a UUID"
        case .data: "data"
        }
    }
}

/// A scalar that owns its bytes.
final class QueryConstant: @unchecked Sendable {
    let scalar: Scalar
    private let storage: UnsafeMutableRawBufferPointer?

    /// A constant without bytes.
    init(_ scalar: Scalar) {
        self.scalar = scalar
        storage = nil
    }

    /// A text, folded as its comparison wants it.
    convenience init(text: String, _ options: TextOptions) {
        self.init(bytes: Array(TextFolding.folded(text, options).utf8), isText: true)
    }

    /// Bytes of a text or of data.
    init(bytes: [UInt8], isText: Bool) {
        let memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(bytes.count, 1), alignment: 8)
        memory.copyBytes(from: bytes)
        let part = UnsafeRawBufferPointer(start: memory.baseAddress, count: bytes.count)
        scalar = isText ? .text(part) : .data(part)
        storage = memory
    }

    deinit { storage?.deallocate() }

    /// The constant a literal is beside a property; nil when it does not fit its type.
    static func make(_ literal: QueryLiteral, for type: PropertyType, _ options: TextOptions)
        -> QueryConstant?
    {
        func bytes<T>(_ text: String, _ parse: (UnsafeRawBufferPointer) -> T?) -> T? {
            var text = text
            return text.withUTF8 { parse(UnsafeRawBufferPointer($0)) }
        }
        func number(_ text: String) -> Scalar? {
            if type == .decimal128 { return bytes(text, ScalarText.decimal).map(Scalar.decimal) }
            // A float holds the nearest float of a literal, not the nearest double.
            if type == .float {
                return bytes(text, ScalarText.float).map { .double(Double($0)) }
            }
            if let whole = bytes(text, ScalarText.int) { return .int(whole) }
            return bytes(text, ScalarText.double).map(Scalar.double)
        }
        let scalar: Scalar?
        switch (literal.kind, type) {
        case (.null, _): scalar = .null
        case (.text(let text), .string), (.text(let text), .mixed):
            return QueryConstant(text: text, options)
        case (.text(let text), .data): return QueryConstant(bytes: Array(text.utf8), isText: false)
        case (.data(let value), .data), (.data(let value), .mixed):
            return QueryConstant(bytes: value, isText: false)
        case (.bool(let value), .bool), (.bool(let value), .mixed): scalar = .bool(value)
        case (.number(let text), .bool):
            scalar = text == "1" ? .bool(true) : text == "0" ? .bool(false) : nil
        case (.text(let text), .bool):
            switch text.lowercased() {
            case "true", "yes", "1": scalar = .bool(true)
            case "false", "no", "0": scalar = .bool(false)
            default: scalar = nil
            }
        case (.number(let text), .int), (.number(let text), .float), (.number(let text), .double),
            (.number(let text), .decimal128), (.number(let text), .mixed):
            scalar = number(text)
        case (.text(let text), .decimal128), (.text(let text), .float), (.text(let text), .double):
            // NaN and the infinities have no other spelling.
            scalar = number(text)
        case (.number(let text), .link): scalar = Int64(text).map(Scalar.link)
        case (.date(let value), .date), (.date(let value), .mixed): scalar = .date(value)
        case (.text(let text), .date): scalar = DateLiteral.date(text).map(Scalar.date)
        case (.objectID(let value), .objectId), (.objectID(let value), .mixed):
            scalar = .objectID(value)
        case (.text(let text), .objectId):
            scalar = bytes(text, ScalarText.objectID).map(Scalar.objectID)
        case (.uuid(let value), .uuid), (.uuid(let value), .mixed): scalar = .uuid(value)
        case (.text(let text), .uuid): scalar = bytes(text, ScalarText.uuid).map(Scalar.uuid)
        default: scalar = nil
        }
        return scalar.map { QueryConstant($0) }
    }

    /// How a literal of a type is written, for messages.
    static func example(_ type: PropertyType) -> String? {
        switch type {
        case .bool: "write TRUE or FALSE"
        case .date: DateLiteral.fix
        case .objectId: "write oid(570f4b9d5a3c2e0001a1b2c3)"
        case .uuid: "write uuid(123e4567-e89b-12d3-a456-426614174000)"
        case .string: "put text in quotes: 'text'"
        case .int: "write a number such as 42"
        case .float, .double, .decimal128: "write a number such as 1.5"
        case .link: "write nil, or the number of an object key"
        case .data, .mixed, .table: nil
        }
    }
}
