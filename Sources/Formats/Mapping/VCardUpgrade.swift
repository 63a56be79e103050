// Cards from one version to another, by meaning (requirements 2.5), in steps between neighbours:
// 2.1 - 3.0 - 4.0. This file walks the lines and knows parameters and escapes; what each
// property becomes stands in the neighbouring files. What is lost or changed is reported.

/// Converts cards between versions.
final class VCardUpgrade {
    let context: ExchangeContext
    let first = ContentLines()
    let second = ContentLines()
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
            if states(lines, target) { return mendMade(lines) }
            return step(now, to: target, derives: isStrict)
        }
        if lines.dialect == .vCard3, target == .legacy, lines.isVersionStated {
            now = mendMade(lines)
            targetName = VCardUpgrade.name(target)
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

    static func name(_ dialect: ContentDialect) -> String {
        dialect == .legacy ? "2.1" : dialect == .vCard4 ? "4.0" : "3.0"
    }

    static func rank(_ dialect: ContentDialect) -> Int {
        switch dialect {
        case .legacy: 0
        case .vCard4: 2
        default: 1
        }
    }

    func step(
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
            let start = out.count
            let label = dialect == .legacy ? nil : customLabel(line)
            defer { if let label { self.label(from: start, label) } }
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
            if out.dialect == .vCard4 { mendRepeated() }
        }
        settleTags()
        return out
    }

    /// Says of each line that was written which property it is.
    func settleTags() {
        for i in 0..<out.count {
            out.lines.base[i].tag = lookup(out[i].key, out.bytes(out[i].name))
            if out[i].name.isEmpty, out[i].flags.contains(.nested) {
                out.lines.base[i].tag = ContactProperty.agent.rawValue
            }
        }
    }

    // MARK: Notes

    func lost(_ code: String, _ line: ContentLine, _ action: String) {
        note(.lost, code, line, action)
    }

    func changed(_ code: String, _ line: ContentLine, _ action: String) {
        note(.changed, code, line, action)
    }

    func note(
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
        if parameters.value == "uri" || parameters.value == "url" { return true }
        if parameters.value == "text" { return false }
        switch property {
        case .uid: return MediaText.hasScheme(src.bytes(line.value))
        case .url, .source, .calendarURI, .freeBusyURL, .calendarAddress, .impp, .member,
            .serverMember:
            return true
        case .socialProfile, .xSocialProfile: return MediaText.hasScheme(src.bytes(line.value))
        default: return false
        }
    }

    /// The text of a source value, without the blanks around it.
    func trimmedText(_ line: ContentLine) -> String {
        var text = text(line)[...]
        while text.last?.isWhitespace == true { text.removeLast() }
        while text.first?.isWhitespace == true { text.removeFirst() }
        return String(text)
    }

    /// The text of a source value.
    func text(_ line: ContentLine) -> String {
        scratch.removeAll()
        ValueText.unescape(
            src.bytes(line.value), src.dialect,
            quotedPrintable: line.flags.contains(.quotedPrintable), into: scratch)
        return String(decoding: scratch.elements, as: UTF8.self)
    }

}
