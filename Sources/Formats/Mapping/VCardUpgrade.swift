// Cards from one version to another, by meaning (requirements 2.5), in steps between neighbours:
// 2.1 - 3.0 - 4.0. This file walks the lines and knows parameters and escapes; what each
// property becomes stands in the neighbouring files. What is lost or changed is reported.

/// Converts cards between versions.
final class VCardUpgrade {
    let context: ExchangeContext
    private let first = ContentLines()
    private let second = ContentLines()
    let scratch = RawVector<UInt8>(capacity: 256)
    private let lookup = ContactProperty.Lookup()

    /// The card at hand, and what it becomes.
    var src: ContentLines
    var out: ContentLines
    /// Best preference of each property, by its name's key (4.0 to 3.0).
    var best: [UInt64: Int] = [:]
    /// Lines that others have taken up.
    var taken: Set<Int> = []
    /// The LABEL line of each ADR line (3.0 to 4.0).
    var pairedLabels: [Int: Int] = [:]
    /// The SORT-STRING line until N has taken it (3.0 to 4.0).
    var sortString: Int?
    /// The line that becomes ANNIVERSARY (3.0 to 4.0).
    var anniversaryAt: Int?
    /// The lines that leave their group, whose label others tell (3.0 to 4.0).
    var ungrouped: Set<Int> = []
    /// The X-ABLabel line of each group.
    var labelLines: [UInt64: Int] = [:]
    /// The SOUND line that tells how a name sounds (3.0 to 4.0).
    var phoneticAt: Int?
    /// Whether there is a BDAY (3.0 to 4.0).
    var hasBirthday = false
    /// The version the card is on its way to, for notes.
    var targetName = "3.0"
    /// Numbers of the groups made here.
    var groupNumber = 0
    var groups: Set<String> = []

    init(context: ExchangeContext) {
        self.context = context
        src = first
        out = second
    }

    deinit { scratch.destroy() }

    /// The card in another version; valid until the next call. A card that states the version
    /// already is not touched.
    /// - Parameter isStrict: whether to add the names that the version demands, and to drop or
    ///   mend what it does not allow. Without it only the spelling changes.
    func convert(_ lines: ContentLines, to target: ContentDialect, isStrict: Bool = true)
        -> ContentLines
    {
        var now = lines
        targetName = VCardUpgrade.name(target)
        if lines.dialect == target {
            if states(lines, target) { return lines }
            return step(now, to: target, derives: isStrict)
        }
        if isStrict, !lines.isComplete, lines.dialect == .vCard3, target == .legacy {
            now = step(now, to: .vCard3, derives: true)
        }
        let hasAndroid = (0..<lines.count).contains {
            lines[$0].tag == ContactProperty.androidCustom.rawValue
        }
        if hasAndroid, lines.dialect == .vCard3, target == .vCard4 {
            now = step(now, to: .vCard3, derives: false, mapsAndroid: true)
        }
        while now.dialect != target {
            let up = VCardUpgrade.rank(target) > VCardUpgrade.rank(now.dialect)
            let next: ContentDialect =
                up
                ? (now.dialect == .legacy ? .vCard3 : .vCard4)
                : (now.dialect == .vCard4 ? .vCard3 : .legacy)
            now = step(now, to: next, derives: isStrict && next == target)
        }
        return now
    }

    /// True when the card says that it is of this version.
    private func states(_ lines: ContentLines, _ dialect: ContentDialect) -> Bool {
        guard lines.isVersionStated else { return false }
        let name = VCardUpgrade.name(dialect)
        for i in 0..<lines.count where lines[i].tag == ContactProperty.version.rawValue {
            return NameKey.equals(lines.bytes(lines[i].value), name)
        }
        return false
    }

    private static func name(_ dialect: ContentDialect) -> String {
        dialect == .legacy ? "2.1" : dialect == .vCard4 ? "4.0" : "3.0"
    }

    private static func rank(_ dialect: ContentDialect) -> Int {
        switch dialect {
        case .legacy: 0
        case .vCard4: 2
        default: 1
        }
    }

