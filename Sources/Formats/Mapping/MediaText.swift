// Pictures, sounds and keys inside cards: what the bytes are, and `data:` URIs.

/// Facts about binary values.
package enum MediaText {
    /// The media type that the first bytes prove, nil when they prove nothing.
    package static func type(of bytes: UnsafeRawBufferPointer) -> String? {
        func starts(_ magic: [UInt8], at offset: Int = 0) -> Bool {
            bytes.count >= offset + magic.count
                && bytes[offset..<offset + magic.count].elementsEqual(magic)
        }
        if starts([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A]) { return "image/png" }
        if starts([0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
        if starts(Array("GIF8".utf8)) { return "image/gif" }
        if starts(Array("RIFF".utf8)) {
            if starts(Array("WEBP".utf8), at: 8) { return "image/webp" }
            if starts(Array("WAVE".utf8), at: 8) { return "audio/wav" }
            return nil
        }
        if starts([0x42, 0x4D]), bytes.count > 26 { return "image/bmp" }
        if starts([0x49, 0x49, 0x2A, 0]) || starts([0x4D, 0x4D, 0, 0x2A]) { return "image/tiff" }
        if starts(Array("ftypheic".utf8), at: 4) || starts(Array("ftypmif1".utf8), at: 4) {
            return "image/heic"
        }
        if starts(Array("ftypavif".utf8), at: 4) { return "image/avif" }
        if starts(Array("OggS".utf8)) { return "audio/ogg" }
        if starts(Array("ID3".utf8)) || starts([0xFF, 0xFB]) { return "audio/mpeg" }
        if starts(Array("<svg".utf8)) { return "image/svg+xml" }
        if starts(Array("-----BEGIN PGP".utf8)) { return "application/pgp-keys" }
        return nil
    }

    /// True for text that begins with a URI scheme and a colon; what is not written does not count.
    package static func hasScheme(_ text: UnsafeRawBufferPointer) -> Bool {
        var text = text
        while let c = text.first, c < 0x20 || c == 0x5C || c == 0x7F {
            text = UnsafeRawBufferPointer(rebasing: text.dropFirst())
        }
        guard let first = text.first, (first & 0xDF) &- 0x41 < 26 else { return false }
        for i in 1..<max(text.count, 1) where i < min(text.count, 40) {
            let c = text[i]
            if c == 0x3A { return true }
            guard c &- 0x30 < 10 || (c & 0xDF) &- 0x41 < 26 || c == 0x2B || c == 0x2D || c == 0x2E
            else { return false }
        }
        return false
    }

    /// The parts of a `data:` URI.
    package struct DataURI {
        /// The media type and its parameters, as written.
        package var type: String
        /// True for `;base64`.
        package var isBase64: Bool
        /// Where the data begins in the text.
        package var start: Int
    }

    /// Takes a `data:` URI apart (letter case ignored); nil for other text. Backslashes before
    /// `;` and `,` (sabre, CardBook, khard) are passed over.
    package static func dataURI(_ text: UnsafeRawBufferPointer) -> DataURI? {
        guard NameKey.starts(text, with: "data:") else { return nil }
        var type: [UInt8] = []
        var i = 5
        while i < text.count, text[i] != 0x2C {
            if text[i] != 0x5C { type.append(text[i]) }
            i += 1
            if type.count > 512 { return nil }
        }
        guard i < text.count else { return nil }
        var isBase64 = false
        var name = String(decoding: type, as: UTF8.self)
        if name.lowercased().hasSuffix(";base64") {
            isBase64 = true
            name = String(name.dropLast(7))
        }
        return DataURI(type: name, isBase64: isBase64, start: i + 1)
    }

    /// Appends the bytes that percent-encoded text stands for.
    package static func decodePercent(
        _ text: UnsafeRawBufferPointer, into out: RawVector<UInt8>
    ) {
        var i = 0
        while i < text.count {
            if text[i] == 0x25, i + 2 < text.count, let byte = Hex.byte(text[i + 1], text[i + 2]) {
                out.append(byte)
                i += 3
            } else {
                out.append(text[i])
                i += 1
            }
        }
    }
}
