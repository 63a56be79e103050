// A delimited input as well-formed UTF-8: the mapped bytes themselves where they are that already,
// else a decoded copy. Everything after this gate may rely on the encoding.

/// The text of one delimited input, as UTF-8 without a mark.
package final class DelimitedText {
    /// The input the text came from.
    package let input: InputBytes
    /// The text, well-formed UTF-8; valid as long as this object lives.
    package let bytes: UnsafeRawBufferPointer
    /// The encoding it was stored in.
    package let charset: Charset
    /// How many bytes of the input stand before `bytes`; nil when they were decoded.
    package let offsetInInput: Int?
    private let decoded: RawVector<UInt8>?

    /// Finds the encoding (or takes the one asked for) and decodes where needed.
    /// - Parameter words: names that a header may have: a sign of its encoding.
    /// - Throws: `badEncoding` for an encoding name nobody knows.
    package init(
        _ input: InputBytes, words: @autoclosure () -> [String] = [], context: ExchangeContext
    ) throws(FormatError) {
        self.input = input
        let raw = input.bytes
        var detection: Charset.Detection?
        if let label = context.options.encoding {
            guard let forced = Charset.named(label) else {
                throw FormatError(
                    .badEncoding, "no text encoding is called \(label)", file: input.name,
                    fix: "name one as the web does, such as utf-8, windows-1252 or shift_jis")
            }
            if !forced.isUTF8 {
                detection = Charset.Detection(
                    charset: forced, markLength: 0, isGuess: false, needsRepair: false)
            }
        }
        let profile = ByteProfile(input)
        if detection == nil, profile.isASCII, !profile.hasNUL {
            charset = .utf8
            bytes = raw
            offsetInInput = 0
            decoded = nil
            return
        }
        var found = detection ?? Charset.detect(input)
        if detection == nil, found.isGuess, found.markLength == 0,
            case .single = found.charset.kind, let told = HeaderCharset.find(raw, words())
        {
            found.charset = told
        }
        charset = found.charset
        if found.isGuess {
            context.report.note(
                .guessed, "charset-guess", source: input.name, value: found.charset.name,
                action: "read as \(found.charset.name); --encoding names another")
        }
        if case .utf16 = found.charset.kind {
        } else if profile.hasNUL {
            context.report.note(
                .guessed, "nul-byte", source: input.name,
                action: "NUL bytes were kept as part of their cells")
        }
        if found.charset.isUTF8, !found.needsRepair {
            bytes = UnsafeRawBufferPointer(rebasing: raw[found.markLength...])
            offsetInInput = found.markLength
            decoded = nil
            return
        }
        let out = RawVector<UInt8>(capacity: 64)
        let replaced: Int
        if found.charset.isUTF8 {
            replaced = 0
            let odd = DelimitedText.repair(raw, from: found.markLength, out)
            context.report.note(
                .guessed, "charset-mixed", source: input.name, count: odd,
                action: "single bytes that are not UTF-8 were read as windows-1252")
        } else {
            replaced = found.charset.decode(raw, into: out)
        }
        if replaced > 0 {
            context.report.note(
                .lost, "undecodable-bytes", source: input.name, count: replaced,
                action: "replaced by U+FFFD; --encoding names another encoding")
        }
        decoded = out
        offsetInInput = nil
        bytes = UnsafeRawBufferPointer(out.elements)
    }

    /// Says that reading went past a position of the text.
    package func release(before position: Int) {
        if let offsetInInput { input.release(before: offsetInInput &+ position) }
    }

    deinit { decoded?.destroy() }

    /// Copies damaged UTF-8, reading each stray byte as windows-1252.
    private static func repair(
        _ raw: UnsafeRawBufferPointer, from start: Int, _ out: RawVector<UInt8>
    ) -> Int {
        var count = 0
        var i = start
        out.reserve(adding: raw.count)
        while i < raw.count {
            let bad = UTF8Check.firstInvalid(raw, from: i) ?? raw.count
            out.append(bytes: UnsafeRawBufferPointer(rebasing: raw[i..<bad]))
            guard bad < raw.count else { break }
            Charset.windows1252.decode(
                UnsafeRawBufferPointer(rebasing: raw[bad...bad]), into: out)
            count += 1
            i = bad + 1
        }
        return count
    }
}

/// The lowest and highest byte of a text, found at memory speed.
private struct ByteProfile {
    var isASCII: Bool
    var hasNUL: Bool

    init(_ input: InputBytes) {
        (isASCII, hasNUL) = (true, false)
        let window = 4 << 20
        var start = 0
        while start < input.bytes.count {
            let end = min(start + window, input.bytes.count)
            let part = ByteProfile(UnsafeRawBufferPointer(rebasing: input.bytes[start..<end]))
            isASCII = isASCII && part.isASCII
            hasNUL = hasNUL || part.hasNUL
            input.release(before: end)
            start = end
        }
    }

    private init(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress else {
            (isASCII, hasNUL) = (true, false)
            return
        }
        let seven = SIMD16<UInt8>(repeating: 0x7F)
        var nonzero = SIMD16<UInt8>(repeating: 0x80)
        var all = SIMD16<UInt8>(repeating: 0)
        var i = 0
        while i &+ 32 <= bytes.count {
            let a = base.loadUnaligned(fromByteOffset: i, as: SIMD16<UInt8>.self)
            let b = base.loadUnaligned(fromByteOffset: i &+ 16, as: SIMD16<UInt8>.self)
            // The top bit stays set as long as no byte of the lane is 0.
            nonzero &= (((a & seven) &+ seven) | a) & (((b & seven) &+ seven) | b)
            all |= a | b
            i &+= 32
        }
        var lowest: UInt8 = ByteMask.bits(nonzero) == 0 ? 1 : 0
        var highest = all.max()
        while i < bytes.count {
            let byte = base.load(fromByteOffset: i, as: UInt8.self)
            lowest = min(lowest, byte)
            highest = max(highest, byte)
            i &+= 1
        }
        isASCII = highest < 0x80
        hasNUL = lowest == 0
    }
}
