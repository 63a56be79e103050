// What makes a to-do without a UID the same to-do: its content, without the times of the last
// save. The minting itself is `IdentityMinter`'s.

/// The identity of to-dos.
package enum TodoIdentity {
    /// A minter for the ids of an import.
    package static func minter() -> IdentityMinter { IdentityMinter(map: "todo", kind: "task") }

    /// The status `NEEDS-ACTION` as vCalendar 1.0 spells it.
    static let legacyOpen = "NEEDS ACTION"

    private static let texts: [TodoField] = [
        .title, .notes, .status, .duration, .classification, .location, .url, .geo, .color,
    ]
    private static let numbers: [TodoField] = [.percent, .priority]
    private static let dates: [TodoField] = [
        .completed, .created, .recurrenceID, .start, .due,
    ]
    private static let lists: [TodoField] = [.recurrence, .categories, .components]

    /// Adds a row's content to a hash: each field by its position, its values with a zero byte
    /// after each.
    package static func add(_ rows: TodoRows, _ row: Int, to hash: inout SipHash) {
        for field in texts {
            guard let text = rows.text(field, row) else { continue }
            hash.add(UInt8(field.rawValue))
            // It is the same to-do after the spelling of 1.0 has become that of 2.0.
            if field == .status, NameKey.equals(text, legacyOpen) {
                hash.add("NEEDS-ACTION")
            } else {
                hash.add(text)
            }
            hash.add(0 as UInt8)
        }
        for field in numbers {
            guard let number = rows.number(field, row) else { continue }
            hash.add(UInt8(field.rawValue))
            hash.add(UInt64(bitPattern: number))
        }
        for field in dates {
            guard let date = rows.date(field, row) else { continue }
            hash.add(UInt8(field.rawValue))
            for text in [date.text(.local), date.text(.tzid)] {
                if let text { hash.add(text) }
                hash.add(0 as UInt8)
            }
        }
        for field in lists {
            for i in rows.range(field, row) {
                hash.add(UInt8(field.rawValue))
                hash.add(rows.element(field, i))
                hash.add(0 as UInt8)
            }
        }
        for i in rows.range(.relations, row) {
            guard let item = rows.item(.relations, i) else { continue }
            hash.add(UInt8(TodoField.relations.rawValue))
            for text in [item.text(.kind), item.text(.uid)] {
                if let text { hash.add(text) }
                hash.add(0 as UInt8)
            }
        }
    }

    /// The id for a row whose other columns are filled.
    package static func id(of rows: TodoRows, _ row: Int, _ minter: IdentityMinter) -> ObjectID {
        if let uid = rows.text(.uid, row), !uid.isEmpty {
            return minter.id(uid: uid, recurrence: rows.date(.recurrenceID, row)?.text(.local))
        }
        var hash = minter.content()
        add(rows, row, to: &hash)
        return minter.id(content: hash)
    }
}

/// Tells which ids a reader would give again to the rows of a file that have no UID.
final class DerivedIDs {
    private let minter = TodoIdentity.minter()
    /// How often each content was met without a UID of its own.
    private var met: [UInt64: UInt64] = [:]

    /// True when an id is what a reader would derive from the row's content and from how many
    /// equal ones came before it. To be asked once a row, in order.
    func expects(_ id: ObjectID, _ rows: TodoRows, _ row: Int) -> Bool {
        var hash = minter.content()
        TodoIdentity.add(rows, row, to: &hash)
        let plain = hash.finish128()
        let number = met[plain.0, default: 0]
        var words = plain
        if number > 0 {
            var numbered = hash
            numbered.add(number)
            words = numbered.finish128()
        }
        guard id == IdentityMinter.id(words) else { return false }
        met[plain.0] = number + 1
        return true
    }
}
