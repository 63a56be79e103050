// Cards to contacts: the lines of one card become one row of `Contact`, in one pass, without
// loss (DESIGN 1.4 and the rulings of 1.8). The way back is in `ContactMapper+Lines`.

/// Turns the lines of cards into rows of `Contact`, and back.
public final class ContactMapper {
    /// The classes it fills.
    public static var schema: Schema { ContactClass.schema }

    /// No value of a card with fewer bytes is too large for a store: none doubles its text.
    static let closeLook = ValueLimit.bytes / 2

    let context: ExchangeContext?
    let source: String?
    let minter: IdentityMinter?
    @exclusivity(unchecked) var columns: ContactColumns?
    /// Those of the batches that come in turns.
    private var knownColumns: [ContactColumns] = []
    let scratch = RawVector<UInt8>(capacity: 256)
    let scratch2 = RawVector<UInt8>(capacity: 256)
    let lookup = ContactProperty.Lookup()

    /// The place of the first line: `madeOrder` for rows that never were a card.
    @exclusivity(unchecked) package var firstOrder = 0
    /// Beyond the scalars that can stand at the head of a card.
    package static let madeOrder = 8

    let keySortAs = NameKey.of("SORT-AS")
    let keyLabel = NameKey.of("LABEL")
    let keyCC = NameKey.of("CC")
    let keyMediaType = NameKey.of("MEDIATYPE")
    let keyServiceType = NameKey.of("SERVICE-TYPE")
    let keyXServiceType = NameKey.of("X-SERVICE-TYPE")
    let keyXUser = NameKey.of("X-USER")
    let keyUserName = NameKey.of("USERNAME")
    let keyOmitYear = NameKey.of("X-APPLE-OMIT-YEAR")
    let keyPhonetic = NameKey.of("PHONETIC")
    let keyContentID = NameKey.of("CONTENT-ID")

    /// False once text was made of bytes that nobody has looked at.
    @exclusivity(unchecked) package var isTextKnown = true

    // The card at hand.
    @exclusivity(unchecked) var dialect = ContentDialect.vCard3
    /// The card says that it is of a version before 4.0: what only 4.0 has keeps its text.
    @exclusivity(unchecked) var isOld = false
    /// Written by an Apple program: 1604 stands for no year.
    @exclusivity(unchecked) var isApple = false
    /// Set where the PRODID is known without its line.
    @exclusivity(unchecked) var assumesApple = false
    /// Set where an X-ABDATE is known to have a label.
    @exclusivity(unchecked) var assumesLabel = false
    /// The kept line that was written last tells its label by itself.
    @exclusivity(unchecked) var isLabelKept = false
    private(set) lazy var checker = ItemChecker()
    private(set) lazy var cardContent = CardContent()
    /// Lines that give labels to their groups.
    let labels = LabelLines()
    /// Lines that name the country of an address of their groups.
    let countries = LabelLines()
    /// The groups of the card at hand that have a line to say something of, when that was asked.
    @exclusivity(unchecked) var named: Set<UInt64>?
    /// When a contact is written, what its groups have.
    @exclusivity(unchecked) var groups = GroupLines()
    /// The PRODID that was looked at last, and whether it is Apple's.
    private let program = RawVector<UInt8>(capacity: 64)
    @exclusivity(unchecked) private var isApples = false

    /// A mapper.
    /// - Parameters:
    ///   - context: takes notes of what is guessed; nil to be silent.
    ///   - source: what notes call the input.
    package init(context: ExchangeContext? = nil, source: String? = nil, mintsIDs: Bool = true) {
        self.context = context
        self.source = source
        minter = mintsIDs ? IdentityMinter(map: "addressbook", kind: "contact") : nil
    }

    deinit {
        scratch.destroy()
        scratch2.destroy()
        program.destroy()
    }

    // MARK: A card