    private func step(
        _ lines: ContentLines, to dialect: ContentDialect, derives: Bool, mapsAndroid: Bool = false
    ) -> ContentLines {
        src = lines
        out = lines === first ? second : first
        out.begin(at: nil)
        out.dialect = dialect
        out.record = lines.record
        taken.removeAll()
        groups.removeAll()
        groupNumber = 0
        for i in 0..<src.count where !src[i].group.isEmpty {
            groups.insert(src.string(src[i].group).lowercased())
        }
        out.open(name: "VERSION")
        out.close(value: out.add(VCardUpgrade.name(dialect)))
        switch (lines.dialect, dialect) {
        case (.vCard4, .vCard3): prepareDown()
        case (.vCard3, .vCard3) where derives: prepareDown()
        case (.vCard3, .vCard4): prepareUp()
        default: break
        }
        for i in 0..<src.count where !taken.contains(i) {
            let line = src[i]
            let property = ContactProperty(rawValue: line.tag) ?? .other
            if property == .version { continue }
            if line.flags.contains(.noColon) {
                out.append(i, of: src)
                continue
            }
            switch (lines.dialect, dialect) {
            case (.legacy, .vCard3): fromLegacy(i, line, property)
            case (.vCard3, .vCard4): up(i, line, property)
            case (.vCard4, .vCard3): down(i, line, property)
            case (.vCard3, .legacy): toLegacy(i, line, property)
            case (.vCard3, .vCard3) where mapsAndroid && property == .androidCustom:
                if !android(line) { out.append(i, of: src) }
            case (.vCard3, .vCard3) where derives && isModern(line, property):
                down(i, line, property)
            default: out.append(i, of: src)
            }
        }
        if derives {
            deriveNames()
            mendNames()
        }
        for i in 0..<out.count {
            out.lines.base[i].tag = lookup(out[i].key, out.bytes(out[i].name))
            if out[i].name.isEmpty, out[i].flags.contains(.nested) {
                out.lines.base[i].tag = ContactProperty.agent.rawValue
            }
        }
        return out
    }

    // MARK: Notes

    func lost(_ code: String, _ line: ContentLine, _ action: String) {
        note(.lost, code, line, action)
    }

    func changed(_ code: String, _ line: ContentLine, _ action: String) {
        note(.changed, code, line, action)
    }

    private func note(
        _ kind: Report.ItemClass, _ code: String, _ line: ContentLine, _ action: String
    ) {
        context.report.note(
            kind, code, record: src.record,
            property: line.name.isEmpty ? nil : src.string(line.name).uppercased(),
            value: line.flags.contains(.base64)
                ? nil : String(decoding: src.bytes(line.value).prefix(80), as: UTF8.self),
            action: action)
    }

    // MARK: Making lines

    /// Opens a line with the source line's group and, unless told otherwise, its name.
    func open(_ line: ContentLine, name: String? = nil, group: Bool = true) {
        out.open(name: name ?? "", group: .empty)
        let at = out.count - 1
        if group, !line.group.isEmpty { out.lines.base[at].group = out.add(line.group, of: src) }
        if name == nil {
            out.lines.base[at].name = out.add(line.name, of: src)
            out.lines.base[at].key = line.key
        }
        out.lines.base[at].flags.insert(.backslash)
    }

    /// Opens a line of a new group, for a label that follows.
    func openLabelled(_ name: String) {
        repeat { groupNumber += 1 } while groups.contains("item\(groupNumber)")
        groups.insert("item\(groupNumber)")
        out.open(name: name, group: out.add("item\(groupNumber)"))
        out.lines.base[out.count - 1].flags.insert(.backslash)
    }

    /// Adds the label of the group opened last.
    func label(_ text: String, builtIn: Bool) {
        out.open(name: "X-ABLabel", group: out.add("item\(groupNumber)"))
        out.lines.base[out.count - 1].flags.insert(.backslash)
        if builtIn { return out.close(value: out.add("_$!<" + text + ">!$_")) }
        close(text: text)
    }

    /// Sets the value to a text, escaped for the target.
    func close(text: String) {
        let start = out.arena.count
        var text = text
        text.withUTF8 {
            ValueText.escape(
                UnsafeRawBufferPointer($0), out.dialect, commas: out.dialect != .legacy,
                semicolons: out.dialect != .legacy, into: out.arena)
        }
        out.close(value: out.arenaRange(from: start))
    }

