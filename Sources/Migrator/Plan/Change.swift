// What a change promises: to be read from a plan, to be shown in one line, and to become a stage
// of the work. Each kind is one struct in Changes/ and one line in `ChangeTable`.

package import Formats

/// One change of a migration step.
public protocol Change: Sendable {
    /// The member that names the change in a plan.
    static var name: String { get }
    /// The change in one readable line.
    var line: String { get }
    /// The change as a plan writes it; nil for one that only code can express.
    var json: PlanJSON? { get }
    /// The classes the change names, as they are called before and after it.
    var classes: [String] { get }
}

/// A change that this room can carry out.
package protocol PlannedChange: Change {
    /// Reads the change; `subject` is the value of the member that names it.
    init(_ subject: JSONTree, _ members: inout PlanMembers) throws(FormatError)
    /// Makes the stage that carries the change out.
    /// - Throws: what is wrong with the names and types of the change, for this schema.
    func stage(_ scope: ChangeScope) throws(FormatError) -> any Stage
}

/// A stage may also be made by changes that stand in no file.
package protocol StagedChange: Change {
    func stage(_ scope: ChangeScope) throws(FormatError) -> any Stage
}

/// The schema a change meets, and where it stands in its plan.
package struct ChangeScope {
    /// The classes as the changes before have left them. Positions never move: a dropped class
    /// keeps its place under a name nobody can write.
    package let schema: Schema
    /// Position of the step in the plan, from 0.
    package let step: Int
    /// Position of the change in its step, from 0.
    package let change: Int
    /// The change in one line.
    package let line: String

    /// An error of this change.
    func error(
        _ code: FormatErrorCode, _ message: String, property: String? = nil, fix: String? = nil
    ) -> FormatError {
        FormatError(
            code, message, recordName: "step \(step + 1), change \(change + 1): \(line)",
            property: property, fix: fix)
    }

    /// The position of a class.
    func classIndex(_ name: String) throws(FormatError) -> Int {
        if let index = schema.index(of: name) { return index }
        throw error(
            .unknownName, "there is no class \(name) at this point",
            fix: suggestion(for: name, among: classNames))
    }

    /// The positions of a property.
    func place(_ name: PropertyName) throws(FormatError) -> (classIndex: Int, property: Int) {
        let c = try classIndex(name.className)
        let known = schema.classes[c]
        if let p = known.index(of: name.property) { return (c, p) }
        throw error(
            .unknownName, "\(name.className) has no property \(name.property) at this point",
            fix: suggestion(for: name.property, among: known.properties.map(\.name)))
    }

    /// The property of a name.
    func property(_ name: PropertyName) throws(FormatError) -> Property {
        let at = try place(name)
        return schema.classes[at.classIndex].properties[at.property]
    }

    /// The classes one can name.
    var classNames: [String] {
        schema.classes.filter { !$0.isTable && !$0.isTombstone }.map(\.name)
    }

    /// Checks that a class name is free.
    func checkFree(className: String) throws(FormatError) {
        if schema.index(of: className) != nil {
            throw error(.schemaMismatch, "there is a class \(className) already")
        }
        if className.isEmpty || className.utf8.count > 57 {
            throw error(.badValue, "a class name has 1 to 57 bytes")
        }
    }

    /// Checks that a property name is free.
    func checkFree(_ name: String, in c: Int, except: [String] = []) throws(FormatError) {
        if schema.classes[c].index(of: name) != nil, !except.contains(name) {
            throw error(
                .schemaMismatch, "\(schema.classes[c].name) has a property \(name) already")
        }
        if name.isEmpty || name.utf8.count > 63 {
            throw error(.badValue, "a property name has 1 to 63 bytes")
        }
    }
}

extension ClassSchema {
    private static let mark = "\u{1}dropped "

    /// True for the place of a class that a change has dropped.
    package var isTombstone: Bool { name.hasPrefix(ClassSchema.mark) }

    /// The empty place of a dropped class.
    static func tombstone(at index: Int) -> ClassSchema {
        ClassSchema("\(mark)\(index)", properties: [])
    }
}