    /// Appends one row to a batch of `Contact`.
    package func append(_ lines: ContentLines, to batch: RecordBatch) {
        if columns?.batch !== batch { columns = columns(of: batch) }
        guard let columns else { return }
        dialect = lines.dialect
        let count = lines.count
        var first = Firsts()
        labels.removeAll()
        countries.removeAll()
        named = nil
        for i in 0..<count { note(lines[i], i, lines, &first) }
        labels.index()
        countries.index()
        isOld = dialect != .vCard4 && first.version >= 0
        isApple =
            assumesApple
            || first.prodid >= 0 && isAppleProgram(lines.bytes(lines[first.prodid].value))
        let scalars = columns.scalarFills
        scalars.pointee.id.append(first: identity(lines, first))

        var usual = 0
        func look(_ at: Int) {
            if at == usual && at < count && isPlain(lines[at], lines)
                && !first.isRepeated(lines[at].tag)
                && (at != first.version || isKnownVersion(lines.bytes(lines[at].value)))
            {
                usual += 1
            }
        }
        look(first.version)
        look(first.prodid)
        look(first.uid)
        // Before 4.0 it is a line as others are, and one that is made is written another way.
        if !isOld { look(first.kind) }
        var hasRevision = false
        var hasGender = false
        for i in 0..<count {
            let line = lines[i]
            let property = ContactProperty(rawValue: line.tag) ?? .other
            switch property {
            case .version, .prodid, .uid, .kind:
                if i >= usual { appendExtra(line, i, lines, columns) }
            case .rev where !hasRevision:
                hasRevision = true
                appendRevision(line, i, lines, columns.fill(.rev))
            case .gender where !hasGender:
                hasGender = true
                appendGender(line, i, lines, columns.fill(.gender))
            case .n where line.parameterCount > 0 && isPhonetic(line, lines):
                appendExtra(line, i, lines, columns)
            case .n: appendName(line, i, lines, columns.fill(.n), first)
            case .fn, .title, .role, .note, .email, .url, .related, .lang, .member, .tz, .geo,
                .label:
                appendText(line, i, lines, columns.fill(property), property)
            case .nickname, .categories:
                appendList(line, i, lines, columns.fill(property))
            case .agent: appendAgent(line, i, lines, columns.fill(property))
            case .tel: appendPhone(line, i, lines, columns.fill(property))
            // An empty value says nothing of an organisation or address, but its line is kept.
            case .org where isBlank(line, lines), .adr where isBlank(line, lines):
                appendExtra(line, i, lines, columns)
            case .org: appendOrganization(line, i, lines, columns.fill(property))
            case .adr: appendAddress(line, i, lines, columns.fill(property))
            case .impp, .socialProfile, .xSocialProfile, .xMessenger:
                appendService(line, i, lines, columns.fill(property), property)
            case .bday, .anniversary, .deathdate:
                appendDate(line, i, lines, columns.fill(property), property)
            case .abDate where assumesLabel || label(of: line, lines) != nil:
                appendDate(line, i, lines, columns.fill(property), property)
            case .photo, .logo, .sound, .key:
                appendMedia(line, i, lines, columns, property)
            default: appendExtra(line, i, lines, columns)
            }
        }
        scalar(first.uid, lines, scalars.pointee.uid)
        scalar(first.kind, lines, scalars.pointee.kind)
        scalar(first.version, lines, scalars.pointee.version, trimmed: true)
        scalar(first.prodid, lines, scalars.pointee.productID)
        if first.fn >= 0 {
            append(
                lines.bytes(lines[first.fn].value), of: lines[first.fn],
                scalars.pointee.formattedName)
        }
        scalars.pointee.formattedName.closeBytes()
        batch.closeRow()
    }

    /// The columns of a batch; while one is written another one is filled, so some are kept.
    func columns(of batch: RecordBatch) -> ContactColumns? {
        if let known = knownColumns.first(where: { $0.batch === batch }) { return known }
        guard let made = ContactColumns(batch) else { return nil }
        if knownColumns.count >= 3 { knownColumns.removeFirst() }
        knownColumns.append(made)
        return made
    }

    /// Ends a batch: to be called after the last card was appended and before it is read.
    package func complete(_ batch: RecordBatch) {
        if let columns, columns.batch === batch { columns.settle() }
    }

    /// Drops the card appended last where it has a value that no store can hold.
    /// - Returns: why; nil where it stays.
    func refuseLast(_ batch: RecordBatch) -> FormatError? {
        let row = batch.rowCount - 1
        guard row >= 0 else { return nil }
        complete(batch)
        guard let refusal = ValueLimit.refusal(of: row, in: batch) else { return nil }
        batch.truncate(to: row)
        return refusal
    }

    /// The id that a card gets.
    func id(of lines: ContentLines) -> ObjectID {
        dialect = lines.dialect
        var first = Firsts()
        labels.removeAll()
        countries.removeAll()
        for i in 0..<lines.count { note(lines[i], i, lines, &first) }
        return identity(lines, first)
    }

    /// Where the first line of each scalar stands; -1 for none.
    struct Firsts {
        var version = -1
        var uid = -1
        var kind = -1
        var prodid = -1
        /// A bit for each of the four that a card has more than once.
        private var repeated: UInt64 = 0
        var fn = -1
        var phoneticFirst = -1
        var phoneticMiddle = -1
        var phoneticLast = -1
        var phoneticSound = -1
        var phoneticName = -1

        mutating func `repeat`(_ tag: UInt16) { repeated |= 1 &<< UInt64(tag) }

        func isRepeated(_ tag: UInt16) -> Bool { repeated & 1 &<< UInt64(tag) != 0 }
    }

    /// A bit for each property that `note` knows; others may share it.
    private let noted: UInt64 = [
        ContactProperty.version, .uid, .kind, .prodid, .fn, .phoneticFirst, .phoneticMiddle,
        .phoneticLast, .n, .sound, .abLabel, .abADR,
    ].reduce(0) { $0 | 1 << UInt64($1.rawValue & 63) }