    /// Sets the value to what the source line says in the target's escapes.
    /// - Parameters:
    ///   - semicolons: whether unescaped semicolons are separators and stay.
    ///   - commas: whether unescaped commas are.
    ///   - plain: whether the target has no escapes here (URIs).
    func closeValue(
        _ line: ContentLine, semicolons: Bool = false, commas: Bool = false, plain: Bool = false
    ) {
        let value = src.bytes(line.value)
        let start = out.arena.count
        let isLegacy = out.dialect == .legacy
        let isQP = line.flags.contains(.quotedPrintable)
        var from = 0
        var i = 0
        func flush(_ end: Int) {
            scratch.removeAll()
            ValueText.unescape(
                UnsafeRawBufferPointer(rebasing: value[from..<end]), src.dialect,
                quotedPrintable: isQP, into: scratch)
            ValueText.escape(
                UnsafeRawBufferPointer(scratch.elements), out.dialect,
                commas: plain ? false : isLegacy ? commas : true,
                semicolons: plain ? false : isLegacy ? semicolons : true, into: out.arena)
        }
        while i < value.count {
            let c = value[i]
            if (c == 0x3B && semicolons) || (c == 0x2C && commas) {
                flush(i)
                out.arena.append(c)
                from = i + 1
                i += 1
            } else {
                i += c == 0x5C && i + 1 < value.count ? 2 : 1
            }
        }
        flush(value.count)
        out.close(value: out.arenaRange(from: start))
    }

    /// Sets the value to the source's bytes.
    func closeAsIs(_ line: ContentLine) { out.close(value: out.add(line.value, of: src)) }

    /// True for base64, also where only the value itself shows it.
    func isData(_ line: ContentLine, _ property: ContactProperty, _ parameters: Parameters) -> Bool
    {
        if line.flags.contains(.base64) { return true }
        if parameters.has("x-irmc-n") { return false }
        let value = src.bytes(line.value)
        return property.isMedia && parameters.value != "text" && !MediaText.hasScheme(value)
            && Base64Text.isPlausible(value)
    }

    /// True for a value that is a URI, which has no separators of ours.
    func isURI(_ line: ContentLine, _ property: ContactProperty, _ parameters: Parameters) -> Bool {
        if parameters.value == "uri" { return true }
        if parameters.value == "text" { return false }
        switch property {
        case .url, .source, .calendarURI, .freeBusyURL, .calendarAddress, .impp, .member,
            .serverMember:
            return true
        case .socialProfile, .xSocialProfile: return MediaText.hasScheme(src.bytes(line.value))
        default: return false
        }
    }

    /// The text of a source value.
    func text(_ line: ContentLine) -> String {
        scratch.removeAll()
        ValueText.unescape(
            src.bytes(line.value), src.dialect,
            quotedPrintable: line.flags.contains(.quotedPrintable), into: scratch)
        return String(decoding: scratch.elements, as: UTF8.self)
    }

    // MARK: Parameters

    /// The parameters of a source line, taken apart.
    struct Parameters {
        var types: [String] = []
        var preference: Int?
        var value: String?
        /// All others, as written: name and value.
        var others: [(name: String, value: TextRange, isDecoded: Bool)] = []

        /// Tells how a value sounds (RFC 9554).
        var isPhonetic: Bool { others.contains { $0.name.uppercased() == "PHONETIC" } }

        func has(_ type: String) -> Bool { types.contains { $0.lowercased() == type } }

        /// Adds a type; PREF is the preference.
        mutating func add(type: String) {
            if type.lowercased() == "pref" {
                preference = preference ?? 1
            } else {
                types.append(type)
            }
        }

        mutating func remove(_ type: String) { types.removeAll { $0.lowercased() == type } }
    }

    func parameters(_ line: ContentLine) -> Parameters {
        var result = Parameters()
        func addTypes(_ text: UnsafeRawBufferPointer) {
            ParameterText.forEachType(text, carets: src.dialect != .legacy, scratch: scratch) {
                result.add(type: String(decoding: $0, as: UTF8.self))
            }
        }
        for j in src.parameterIndices(line) {
            let parameter = src.parameters[j]
            let text = src.bytes(parameter.value)
            if !parameter.isBare, parameter.key == NameKey.charset { continue }
            if parameter.isBare || parameter.key == NameKey.encoding {
                if !parameter.isBare || ParameterText.isTransferEncoding(text) { continue }
            }
            if parameter.isBare || text.isEmpty {
                // `TYPE=` says nothing.
                let name = src.bytes(parameter.name)
                if !parameter.isBare, ParameterText.isUsualName(name) { continue }
                let word = src.string(parameter.isBare ? parameter.value : parameter.name)
                switch word.uppercased() {
                case "PREF": result.preference = result.preference ?? 1
                case "URL", "CID", "CONTENT-ID": result.value = "uri"
                case "INLINE": break
                default: addTypes(parameter.isBare ? text : src.bytes(parameter.name))
                }
                continue
            }
            if parameter.key == NameKey.type || parameter.name.isEmpty {
                addTypes(text)
                continue
            }
            if parameter.key == NameKey.pref, let number = ScalarText.int(text) {
                result.preference = Int(clamping: number)
                continue
            }
            if parameter.key == NameKey.value {
                result.value = src.string(parameter.value).lowercased()
                continue
            }
            result.others.append(
                (src.string(parameter.name), parameter.value, parameter.needsDecoding))
        }
        return result
    }

