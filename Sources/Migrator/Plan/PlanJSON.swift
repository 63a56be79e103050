// JSON as a value of its own: what a plan is written as, and how it passes through Codable. Text
// is read by JSONText; what the members mean is for the changes.

package import Formats

/// A JSON value.
public indirect enum PlanJSON: Sendable, Equatable {
    case null
    case bool(Bool)
    /// The characters of a number.
    case number(String)
    case string(String)
    case array([PlanJSON])
    case object([Member])

    /// A member of an object.
    public struct Member: Sendable, Equatable {
        /// The name.
        public var name: String
        /// The value.
        public var value: PlanJSON

        /// A member.
        public init(_ name: String, _ value: PlanJSON) {
            self.name = name
            self.value = value
        }
    }

    /// An int as a number.
    public static func int(_ value: Int) -> PlanJSON { .number(String(value)) }

    /// An object of the members that have a value.
    static func members(_ list: [(String, PlanJSON?)]) -> PlanJSON {
        .object(list.compactMap { name, value in value.map { Member(name, $0) } })
    }

    /// The value as JSON text: on lines of their own what does not fit one.
    public var text: String {
        var out = ""
        write(to: &out, indent: 0)
        return out
    }

    /// The value as JSON text without a line break.
    var line: String {
        var out = ""
        writeLine(to: &out)
        return out
    }

    private func write(to out: inout String, indent: Int) {
        let flat = line
        let isShort = flat.utf8.count + indent <= 96
        let space = String(repeating: " ", count: indent + 2)
        switch self {
        case .array(let elements) where !isShort:
            out += "[\n"
            for (i, element) in elements.enumerated() {
                out += space
                element.write(to: &out, indent: indent + 2)
                out += i + 1 < elements.count ? ",\n" : "\n"
            }
            out += space.dropLast(2) + "]"
        case .object(let members) where !isShort:
            out += "{\n"
            for (i, member) in members.enumerated() {
                out += space + JSONText.quoted(member.name) + ": "
                member.value.write(to: &out, indent: indent + 2)
                out += i + 1 < members.count ? ",\n" : "\n"
            }
            out += space.dropLast(2) + "}"
        default: out += flat
        }
    }

    private func writeLine(to out: inout String) {
        switch self {
        case .null: out += "null"
        case .bool(let value): out += value ? "true" : "false"
        case .number(let text): out += text
        case .string(let text): out += JSONText.quoted(text)
        case .array(let elements):
            out += "["
            for (i, element) in elements.enumerated() {
                if i > 0 { out += ", " }
                element.writeLine(to: &out)
            }
            out += "]"
        case .object(let members):
            out += "{"
            for (i, member) in members.enumerated() {
                if i > 0 { out += ", " }
                out += JSONText.quoted(member.name) + ": "
                member.value.writeLine(to: &out)
            }
            out += "}"
        }
    }
}

extension PlanJSON {
    /// The value of a parsed text.
    package init(_ tree: JSONTree) {
        switch tree.value {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .number(let text): self = .number(text)
        case .string(let text): self = .string(text)
        case .array(let elements): self = .array(elements.map { PlanJSON($0) })
        case .object(let members):
            self = .object(members.map { Member($0.name, PlanJSON($0.value)) })
        }
    }
}

extension PlanJSON: Codable {
    private struct Name: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Reads a value of any kind; the order of members is the decoder's.
    public init(from decoder: any Decoder) throws {
        if let members = try? decoder.container(keyedBy: Name.self) {
            self = .object(
                try members.allKeys.map {
                    Member($0.stringValue, try members.decode(PlanJSON.self, forKey: $0))
                })
            return
        }
        if var elements = try? decoder.unkeyedContainer() {
            var list: [PlanJSON] = []
            while !elements.isAtEnd { list.append(try elements.decode(PlanJSON.self)) }
            self = .array(list)
            return
        }
        let single = try decoder.singleValueContainer()
        if single.decodeNil() {
            self = .null
        } else if let value = try? single.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? single.decode(Int64.self) {
            self = .number(String(value))
        } else if let value = try? single.decode(Double.self) {
            self = .number(value.description)
        } else {
            self = .string(try single.decode(String.self))
        }
    }

    /// Writes the value.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .object(let members):
            var container = encoder.container(keyedBy: Name.self)
            for member in members {
                try container.encode(member.value, forKey: Name(stringValue: member.name))
            }
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        default:
            var container = encoder.singleValueContainer()
            switch self {
            case .bool(let value): try container.encode(value)
            case .string(let text): try container.encode(text)
            case .number(let text):
                if let int = Int64(text) {
                    try container.encode(int)
                } else {
                    try container.encode(Double(text) ?? 0)
                }
            default: try container.encodeNil()
            }
        }
    }
}
