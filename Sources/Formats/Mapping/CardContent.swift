// What a card says that has nothing but a name and rarer lines, for the id that is made of it. Such
// lines have other names and forms in other versions, so they count as 4.0 spells them; and since
// some things have two spellings there, as they are after a way to 3.0 and back.

/// The canonical content of cards of which too little stands in lines that all versions share.
final class CardContent {
    private let upgrade = VCardUpgrade(context: ExchangeContext())
    private let line = RawVector<UInt8>(capacity: 256)

    deinit { line.destroy() }

    /// Appends all lines but the name's, in an order of their own.
    func append(_ lines: ContentLines, to content: RawVector<UInt8>) {
        var card = upgrade.convert(lines, to: .vCard4)
        card = upgrade.convert(card, to: .vCard3)
        card = upgrade.convert(card, to: .vCard4)
        var all: [[UInt8]] = []
        for i in 0..<card.count where !isLeftOut(card[i], card) {
            line.removeAll()
            append(card[i], card)
            all.append(Array(line.elements))
        }
        all.sort { $0.lexicographicallyPrecedes($1) }
        for bytes in all {
            bytes.withUnsafeBytes { content.append(bytes: $0) }
            content.append(10)
        }
    }

    private func isLeftOut(_ line: ContentLine, _ card: ContentLines) -> Bool {
        switch ContactProperty(rawValue: line.tag) ?? .other {
        case .rev, .prodid, .version, .fn: true
        case .n: card.parameter(NameKey.of("PHONETIC"), of: line) == nil
        default: false
        }
    }

    /// Makes the bytes of one line: the key of its name, its parameters and its text.
    private func append(_ it: ContentLine, _ card: ContentLines) {
        UnsafeMutableRawPointer(line.extend(8)).storeBytes(
            of: it.key.littleEndian, as: UInt64.self)
        let value = card.bytes(it.value)
        if (ContactProperty(rawValue: it.tag) ?? .other).isMedia {
            return add(media: value)
        }
        for text in parameters(it, card).sorted() {
            line.append(text)
            line.append(0x2C)
        }
        line.append(10)
        ValueText.unescape(value, .vCard4, into: line)
    }

    /// Bytes count however they are broken into lines and called.
    private func add(media value: UnsafeRawBufferPointer) {
        line.append(10)
        var bytes = value
        let marker = Array(";base64,".utf8)
        if NameKey.starts(value, with: "data:"),
            let comma = value.firstIndex(of: 0x2C), comma + 1 >= marker.count,
            value[(comma + 1 - marker.count)...comma].elementsEqual(marker)
        {
            bytes = UnsafeRawBufferPointer(rebasing: value[(comma + 1)...])
        } else if MediaText.hasScheme(value) {
            return line.append(bytes: value)
        }
        for c in bytes where c > 0x20 && c != 0x3D && c != 0x5C { line.append(c) }
    }

    /// Types in lower case, and the other parameters as they are.
    private func parameters(_ it: ContentLine, _ card: ContentLines) -> [String] {
        var texts: [String] = []
        for j in card.parameterIndices(it) {
            let parameter = card.parameters[j]
            let value = String(
                decoding: ContactMapper.unquoted(card.bytes(parameter.value)), as: UTF8.self)
            if parameter.isBare || parameter.key == NameKey.type {
                let words = value.lowercased().split(whereSeparator: { $0 == "," || $0 == "\"" })
                texts += words.map(String.init).filter { !CardContent.silent.contains($0) }
            } else if parameter.key == NameKey.pref {
                texts.append(value == "1" ? "pref" : "pref=" + value)
            } else if !CardContent.spelling.contains(where: {
                NameKey.equals(card.bytes(parameter.name), $0)
            }) {
                texts.append(card.string(parameter.name).uppercased() + "=" + value)
            }
        }
        return texts
    }

    /// Words that go without saying.
    private static let silent: Set<String> = [
        "internet", "inline", "url", "cid", "content-id", "b", "base64", "8bit", "7bit",
        "quoted-printable",
    ]
    /// Parameters that only say how a value is written.
    private static let spelling = ["VALUE", "ENCODING", "CHARSET", "MEDIATYPE"]
}