    /// A type in upper or lower case; only ASCII letters have one.
    private static func cased(_ type: String, isUpper: Bool) -> String {
        let from: UInt8 = isUpper ? 0x61 : 0x41
        return String(decoding: type.utf8.map { $0 &- from < 26 ? $0 ^ 0x20 : $0 }, as: UTF8.self)
    }

    /// Writes parameters to the line opened last, in the target's ways.
    func write(_ parameters: Parameters) {
        let types = parameters.types.map {
            VCardUpgrade.cased($0, isUpper: out.dialect != .vCard4)
        }
        if out.dialect == .legacy {
            for type in types {
                if type.utf8.contains(where: { $0 == 0x2C || VCardUpgrade.isLost($0) }) {
                    simplified("TYPE", type)
                }
                let start = out.arena.count
                var text = type
                text.withUTF8 {
                    ParameterText.encode(
                        type: UnsafeRawBufferPointer($0), .legacy, into: out.arena)
                }
                let word = out.arenaRange(from: start)
                let isBare = ParameterText.isBareType(out.bytes(word))
                out.addParameter(isBare ? .empty : out.add("TYPE"), word)
            }
            if parameters.preference != nil { out.addParameter("", "PREF") }
        } else {
            var words = types
            if parameters.preference != nil, out.dialect == .vCard3 { words.append("PREF") }
            if !words.isEmpty {
                let start = out.arena.count
                for (k, word) in words.enumerated() {
                    if k > 0 { out.arena.append(0x2C) }
                    encode(word)
                }
                out.addParameter(out.add("TYPE"), part(start, words))
            }
            if let preference = parameters.preference, out.dialect == .vCard4 {
                out.addParameter("PREF", String(min(max(preference, 1), 100)))
            }
        }
        if let value = parameters.value { out.addParameter("VALUE", value) }
        for other in parameters.others {
            if !other.isDecoded {
                let name = out.add(other.name)
                out.addParameter(name, out.add(other.value, of: src))
                continue
            }
            var values: [String] = []
            let parameter = ContentParameter(
                name: .empty, value: other.value, key: 0, isBare: false, needsDecoding: true)
            ParameterText.forEachValue(parameter, of: src, scratch: scratch) {
                values.append(String(decoding: $0, as: UTF8.self))
            }
            if out.dialect == .legacy,
                let value = values.first(where: { $0.utf8.contains(where: VCardUpgrade.isLost) })
            {
                simplified(other.name, value)
            }
            let start = out.arena.count
            for (k, value) in values.enumerated() {
                if k > 0 { out.arena.append(0x2C) }
                encode(value)
            }
            let end = out.arena.count
            let name = out.add(other.name)
            out.addParameter(
                name,
                TextRange(
                    place: 0x8000_0000 | UInt32(truncatingIfNeeded: start),
                    length: UInt32(truncatingIfNeeded: end - start)))
        }
    }

    /// True for what a parameter of 2.1 cannot hold.
    private static func isLost(_ c: UInt8) -> Bool {
        c == 0x3A || c == 0x3B || c == 0x22 || c < 0x20
    }

    private func simplified(_ name: String, _ value: String) {
        context.report.note(
            .changed, "parameter-simplified", record: src.record, property: name, value: value,
            action: "2.1 has no quotes; separators became spaces, and commas part types")
    }

    private func encode(_ text: String) {
        var text = text
        text.withUTF8 {
            ParameterText.encode(UnsafeRawBufferPointer($0), out.dialect, into: out.arena)
        }
    }

    /// The arena from `start` up to where the words just encoded end.
    private func part(_ start: Int, _ words: [String]) -> TextRange {
        // `TYPE` was added behind them.
        TextRange(
            place: 0x8000_0000 | UInt32(truncatingIfNeeded: start),
            length: UInt32(truncatingIfNeeded: out.arena.count - 4 - start))
    }

