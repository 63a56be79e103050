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
        if bytes.count == 65, bytes[0] == 0 {
            throw FormatError(
                .badKey,
                "the key has 65 bytes, the first of them 00, as types for large numbers add it",
                fix: "leave out the leading 00")
        }
        if bytes.count == 32, form == "hex" {
            throw FormatError(
                .badKey,
                "the key has 32 bytes (read as hex); a key has 64",
                fix:
                    "if the application takes these 64 characters themselves as the key, put "
                    + "them into a file and give it with --key-file")
        }
        if bytes.count == 63 || bytes.count == 65 {
            throw FormatError(
                .badKey,
                "the key has \(bytes.count) bytes, one "
                    + (bytes.count == 63 ? "too few" : "too many") + "; a key has 64",
                fix: bytes.count == 63
                    ? "types for large numbers drop a leading 00: try it with one more in front"
                    : "look for an added character at its ends")
        }
        throw FormatError(
            .badKey, "the key has \(bytes.count) bytes (read as \(form)); a key has 64",
            fix: "give 128 hex digits, 88 characters of base64, or --key-file with 64 bytes")
    }
}

extension StoreKey {
    /// A key somebody may have meant, and in words what to do with the one that was given.
    struct Mistake {
        var key: [UInt8]
        var remedy: String
    }

    /// What else 64 bytes may have been meant to be.
    static func mistakes(_ key: [UInt8]) -> [Mistake] {
        var found = [
            Mistake(
                key: Array(key[32...]) + Array(key[..<32]), remedy: "its two halves are exchanged"),
            Mistake(key: key.reversed(), remedy: "its bytes are reversed"),
            Mistake(
                key: key[..<32].reversed() + key[32...].reversed(),
                remedy: "the bytes of each half are reversed"),
            Mistake(
                key: Array(key[..<32]) + Array(key[..<32]), remedy: "its first half stands twice"),
        ]
        if key.allSatisfy({ $0 < 10 }) {
            found.append(
                Mistake(
                    key: key.map { $0 + 0x30 },
                    remedy: "each byte is the ASCII digit (08 becomes 38)"))
        } else if key.allSatisfy({ $0 < 16 }) {
            for (letters, kind) in [(UInt8(0x57), "lower"), (UInt8(0x37), "upper")] {
                found.append(
                    Mistake(
                        key: key.map { $0 < 10 ? $0 + 0x30 : $0 + letters },
                        remedy: "each byte is the ASCII hex digit in \(kind) case"))
            }
        }
        let digits = key.map { ScalarText.hexValue($0) }
        if digits.allSatisfy({ $0 != nil }) {
            found.append(
                Mistake(
                    key: digits.map { $0 ?? 0 },
                    remedy: "each character is the number it shows (38 becomes 08)"))
        }
        return found
    }
}
