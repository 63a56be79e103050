// The states a to-do may be in, as iCalendar 2.0 has them, and what is written for others: the
// nearest state that everybody knows, with the word itself on a line of ours behind it.

/// Words of STATUS.
enum TodoStatus {
    /// The line that keeps a state iCalendar does not have.
    static let keptName = "X-RTOOL-STATUS"

    private static let todo = ["NEEDS-ACTION", "COMPLETED", "IN-PROCESS", "CANCELLED"]
    private static let event = ["TENTATIVE", "CONFIRMED", "CANCELLED"]

    /// True for the states of a to-do in iCalendar 2.0.
    static func isKnown(_ text: UnsafeRawBufferPointer) -> Bool {
        todo.contains { NameKey.equals(text, $0) }
    }

    /// True for the states of a to-do that is still to be done.
    static func isOpen(_ text: UnsafeRawBufferPointer) -> Bool {
        NameKey.equals(text, "NEEDS-ACTION") || NameKey.equals(text, "IN-PROCESS")
            || NameKey.equals(text, TodoIdentity.legacyOpen)
    }

    /// True for states that become others when they are written; the space of vCalendar 1.0 is a
    /// spelling only.
    static func isOther(_ text: UnsafeRawBufferPointer) -> Bool {
        !isKnown(text) && !NameKey.equals(text, TodoIdentity.legacyOpen)
    }

    /// The state of a to-do that is written for any other word: open, unless the word says more.
    static func todo(for text: UnsafeRawBufferPointer) -> String {
        switch words(text) {
        case "declined", "failed", "canceled", "cancelled", "rejected": "CANCELLED"
        case "inprocess", "inprogress", "started": "IN-PROCESS"
        case "completed", "done": "COMPLETED"
        default: "NEEDS-ACTION"
        }
    }

    /// The state of an event that is written for a word of vCalendar 1.0; nil for none.
    static func event(for text: UnsafeRawBufferPointer) -> String? {
        if let known = event.first(where: { NameKey.equals(text, $0) }) { return known }
        return switch words(text) {
        case "accepted": "CONFIRMED"
        case "declined": "CANCELLED"
        default: nil
        }
    }

    /// Letters alone, in lower case.
    private static func words(_ text: UnsafeRawBufferPointer) -> String {
        guard text.count <= 40 else { return "" }
        return String(decoding: text, as: UTF8.self).lowercased().filter(\.isLetter)
    }
}