    /// Writes one parameter with text.
    func addParameter(_ name: String, text: String) {
        let name = out.add(name)
        let start = out.arena.count
        encode(text)
        out.addParameter(name, out.arenaRange(from: start))
    }

    // MARK: Names

    /// Property names that the grammar does not allow (`X-GOOGLE TALK`) are mended.
    private func mendNames() {
        for i in 0..<out.count {
            let line = out[i]
            func isPlain(_ c: UInt8) -> Bool {
                c &- 0x30 < 10 || (c & 0xDF) &- 0x41 < 26 || c == 0x2D
            }
            guard !out.bytes(line.name).allSatisfy(isPlain) else { continue }
            let name = String(
                decoding: out.bytes(line.name).map { isPlain($0) ? $0 : 0x2D }, as: UTF8.self)
            out.lines.base[i].name = out.add(name)
            out.lines.base[i].key = NameKey.of(name)
            context.report.note(
                .changed, "name-mended", record: src.record, property: name,
                action: "the name held characters that names cannot have")
        }
    }

    /// Adds the FN or N that the target demands and the card has not.
    private func deriveNames() {
        let fn = NameKey.of("FN")
        let n = NameKey.of("N")
        var hasFN = false
        var hasN = false
        for i in 0..<out.count {
            if out[i].key == fn { hasFN = true }
            if out[i].key == n { hasN = true }
        }
        if !hasFN, out.dialect != .legacy {
            let name = derivedName()
            out.open(name: "FN")
            out.lines.base[out.count - 1].flags.insert(.backslash)
            close(text: name)
            context.report.note(
                .guessed, "name-derived", record: src.record, property: "FN", value: name,
                action: "the version demands a formatted name")
        }
        if !hasN, out.dialect != .vCard4 {
            out.open(name: "N")
            out.lines.base[out.count - 1].flags.insert(.backslash)
            let start = out.arena.count
            let name = formattedName()
            let parts = NameParts(name)
            let pieces = [parts.family, parts.given, "", parts.prefix, parts.suffix]
            for (k, piece) in pieces.enumerated() {
                if k > 0 { out.arena.append(0x3B) }
                var piece = piece
                piece.withUTF8 {
                    ValueText.escape(
                        UnsafeRawBufferPointer($0), out.dialect, commas: out.dialect != .legacy,
                        semicolons: true, into: out.arena)
                }
            }
            out.close(value: out.arenaRange(from: start))
            context.report.note(
                .guessed, "name-derived", record: src.record, property: "N", value: name,
                action: "the version demands a name; it was made of FN")
        }
    }

    private func value(of name: String) -> ContentLine? {
        let key = NameKey.of(name)
        for i in 0..<out.count where out[i].key == key && !out[i].value.isEmpty { return out[i] }
        return nil
    }

    private func outText(_ bytes: UnsafeRawBufferPointer) -> String {
        scratch.removeAll()
        ValueText.unescape(bytes, out.dialect, into: scratch)
        return String(decoding: scratch.elements, as: UTF8.self)
    }

    private func formattedName() -> String {
        guard let line = value(of: "FN") else { return "" }
        return outText(out.bytes(line.value))
    }

    /// Prefix, given, additional, family and suffix; else organisation, nickname, e-mail, phone.
    private func derivedName() -> String {
        if let line = value(of: "N") {
            var parts = [String](repeating: "", count: 5)
            var pieces = ValuePieces(out.bytes(line.value), separator: 0x3B)
            for k in 0..<5 {
                guard let piece = pieces.nextBytes() else { break }
                var lists = ValuePieces(piece, separator: 0x2C)
                var words: [String] = []
                while let word = lists.nextBytes() { words.append(outText(word)) }
                parts[k] = words.filter { !$0.isEmpty }.joined(separator: " ")
            }
            let name = [3, 1, 2, 0, 4].map { parts[$0] }.filter { !$0.isEmpty }
            if !name.isEmpty { return name.joined(separator: " ") }
        }
        for name in ["ORG", "NICKNAME", "EMAIL", "TEL"] {
            guard let line = value(of: name) else { continue }
            var pieces = ValuePieces(out.bytes(line.value), separator: name == "ORG" ? 0x3B : 0x2C)
            if let piece = pieces.nextBytes() {
                let text = outText(piece)
                if !text.isEmpty { return text }
            }
        }
        return ""
    }
}
