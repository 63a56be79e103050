// Which relations of a file close circles. Sub-tasks may stand before their parents, so the file is
// walked over once more when the first relation is met; files without relations never are.

/// The relations of one file that cannot be followed.
final class ICalendarRelations {
    private let refused: Set<TodoTree.Edge>

    /// Looks at all relations of the reader's file, and notes what is refused.
    init(of reader: ICalendarReader, context: ExchangeContext) {
        let other = reader.again()
        let scratch = RawVector<UInt8>(capacity: 256)
        defer { scratch.destroy() }
        var edges: [TodoTree.Edge] = []
        while other.next() {
            let lines = other.lines
            var uid: String?
            var found: [(kind: String, uid: String)] = []
            for i in 0..<lines.count {
                let line = lines[i]
                guard line.group.isEmpty, line.flags.isDisjoint(with: [.nested, .noColon]) else {
                    continue
                }
                let property = ICalendarProperty.table.property(line.key, lines.bytes(line.name))
                func text() -> String {
                    scratch.removeAll()
                    ValueText.unescape(lines.bytes(line.value), lines.dialect, into: scratch)
                    return String(decoding: scratch.elements, as: UTF8.self)
                }
                if property == ICalendarProperty.uid.rawValue {
                    uid = uid ?? text()
                } else if property == ICalendarProperty.relatedTo.rawValue {
                    found.append((ICalendarRelations.kind(line, lines), text()))
                }
            }
            // An instance of a recurring to-do has the UID of its series; it counts once.
            guard let uid, !uid.isEmpty else { continue }
            for relation in found {
                if let edge = ICalendarRelations.edge(uid, relation.kind, relation.uid) {
                    edges.append(edge)
                }
            }
        }
        let circles = edges.isEmpty ? [] : TodoTree(edges).refused
        for circle in circles {
            context.report.note(
                .changed, "relation-cycle", source: reader.name, property: "RELATED-TO",
                value: circle.text,
                action: "refused: a to-do cannot stand below itself; kept as a line only")
        }
        refused = Set(circles.map(\.edge))
    }

    /// The kind of a RELATED-TO line, upper case.
    private static func kind(_ line: ContentLine, _ lines: ContentLines) -> String {
        for j in lines.parameterIndices(line) {
            let parameter = lines.parameters[j]
            guard !parameter.isBare, NameKey.equals(lines.bytes(parameter.name), "RELTYPE") else {
                continue
            }
            return lines.string(parameter.value).filter { $0 != "\"" }.uppercased()
        }
        return "PARENT"
    }

    /// A relation as an edge from child to parent; nil for kinds that make no tree.
    private static func edge(_ uid: String, _ kind: String, _ other: String) -> TodoTree.Edge? {
        switch kind {
        case "PARENT": TodoTree.Edge(child: uid, parent: other)
        case "CHILD": TodoTree.Edge(child: other, parent: uid)
        default: nil
        }
    }

    /// True when a relation closes a circle.
    func refuses(_ uid: String, _ kind: String, _ other: String) -> Bool {
        guard !refused.isEmpty, let edge = ICalendarRelations.edge(uid, kind, other) else {
            return false
        }
        return refused.contains(edge)
    }

    /// True when nothing is refused.
    var isEmpty: Bool { refused.isEmpty }

    /// True when the relation of a line of a to-do closes a circle.
    func refuses(_ line: ContentLine, _ lines: ContentLines, uid: UnsafeRawBufferPointer) -> Bool {
        if refused.isEmpty { return false }
        let out = RawVector<UInt8>(capacity: 64)
        defer { out.destroy() }
        ValueText.unescape(lines.bytes(line.value), lines.dialect, into: out)
        return refuses(
            String(decoding: uid, as: UTF8.self), ICalendarRelations.kind(line, lines),
            String(decoding: out.elements, as: UTF8.self))
    }
}
