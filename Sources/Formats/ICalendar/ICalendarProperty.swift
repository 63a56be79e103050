// The properties of a to-do that have a place in `TodoItem`, by name; all others are kept as they
// are. The scalars stand in the order in which they are written when nothing else is known.

/// What a line of a to-do is about.
enum ICalendarProperty: UInt16, CaseIterable {
    case other = 0
    // Scalars, in the order we write them
    case uid, summary, description, recurrence, priority, status, percent, classification
    case categories, location, geo, url, color, sequence, duration
    // Dates
    case completed, created, modified, stamp, recurrenceID, start, due
    // Lists of items
    case relatedTo

    static let count = 24

    /// True for values that stand once in a to-do, without an order of their own.
    var isScalar: Bool { rawValue >= 1 && rawValue <= ICalendarProperty.duration.rawValue }
    /// True for dates.
    var isDate: Bool {
        rawValue >= ICalendarProperty.completed.rawValue
            && rawValue <= ICalendarProperty.due.rawValue
    }

    /// True for dates that are moments in universal time (RFC 5545, 3.8.2.1, 3.8.7).
    var isUniversal: Bool {
        rawValue >= ICalendarProperty.completed.rawValue
            && rawValue <= ICalendarProperty.stamp.rawValue
    }

    /// The line of a duration that stands beside a due date, or without a start: DURATION may not.
    static let keptDuration = "X-RTOOL-DURATION"
    /// The parameter of a moment that stands for a whole day.
    static let dayParameter = "X-RTOOL-VALUE"

    /// The name as it is written.
    var name: String {
        ICalendarProperty.names.first { $0.1 == self }?.0.description ?? ""
    }

    private static let names: [(StaticString, ICalendarProperty)] = [
        ("UID", .uid), ("SUMMARY", .summary), ("DESCRIPTION", .description),
        ("RRULE", .recurrence), ("RDATE", .recurrence), ("EXDATE", .recurrence),
        ("EXRULE", .recurrence), ("PRIORITY", .priority), ("STATUS", .status),
        ("PERCENT-COMPLETE", .percent), ("CLASS", .classification), ("CATEGORIES", .categories),
        ("LOCATION", .location), ("GEO", .geo), ("URL", .url), ("COLOR", .color),
        ("SEQUENCE", .sequence), ("DURATION", .duration), ("X-RTOOL-DURATION", .duration),
        ("COMPLETED", .completed),
        ("CREATED", .created), ("DCREATED", .created), ("LAST-MODIFIED", .modified),
        ("DTSTAMP", .stamp), ("RECURRENCE-ID", .recurrenceID), ("DTSTART", .start),
        ("DUE", .due), ("RELATED-TO", .relatedTo),
    ]

    /// The names by `NameKey`, in an open table.
    static let table = Table(names)

    /// Finds a property by the key and text of its name.
    struct Table: @unchecked Sendable {
        private struct Entry: BitwiseCopyable {
            var key: UInt64 = 0
            var property: UInt16 = 0
            var length: UInt16 = 0
            /// The name; static memory.
            var name: UnsafeRawPointer?
        }
        private static let size = 128
        private let entries: UnsafeMutablePointer<Entry>

        init(_ names: [(StaticString, ICalendarProperty)]) {
            entries = .allocate(capacity: Table.size)
            entries.initialize(repeating: Entry(), count: Table.size)
            for (name, property) in names {
                let bytes = UnsafeRawBufferPointer(
                    start: name.utf8Start, count: name.utf8CodeUnitCount)
                let key = NameKey.of(bytes)
                var i = Table.slot(key)
                while entries[i].property != 0 { i = (i + 1) & (Table.size - 1) }
                entries[i] = Entry(
                    key: key, property: property.rawValue, length: UInt16(bytes.count),
                    name: bytes.baseAddress)
            }
        }

        private static func slot(_ key: UInt64) -> Int {
            Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) >> 57)
        }

        /// The property of a line's name, `.other` (0) when it is none of ours.
        @inline(__always)
        func property(_ key: UInt64, _ name: UnsafeRawBufferPointer) -> UInt16 {
            var i = Table.slot(key)
            while entries[i].property != 0 {
                let entry = entries[i]
                if entry.key == key, Int(entry.length) == name.count {
                    return name.count <= 8 || Table.isName(name, entry.name)
                        ? entry.property : 0
                }
                i = (i &+ 1) & (Table.size - 1)
            }
            return 0
        }

        /// Longer names share keys rarely: the text decides, in any letter case.
        @inline(__always)
        private static func isName(_ text: UnsafeRawBufferPointer, _ name: UnsafeRawPointer?)
            -> Bool
        {
            guard let a = text.baseAddress, let b = name, text.count >= 8 else { return false }
            var i = 0
            while true {
                let x = a.loadUnaligned(fromByteOffset: i, as: UInt64.self)
                let y = b.loadUnaligned(fromByteOffset: i, as: UInt64.self)
                if ShortText.lowercased(x) != ShortText.lowercased(y) { return false }
                if i == text.count &- 8 { return true }
                // The last eight bytes overlap those before them.
                i = min(i &+ 8, text.count &- 8)
            }
        }
    }
}
