// The compiled zone file (TZif, RFC 9636): a header, a 32-bit block for old readers, a 64-bit
// block, and a footer with the rule for later years.
//
//   "TZif" version 15 unused | six counts of 4 bytes, big-endian
//   times | kind of each time | kinds (offset 4, is daylight 1, name 1) | names | leaps | flags
//   version 2 and later: all of it once more with 8-byte times, then "\n" rule "\n"

/// Reads compiled zone files.
enum ZoneFile {
    private struct Block {
        var timeCount: Int
        var kindCount: Int
        var nameBytes: Int
        var leapCount: Int
        var standardCount: Int
        var universalCount: Int
        var body: Int

        func length(timeSize: Int) -> Int {
            timeCount * timeSize + timeCount + kindCount * 6 + nameBytes
                + leapCount * (timeSize + 4) + standardCount + universalCount
        }
    }

    private static func number(_ bytes: UnsafeRawBufferPointer, _ at: Int) -> Int {
        Int(bytes[at]) << 24 | Int(bytes[at + 1]) << 16 | Int(bytes[at + 2]) << 8
            | Int(bytes[at + 3])
    }

    private static func signed(_ bytes: UnsafeRawBufferPointer, _ at: Int) -> Int {
        Int(Int32(truncatingIfNeeded: number(bytes, at)))
    }

    /// The header at an offset; nil when it is none or promises more than there is.
    private static func block(_ bytes: UnsafeRawBufferPointer, at: Int, timeSize: Int) -> Block? {
        guard bytes.count - at >= 44,
            bytes[at] == 0x54, bytes[at + 1] == 0x5A, bytes[at + 2] == 0x69, bytes[at + 3] == 0x66
        else { return nil }
        let counts = (0..<6).map { number(bytes, at + 20 + $0 * 4) }
        guard counts.allSatisfy({ $0 <= 100_000 }) else { return nil }
        let block = Block(
            timeCount: counts[3], kindCount: counts[4], nameBytes: counts[5],
            leapCount: counts[2], standardCount: counts[1], universalCount: counts[0],
            body: at + 44)
        guard block.body + block.length(timeSize: timeSize) <= bytes.count else { return nil }
        return block
    }

    /// The zone in a file's bytes; nil when they are no such file.
    static func parse(_ bytes: UnsafeRawBufferPointer, name: String) -> TimeZone? {
        guard let old = block(bytes, at: 0, timeSize: 4) else { return nil }
        let isModern = bytes[4] >= 0x32
        guard isModern else { return zone(bytes, old, timeSize: 4, name: name, rule: nil) }
        let second = old.body + old.length(timeSize: 4)
        guard let block = block(bytes, at: second, timeSize: 8) else { return nil }
        var footer = block.body + block.length(timeSize: 8)
        var rule: PosixRule?
        if footer < bytes.count, bytes[footer] == 10 {
            footer += 1
            var end = footer
            while end < bytes.count, bytes[end] != 10 { end += 1 }
            rule = PosixRule(UnsafeRawBufferPointer(rebasing: bytes[footer..<end]))
        }
        return zone(bytes, block, timeSize: 8, name: name, rule: rule)
    }

    private static func zone(
        _ bytes: UnsafeRawBufferPointer, _ block: Block, timeSize: Int, name: String,
        rule: PosixRule?
    ) -> TimeZone? {
        let indices = block.body + block.timeCount * timeSize
        let kindStart = indices + block.timeCount
        let names = kindStart + block.kindCount * 6
        var kinds: [TimeZone.Kind] = []
        for i in 0..<block.kindCount {
            let at = kindStart + i * 6
            let offset = signed(bytes, at)
            guard offset.magnitude <= 200_000, Int(bytes[at + 5]) < block.nameBytes else {
                return nil
            }
            var end = names + Int(bytes[at + 5])
            let start = end
            while end < names + block.nameBytes, bytes[end] != 0 { end += 1 }
            kinds.append(
                TimeZone.Kind(
                    offset: offset, isDaylight: bytes[at + 4] != 0,
                    abbreviation: String(decoding: bytes[start..<end], as: UTF8.self)))
        }
        guard !kinds.isEmpty else { return nil }
        var transitions: [TimeZone.Transition] = []
        for i in 0..<block.timeCount {
            let at = block.body + i * timeSize
            let time =
                timeSize == 4
                ? Int64(signed(bytes, at))
                : Int64(number(bytes, at)) << 32 | Int64(number(bytes, at + 4))
            let kind = Int(bytes[indices + i])
            guard kind < kinds.count, transitions.last.map({ $0.at < time }) ?? true else {
                return nil
            }
            transitions.append(TimeZone.Transition(at: time, kind: kind))
        }
        return TimeZone(name: name, kinds: kinds, transitions: transitions, rule: rule)
    }
}
