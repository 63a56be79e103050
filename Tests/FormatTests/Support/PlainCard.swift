import Foundation

@testable import Formats

/// A card as a multiset of properties, each reduced to name, parameters and decoded value, so
/// that two spellings of the same thing are equal.
enum PlainCard {
    /// The cards of a file.
    static func cards(_ input: InputBytes) throws -> [(version: ContentDialect, lines: [String])] {
        let reader = VCardReader(input: input, context: ExchangeContext())
        let lines = ContentLines()
        var result: [(version: ContentDialect, lines: [String])] = []
        while try reader.next(into: lines) {
            result.append((lines.dialect, plain(lines)))
        }
        return result
    }

    static func plain(_ lines: ContentLines, version: Bool = true) -> [String] {
        (0..<lines.count).compactMap { i in
            let line = lines[i]
            if !version, line.tag == ContactProperty.version.rawValue { return nil }
            return text(line, lines)
        }.sorted()
    }

    private static func text(_ line: ContentLine, _ lines: ContentLines) -> String {
        let property = ContactProperty(rawValue: line.tag) ?? .other
        if line.flags.contains(.noColon) { return "| " + lines.string(line.value) }
        var types: [String] = []
        var others: [String] = []
        for j in lines.parameterIndices(line) {
            let parameter = lines.parameters[j]
            let name = lines.string(parameter.name).uppercased()
            let value = lines.string(parameter.value)
            if name == "CHARSET" || name == "ENCODING" { continue }
            if parameter.isBare || value.isEmpty || name == "TYPE" {
                let words = name == "TYPE" || parameter.isBare ? value : name
                let decoded = words.replacingOccurrences(of: "\"", with: "")
                    .replacingOccurrences(of: "\\,", with: ",")
                for word in decoded.lowercased().split(separator: ",") {
                    switch word {
                    case "quoted-printable", "base64", "b", "8bit", "7bit": break
                    case "url", "cid",
                        "content-id" where parameter.isBare:
                        others.append("VALUE=" + word)
                    default: types.append(String(word))
                    }
                }
                continue
            }
            // A VALUE that contradicts the value is not kept.
            if name == "VALUE", property.isMedia { continue }
            let decoded = RawVector<UInt8>()
            defer { decoded.destroy() }
            ParameterText.decode(lines.bytes(parameter.value), into: decoded)
            var plain = String(decoding: decoded.elements, as: UTF8.self)
            if name == "VALUE" { plain = plain.lowercased() }
            others.append(name + "=" + plain)
        }
        let bytes = lines.bytes(line.value)
        var value: String
        let data = RawVector<UInt8>()
        defer { data.destroy() }
        if let uri = MediaText.dataURI(bytes), uri.isBase64,
            Base64Text.decode(UnsafeRawBufferPointer(rebasing: bytes[uri.start...]), into: data)
        {
            value = "data:" + uri.type + ":" + Data(data.elements).base64EncodedString()
        } else if line.flags.contains(.base64), Base64Text.decode(bytes, into: data) {
            value = "data:" + Data(data.elements).base64EncodedString()
        } else if line.flags.contains(.nested) {
            value = lines.string(line.value).trimmingCharacters(in: .whitespacesAndNewlines)
        } else {
            let separator: UInt8? =
                property.isStructured
                ? 0x3B : property == .nickname || property == .categories ? 0x2C : nil
            var pieces: [String] = []
            func add(_ piece: UnsafeRawBufferPointer) {
                let out = RawVector<UInt8>()
                defer { out.destroy() }
                ValueText.unescape(
                    piece, lines.dialect,
                    quotedPrintable: line.flags.contains(.quotedPrintable), into: out)
                pieces.append(String(decoding: out.elements, as: UTF8.self))
            }
            if let separator {
                var walker = ValuePieces(bytes, separator: separator)
                while let piece = walker.nextBytes() { add(piece) }
            } else {
                add(bytes)
            }
            value = pieces.joined(separator: "\u{1F}")
        }
        return lines.string(line.group).lowercased() + "." + lines.string(line.name).uppercased()
            + " " + types.sorted().joined(separator: ",") + " "
            + others.sorted().joined(separator: ";")
            + ": " + value
    }

    /// What a closure writes.
    static func written(_ body: (ByteSink) throws -> Void) throws -> [UInt8] {
        let path = NSTemporaryDirectory() + "rtool-test-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let sink = try OutputFile.create(path, force: false)
        try body(sink)
        try sink.finish()
        return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    /// A vCard file converted to another, in the version asked for.
    static func converted(
        _ input: InputBytes, version: String? = nil, context: ExchangeContext? = nil
    ) throws -> [UInt8] {
        var options = ExchangeOptions()
        options.extra["vcard-version"] = version
        let context = context ?? ExchangeContext(options: options)
        return try written { try VCardConverter.convert(input, to: $0, context: context) }
    }

    /// A vCard file read into contacts and written back.
    static func throughContacts(_ input: InputBytes) throws -> [UInt8] {
        let context = ExchangeContext()
        let reader = VCardContactReader(input: input, context: context)
        let batch = RecordBatch(schema: reader.schema)
        return try written { sink in
            let writer = try VCardContactWriter(sink: sink, context: context)
            while try reader.next(into: batch) { try writer.write(batch) }
        }
    }
}
