// The text of a vCard file as bytes in an ASCII-compatible encoding: UTF-16 files, and those that
// are ISO-2022-JP by what the user says, are turned into UTF-8 once; all others are read as they
// are and decoded value by value.

/// Preparing an input, and guessing what its undeclared bytes mean.
enum VCardInput {
    /// Whether a file in a charset cannot be taken apart before it is decoded: signs of the format
    /// may be halves of its characters.
    static func mustBeDecoded(_ charset: Charset) -> Bool {
        switch charset.kind {
        case .utf16, .iso2022JP: true
        default: false
        }
    }

    /// The input itself, or its UTF-8 form when it is UTF-16 or ISO-2022-JP.
    static func text(of input: InputBytes, _ context: ExchangeContext) -> InputBytes {
        let bytes = input.bytes
        let head = UnsafeRawBufferPointer(rebasing: bytes[..<min(bytes.count, 4096)])
        var charset = Charset.detect(head).charset
        var isForced = false
        if let name = context.options.encoding, let named = Charset.named(name) {
            charset = named
            isForced = true
        }
        guard mustBeDecoded(charset) else { return input }
        let out = RawVector<UInt8>(capacity: bytes.count / 2 + 1024)
        defer { out.destroy() }
        let replaced = charset.decode(bytes, into: out)
        if !isForced, head.count >= 2, !(head[0] >= 0xFE && head[1] >= 0xFE) {
            context.report.note(
                .guessed, "charset-guess", source: input.name, value: charset.name,
                action: "the file is UTF-16 without a mark; --encoding forces another")
        }
        if replaced > 0 {
            context.report.note(
                .lost, "bad-bytes", source: input.name, count: replaced,
                action: "bytes that are no text became U+FFFD")
        }
        return InputBytes(name: input.name, copying: UnsafeRawBufferPointer(out.elements))
    }

    /// How sure one can be that bytes are a vCard file.
    static func likelihood(_ bytes: UnsafeRawBufferPointer) -> Int {
        var text: [UInt8] = []
        for c in bytes.prefix(4096) where c != 0 && c < 0x80 {
            if text.isEmpty, c <= 0x20 || c == 0x3F { continue }
            text.append(c & 0xDF)
        }
        let begin = "BEGIN:VCARD".utf8.map { $0 & 0xDF }
        if text.starts(with: begin) { return 95 }
        // Some text may stand before the first card.
        var i = 0
        while i + begin.count <= text.count {
            if text[i] == begin[0], text[i..<i + begin.count].elementsEqual(begin) { return 60 }
            i += 1
        }
        return 0
    }

    /// The charset most often named in CHARSET parameters of the file, UTF-8 not counted;
    /// Outlook declares it for LABEL only and writes all else undeclared.
    static func mostNamedCharset(_ bytes: UnsafeRawBufferPointer) -> Charset? {
        guard let start = bytes.bindMemory(to: UInt8.self).baseAddress else { return nil }
        let limit = min(bytes.count, 256 << 20)
        var counts: [String: Int] = [:]
        var i = 0
        while i < limit, let hit = firstIndex(of: 0x3D, in: start + i, count: limit - i) {
            let at = i + hit
            i = at + 1
            guard at >= 7,
                NameKey.equals(
                    UnsafeRawBufferPointer(start: start + (at - 7), count: 7), "CHARSET")
            else { continue }
            var end = i
            while end < limit, end - i < 32, start[end] != 0x3A, start[end] != 0x3B, start[end] > 32
            { end += 1 }
            if counts.count > 64 { break }
            counts[
                String(
                    decoding: UnsafeRawBufferPointer(start: start + i, count: end - i),
                    as: UTF8.self), default: 0] += 1
        }
        let known = counts.compactMap { name, count in
            Charset.named(name).map { (name: name, charset: $0, count: count) }
        }.filter { !$0.charset.isUTF8 && !Charset.isASCII($0.name) }
        return known.max { ($0.count, $1.name) < ($1.count, $0.name) }?.charset
    }
}
