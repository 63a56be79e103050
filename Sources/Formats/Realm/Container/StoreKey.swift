// The 64-byte key of an encrypted store, as people write it down: hex, base64, or the bytes
// themselves in a file. The usual mistakes are recognised and named.

/// Reads encryption keys.
public enum StoreKey {
    /// The length of a key in bytes.
    public static let byteCount = 64

    /// A key written as 128 hex digits or as base64.
    /// - Throws: `badKey`, saying what was given instead.
    public static func parse(_ text: String) throws(FormatError) -> [UInt8] {
        try parse(Array(text.utf8))
    }

    /// A key in a file: 64 bytes, or text as for `parse(_:)`.
    /// - Throws: `badKey`.
    public static func parse(file: InputBytes) throws(FormatError) -> [UInt8] {
        if file.bytes.count == byteCount { return Array(file.bytes) }
        do throws(FormatError) {
            return try parse(Array(file.bytes))
        } catch {
            throw error.with { $0.file = file.name }
        }
    }

    private static func parse(_ raw: [UInt8]) throws(FormatError) -> [UInt8] {
        var digits = raw.filter { ![9, 10, 13, 32, 58].contains($0) }
        if digits.starts(with: Array("0x".utf8)) { digits.removeFirst(2) }
        if digits.allSatisfy({ ScalarText.hexValue($0) != nil }), digits.count % 2 == 0,
            digits.count != 88
        {
            let bytes = stride(from: 0, to: digits.count, by: 2).map { i in
                (ScalarText.hexValue(digits[i]) ?? 0) << 4
                    | (ScalarText.hexValue(digits[i + 1]) ?? 0)
            }
            return try checked(bytes, from: "hex")
        }
        let out = RawVector<UInt8>()
        defer { out.destroy() }
        if digits.withUnsafeBytes({ ScalarText.base64($0, into: out) }) {
            return try checked(Array(out.elements), from: "base64")
        }
        throw FormatError(
            .badKey, "the key is neither hex nor base64",
            fix: "give 128 hex digits, 88 characters of base64, or --key-file with 64 bytes")
    }

    private static func checked(_ bytes: [UInt8], from form: String) throws(FormatError) -> [UInt8]
    {
        if bytes.count == byteCount { return bytes }
        if bytes.count == 2 * byteCount, bytes.allSatisfy({ ScalarText.hexValue($0) != nil }) {
            throw FormatError(
                .badKey, "the key is the \(form) of hex digits, encoded twice",
                fix: "decode it once and give the 128 hex digits inside")
        }
        if bytes.count == 63 || bytes.count == 65 {
            throw FormatError(
                .badKey,
                "the key has \(bytes.count) bytes, one "
                    + (bytes.count == 63 ? "too few" : "too many") + "; a key has 64",
                fix: "look for a lost or added character at its ends")
        }
        throw FormatError(
            .badKey, "the key has \(bytes.count) bytes (read as \(form)); a key has 64",
            fix: "give 128 hex digits, 88 characters of base64, or --key-file with 64 bytes")
    }
}
