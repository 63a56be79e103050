// One value with its type, for code that is not hot: queries, differences, defaults, tests.
// Bulk data travels in `RecordBatch` columns and never as `Value`s.

/// Any value a property can hold.
public indirect enum Value: Sendable, Equatable {
    case null
    case int(Int64)
    case bool(Bool)
    case string(String)
    /// Stored text that is not UTF-8.
    case invalidString([UInt8])
    case data([UInt8])
    case date(Timestamp)
    case float(Float)
    case double(Double)
    case decimal128(Decimal128)
    case objectId(ObjectID)
    case uuid(UUID)
    /// A link: the class name and the object key.
    case link(String, Int64)
    case list([Value])
    case set([Value])
    case dictionary([DictionaryEntry])
    /// An embedded object, or a row of a subtable: its values in property order.
    case object([Value])

    /// One entry of a dictionary.
    public struct DictionaryEntry: Sendable, Equatable {
        /// The key; int keys are spelled as digits.
        public var key: String
        /// The value.
        public var value: Value

        /// An entry.
        public init(_ key: String, _ value: Value) {
            self.key = key
            self.value = value
        }
    }

    /// Equal in type and value; floating-point numbers are compared by their bits.
    public static func == (a: Value, b: Value) -> Bool {
        switch (a, b) {
        case (.null, .null): true
        case (.int(let x), .int(let y)): x == y
        case (.bool(let x), .bool(let y)): x == y
        case (.string(let x), .string(let y)): x.utf8.elementsEqual(y.utf8)
        case (.invalidString(let x), .invalidString(let y)): x == y
        case (.data(let x), .data(let y)): x == y
        case (.date(let x), .date(let y)): x == y
        case (.float(let x), .float(let y)): x.bitPattern == y.bitPattern
        case (.double(let x), .double(let y)): x.bitPattern == y.bitPattern
        case (.decimal128(let x), .decimal128(let y)): x == y
        case (.objectId(let x), .objectId(let y)): x == y
        case (.uuid(let x), .uuid(let y)): x == y
        case (.link(let x, let m), .link(let y, let n)): x == y && m == n
        case (.list(let x), .list(let y)), (.set(let x), .set(let y)),
            (.object(let x), .object(let y)):
            x == y
        case (.dictionary(let x), .dictionary(let y)): x == y
        default: false
        }
    }
}