    /// Remembers where a line stands that others ask for.
    @inline(__always)
    private func note(_ line: ContentLine, _ i: Int, _ lines: ContentLines, _ first: inout Firsts) {
        let tag = line.tag
        if noted & 1 &<< UInt64(tag & 63) == 0 { return }
        switch ContactProperty(rawValue: tag) ?? .other {
        case .version: if first.version < 0 { first.version = i } else { first.repeat(tag) }
        case .uid: if first.uid < 0 { first.uid = i } else { first.repeat(tag) }
        case .kind: if first.kind < 0 { first.kind = i } else { first.repeat(tag) }
        case .prodid: if first.prodid < 0 { first.prodid = i } else { first.repeat(tag) }
        case .fn: if first.fn < 0 { first.fn = i }
        case .phoneticFirst: if first.phoneticFirst < 0 { first.phoneticFirst = i }
        case .phoneticMiddle: if first.phoneticMiddle < 0 { first.phoneticMiddle = i }
        case .phoneticLast: if first.phoneticLast < 0 { first.phoneticLast = i }
        case .n where line.parameterCount > 0:
            if first.phoneticName < 0, isPhonetic(line, lines) { first.phoneticName = i }
        case .sound where line.parameterCount > 0:
            if first.phoneticSound < 0, isPhoneticSound(line, lines) { first.phoneticSound = i }
        case .abLabel where !line.group.isEmpty:
            labels.add(NameKey.of(lines.bytes(line.group)), line: i)
        case .abADR where !line.group.isEmpty:
            countries.add(NameKey.of(lines.bytes(line.group)), line: i)
        default: break
        }
    }

    /// True for an N that tells how the name sounds (RFC 9554), and is no other name.
    private func isPhonetic(_ line: ContentLine, _ lines: ContentLines) -> Bool {
        lines.parameter(keyPhonetic, of: line) != nil
    }

    /// True for nothing but separators.
    private func isBlank(_ line: ContentLine, _ lines: ContentLines) -> Bool {
        for c in lines.bytes(line.value) where c != 0x3B && c != 0x20 { return false }
        for j in lines.parameterIndices(line) where lines.parameters[j].key == keyLabel {
            return false
        }
        return true
    }

    /// Whether a PRODID is Apple's; most cards of a file have the same one.
    private func isAppleProgram(_ value: UnsafeRawBufferPointer) -> Bool {
        if !equalBytes(value, UnsafeRawBufferPointer(program.elements)) {
            program.removeAll()
            program.append(bytes: value)
            isApples = ContactMapper.isAppleProgram(value)
        }
        return isApples
    }

    static func isAppleProgram(_ value: UnsafeRawBufferPointer) -> Bool {
        let text = UnsafeRawBufferPointer(rebasing: value.prefix(80))
        return ByteSearch.containsFolded(text, "apple") || ByteSearch.containsFolded(text, "ios ")
            || ByteSearch.containsFolded(text, "mac os")
    }

    /// True for a line that its scalar tells in full.
    private func isPlain(_ line: ContentLine, _ lines: ContentLines) -> Bool {
        guard line.group.isEmpty else { return false }
        for j in lines.parameterIndices(line) where !isTransfer(lines.parameters[j], line) {
            return false
        }
        return true
    }

    /// True for the versions that a writer names by itself.
    private func isKnownVersion(_ value: UnsafeRawBufferPointer) -> Bool {
        var text = value
        while let c = text.first, c <= 0x20 { text = .init(rebasing: text.dropFirst()) }
        while let c = text.last, c <= 0x20 { text = .init(rebasing: text.dropLast()) }
        guard text.count == 3, text[1] == 0x2E else { return false }
        switch (text[0], text[2]) {
        case (0x32, 0x31), (0x33, 0x30), (0x34, 0x30): return true
        default: return false
        }
    }

    /// True for parameters that only say how the value was transferred.
    func isTransfer(_ parameter: ContentParameter, _ line: ContentLine) -> Bool {
        if parameter.key == NameKey.charset, !parameter.isBare { return true }
        guard parameter.isBare || parameter.key == NameKey.encoding else { return false }
        return line.flags.contains(.quotedPrintable) && !line.flags.contains(.base64)
            && (parameter.key == NameKey.encoding || parameter.key == NameKey.quotedPrintable)
    }

    private func scalar(
        _ i: Int, _ lines: ContentLines, _ column: ColumnFill, trimmed: Bool = false
    ) {
        guard i >= 0 else { return }
        var bytes = lines.bytes(lines[i].value)
        if trimmed {
            while let c = bytes.first, c <= 0x20 { bytes = .init(rebasing: bytes.dropFirst()) }
            while let c = bytes.last, c <= 0x20 { bytes = .init(rebasing: bytes.dropLast()) }
        }
        if isURI(scalar: ContactProperty(rawValue: lines[i].tag) ?? .other, bytes) {
            column.bytes.append(bytes: bytes)
        } else {
            append(bytes, of: lines[i], column)
        }
        column.closeBytes()
    }

    /// True for the UID of a 4.0 card that is a URI, which has no escapes (V34).
    func isURI(scalar property: ContactProperty, _ value: UnsafeRawBufferPointer) -> Bool {
        property == .uid && dialect == .vCard4 && MediaText.hasScheme(value)
    }
}
