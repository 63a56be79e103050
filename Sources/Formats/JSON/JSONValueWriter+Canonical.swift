// The canonical spelling of MongoDB Extended JSON (`--ejson canonical`), where it differs from the
// usual one: every number says its type, dates are milliseconds, UUIDs are binary data. All of it
// reads back as the same values.

extension JSONValueWriter {
    /// Whether options ask for it.
    static func isCanonical(_ options: ExchangeOptions) -> Bool {
        options.extra["ejson"] == "canonical"
    }

    /// An int; those of a store have 64 bits, whatever they count.
    func canonical(_ value: Int64) {
        out.append("{\"$numberLong\":\"")
        ScalarText.write(value, to: out)
        out.append("\"}")
    }

    /// A float, as a double of its digits.
    func canonical(float bits: UInt32) {
        let value = Float(bitPattern: bits)
        guard value.isFinite, !(value == 0 && value.sign == .minus) else {
            return float(bits, wrapped: false)
        }
        out.append("{\"$numberDouble\":\"")
        ScalarText.write(float: value, to: out)
        out.append("\"}")
    }

    /// A date; one finer than milliseconds stays text.
    func canonical(_ value: Timestamp) {
        let (milliseconds, isTooLarge) = value.seconds.multipliedReportingOverflow(by: 1000)
        let (sum, isBeyond) = milliseconds.addingReportingOverflow(
            Int64(value.nanoseconds / 1_000_000))
        guard !isTooLarge, !isBeyond, value.nanoseconds % 1_000_000 == 0 else {
            report.note(
                .changed, "date-not-canonical",
                action: "dates that whole milliseconds do not tell were written as in the usual "
                    + "spelling")
            return date(value)
        }
        out.append("{\"$date\":")
        canonical(sum)
        out.append("}")
    }

    /// A UUID.
    func canonical(_ id: UUID) {
        out.append("{\"$binary\":{\"base64\":\"")
        withUnsafeBytes(of: (id.high.bigEndian, id.low.bigEndian)) {
            ScalarText.write(base64: $0, to: out)
        }
        out.append("\",\"subType\":\"04\"}}")
    }

    // MARK: Wrappers that stores have no type for

    /// True for a dictionary that is a value of MongoDB, such as a timestamp.
    func isForeignWrapper(_ decoder: MixedDecoder, _ count: Int) -> Bool {
        var ahead = decoder
        for _ in 0..<count {
            let name = ahead.blob()
            guard name.first == 0x24,
                JSONWrapper.foreign.contains(String(decoding: name, as: UTF8.self))
            else { return false }
            ahead.skip()
        }
        return count > 0
    }

    /// Writes it as it was read: its name as it is, its numbers bare.
    func foreignWrapper(_ decoder: inout MixedDecoder, _ count: Int) {
        let wasCanonical = isCanonical
        isCanonical = false
        defer { isCanonical = wasCanonical }
        for j in 0..<count {
            out.append(j == 0 ? 0x7B : 0x2C)
            string(decoder.blob())
            out.append(0x3A)
            mixed(&decoder)
        }
        out.append(0x7D)
    }
}
