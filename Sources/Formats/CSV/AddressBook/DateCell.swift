// A cell of a date column, cut into the date and the time of day behind it (`1980-01-02 23:00:00`,
// `1/2/1980 12:00:00 AM`). What the date says is for `BookDate`.

/// The two halves of a cell; valid as long as the cell and the scratch room are.
struct DateCell {
    /// Longer cells are no dates.
    static let limit = 40

    /// What stands before the time, without a day of the week.
    private(set) var date: CellSlice
    /// The time as cards write it, such as `23:00:00+02:00`; empty where there is none, and for
    /// midnight, which programs add to days.
    private(set) var time = CellSlice.empty

    /// Cuts a cell.
    /// - Parameter scratch: room for what the cell does not say in these bytes.
    init(_ cell: UnsafeRawBufferPointer, _ scratch: RawVector<UInt8>) {
        let bytes = CellText.trim(cell)
        date = CellSlice(bytes)
        guard bytes.count <= 3 * DateCell.limit, let first = bytes.first else { return }
        scratch.removeAll()
        // A plain date and a time; nothing put there moves.
        scratch.reserve(adding: 16 * DateCell.limit)
        if bytes.contains(where: { $0 >= 0x80 }) { date = DateCell.plain(bytes, scratch) }
        if first &- 0x30 > 9 { dropWeekday() }
        let text = date.bytes
        let mark = scratch.count
        var i = 1
        while i < text.count {
            let isT = text[i] | 0x20 == 0x74
            if isT || text[i] == 0x20, text[i - 1] &- 0x30 < 10 || text[i - 1] == 0x2C,
                let clock = Clock.read(date.part(i + 1, date.count), isBasic: isT, scratch)
            {
                time = clock
                while i > 0, text[i - 1] == 0x20 || text[i - 1] == 0x2C { i -= 1 }
                date = date.part(0, i)
                return
            }
            scratch.truncate(to: mark)
            i += 1
        }
    }

    /// `Sun 3/1/2026`: the date says which day of the week it is.
    private mutating func dropWeekday() {
        let text = date.bytes
        var length = 0
        while length < text.count, (text[length] | 0x20) &- 0x61 < 26 { length += 1 }
        guard length >= 3, length < text.count, text[length] != 0x2D else { return }
        let name = date.part(0, length).string.lowercased()
        let days = [
            "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
        ]
        guard days.contains(where: { $0 == name || $0.prefix(3) == name }) else { return }
        while length < text.count,
            text[length] == 0x20 || text[length] == 0x2C || text[length] == 0x2E
        { length += 1 }
        date = date.part(length, text.count)
    }

    /// Wide digits as plain ones, and the signs of year, month and day as dashes.
    private static func plain(_ bytes: UnsafeRawBufferPointer, _ scratch: RawVector<UInt8>)
        -> CellSlice
    {
        let start = scratch.count
        let replacement = UTF8.encodedReplacementCharacter
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            switch scalar.value {
            case 0xFF10...0xFF19:
                scratch.append(UInt8(truncatingIfNeeded: scalar.value &- 0xFF10 &+ 0x30))
            case 0x5E74, 0x6708: scratch.append(0x2D)
            case 0x65E5: break
            case 0xA0, 0x202F, 0x3000: scratch.append(0x20)
            default: for byte in UTF8.encode(scalar) ?? replacement { scratch.append(byte) }
            }
        }
        return CellSlice(scratch.bytes(from: start, to: scratch.count))
    }
}

/// A time of day as people and programs write it: `23:00`, `11:00:00 PM`, `230000Z`.
private struct Clock {
    private let text: UnsafeRawBufferPointer
    private var at = 0

    /// The time with or without its zone as cards write it; nil for anything else.
    /// - Parameter isBasic: whether it may stand without colons (`230000`).
    static func read(_ text: CellSlice, isBasic: Bool, _ scratch: RawVector<UInt8>) -> CellSlice? {
        var clock = Clock(text: text.bytes)
        return clock.read(isBasic, scratch)
    }

    private init(text: UnsafeRawBufferPointer) { self.text = text }

    private var isDigit: Bool { at < text.count && text[at] &- 0x30 < 10 }

    private mutating func number() -> Int? {
        guard isDigit else { return nil }
        var value = 0
        for _ in 0..<2 where isDigit {
            value = value * 10 + Int(text[at] &- 0x30)
            at += 1
        }
        return value
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard at < text.count, text[at] == byte else { return false }
        at += 1
        return true
    }

    private mutating func read(_ isBasic: Bool, _ scratch: RawVector<UInt8>) -> CellSlice? {
        while take(0x20) {}
        guard var hour = number() else { return nil }
        let hasColons = take(0x3A)
        guard hasColons || isBasic, let minute = number() else { return nil }
        var second = 0
        var fraction = 0..<0
        if hasColons ? take(0x3A) : isDigit {
            guard let number = number() else { return nil }
            second = number
            if take(0x2E) || take(0x2C) {
                let start = at
                while isDigit { at += 1 }
                if text[start..<at].contains(where: { $0 != 0x30 }) { fraction = start..<at }
            }
        }
        // What follows, without spaces and in capitals.
        let mark = scratch.count
        for byte in text[at...] where byte != 0x20 {
            scratch.append(byte &- 0x61 < 26 ? byte & 0xDF : byte)
        }
        var zone = CellSlice(scratch.bytes(from: mark, to: scratch.count))
        for (half, isAfternoon) in Clock.halves where zone.starts(with: half) {
            guard hour >= 1, hour <= 12 else { return nil }
            hour = hour % 12 + (isAfternoon ? 12 : 0)
            zone = zone.part(half.utf8CodeUnitCount, zone.count)
        }
        guard hour < 24, minute < 60, second < 61 else { return nil }
        let start = scratch.count
        for (i, part) in [hour, minute, second].enumerated() {
            if i > 0 { scratch.append(0x3A) }
            ScalarText.write(part, width: 2, to: scratch)
        }
        if !fraction.isEmpty {
            scratch.append(0x2E)
            scratch.append(bytes: UnsafeRawBufferPointer(rebasing: text[fraction]))
        }
        guard Clock.append(zone: zone.bytes, to: scratch) else { return nil }
        if hour == 0, minute == 0, second == 0, fraction.isEmpty { return .empty }
        return CellSlice(scratch.bytes(from: start, to: scratch.count))
    }

    private static let halves: [(StaticString, isAfternoon: Bool)] = [
        ("AM", false), ("PM", true), ("A.M.", false), ("P.M.", true),
    ]

    /// Appends a zone as cards write it: `Z`, `+02:00`, nothing.
    /// - Returns: false for what is no zone.
    private static func append(zone: UnsafeRawBufferPointer, to out: RawVector<UInt8>) -> Bool {
        guard let sign = zone.first else { return true }
        let word = CellSlice(zone)
        if word.equals("Z") || word.equals("UTC") || word.equals("GMT") {
            out.append(0x5A)
            return true
        }
        guard sign == 0x2B || sign == 0x2D else { return false }
        out.append(sign)
        var digits = 0
        for byte in zone.dropFirst() where byte != 0x3A {
            guard byte &- 0x30 < 10, digits < 4 else { return false }
            if digits == 2 { out.append(0x3A) }
            out.append(byte)
            digits += 1
        }
        if digits == 2 {
            out.append(0x3A)
            ScalarText.write(0, width: 2, to: out)
        }
        return digits == 2 || digits == 4
    }
}
