// The properties of contact cards that mean something to this house, by name; all others are
// kept as they are.

/// What a line of a card is about.
package enum ContactProperty: UInt16, CaseIterable {
    case other = 0
    // Scalars
    case version, uid, kind, prodid, rev
    // Text
    case fn, nickname, title, role, note, categories, email, url, related, lang, member, tz, geo
    case label
    // Structured
    case n, org, tel, adr, gender
    // Dates
    case bday, anniversary, deathdate, abDate
    // Media
    case photo, logo, sound, key
    // Services
    case impp, socialProfile, xSocialProfile, xMessenger
    // Nested
    case agent
    // Lines that are kept, but known for labels and version conversion
    case abLabel, abADR, abShowAs, abRelatedNames, serverKind, serverMember, androidCustom
    case xAnniversary, xGender, xSpouse, xManager, xAssistant, sortString
    case phoneticFirst, phoneticMiddle, phoneticLast, mailer, class_, profile, name, source
    case calendarURI, freeBusyURL, calendarAddress, maidenName, altBirthday
    case abUID, xCategories, clientPIDMap, language, birthplace, deathplace
    case xBirthday, xDeathdate, xChild
    // What stands for a line without a colon, which may not be written as it is
    case brokenLine

    /// True where an unescaped semicolon separates components.
    package var isStructured: Bool {
        switch self {
        case .n, .org, .adr, .gender, .androidCustom, .sound, .clientPIDMap: true
        default: false
        }
    }

    /// True for properties whose base64 is text, which 2.1 allows.
    var mayBeEncodedText: Bool {
        self != .other && self != .agent && self != .brokenLine && !isMedia
    }

    /// True for lines that may carry binary data.
    package var isMedia: Bool {
        switch self {
        case .photo, .logo, .sound, .key: true
        default: false
        }
    }

    /// True for the typed properties that came with 4.0.
    var isNew: Bool {
        switch self {
        case .related, .lang, .member, .gender, .anniversary, .deathdate: true
        default: false
        }
    }

    private static let names: [(String, ContactProperty)] = [
        ("VERSION", .version), ("UID", .uid), ("KIND", .kind), ("PRODID", .prodid), ("REV", .rev),
        ("FN", .fn), ("NICKNAME", .nickname), ("TITLE", .title), ("ROLE", .role), ("NOTE", .note),
        ("CATEGORIES", .categories), ("EMAIL", .email), ("URL", .url), ("RELATED", .related),
        ("LANG", .lang), ("MEMBER", .member), ("TZ", .tz), ("GEO", .geo), ("LABEL", .label),
        ("N", .n), ("ORG", .org), ("TEL", .tel), ("ADR", .adr), ("GENDER", .gender),
        ("BDAY", .bday), ("ANNIVERSARY", .anniversary), ("DEATHDATE", .deathdate),
        ("X-ABDATE", .abDate), ("PHOTO", .photo), ("LOGO", .logo), ("SOUND", .sound),
        ("KEY", .key), ("IMPP", .impp), ("SOCIALPROFILE", .socialProfile),
        ("X-SOCIALPROFILE", .xSocialProfile), ("AGENT", .agent), ("X-ABLABEL", .abLabel),
        ("X-ABADR", .abADR), ("X-ABSHOWAS", .abShowAs), ("X-ABRELATEDNAMES", .abRelatedNames),
        ("X-ADDRESSBOOKSERVER-KIND", .serverKind), ("X-ADDRESSBOOKSERVER-MEMBER", .serverMember),
        ("X-ANDROID-CUSTOM", .androidCustom), ("X-ANNIVERSARY", .xAnniversary),
        ("X-EVOLUTION-ANNIVERSARY", .xAnniversary), ("X-KADDRESSBOOK-X-ANNIVERSARY", .xAnniversary),
        ("X-MS-ANNIVERSARY", .xAnniversary), ("X-GENDER", .xGender), ("X-SPOUSE", .xSpouse),
        ("X-EVOLUTION-SPOUSE", .xSpouse), ("X-KADDRESSBOOK-X-SPOUSESNAME", .xSpouse),
        ("X-MS-SPOUSE", .xSpouse), ("X-MANAGER", .xManager), ("X-EVOLUTION-MANAGER", .xManager),
        ("X-KADDRESSBOOK-X-MANAGERSNAME", .xManager), ("X-MS-MANAGER", .xManager),
        ("X-ASSISTANT", .xAssistant), ("X-EVOLUTION-ASSISTANT", .xAssistant),
        ("X-KADDRESSBOOK-X-ASSISTANTSNAME", .xAssistant), ("X-MS-ASSISTANT", .xAssistant),
        ("SORT-STRING", .sortString), ("X-PHONETIC-FIRST-NAME", .phoneticFirst),
        ("X-PHONETIC-MIDDLE-NAME", .phoneticMiddle), ("X-PHONETIC-LAST-NAME", .phoneticLast),
        ("MAILER", .mailer), ("CLASS", .class_), ("PROFILE", .profile), ("NAME", .name),
        ("SOURCE", .source), ("CALURI", .calendarURI), ("FBURL", .freeBusyURL),
        ("CALADRURI", .calendarAddress), ("X-MAIDENNAME", .maidenName),
        ("X-ALTBDAY", .altBirthday), ("X-ABUID", .abUID), ("X-CATEGORIES", .xCategories),
        ("CLIENTPIDMAP", .clientPIDMap), ("LANGUAGE", .language), ("BIRTHPLACE", .birthplace),
        ("DEATHPLACE", .deathplace), ("X-BDAY", .xBirthday), ("X-DEATHDATE", .xDeathdate),
        ("X-MS-CHILD", .xChild), ("X-BROKEN-LINE", .brokenLine),
    ]

    /// The X- names of messengers and the service each means; the first of a service is the one
    /// we write.
    package static let messengers: [(name: String, service: String)] = [
        ("X-AIM", "aim"), ("X-ICQ", "icq"), ("X-JABBER", "jabber"), ("X-MSN", "msn"),
        ("X-YAHOO", "yahoo"), ("X-SKYPE", "skype"), ("X-SKYPE-USERNAME", "skype"),
        ("X-QQ", "qq"), ("X-GOOGLE-TALK", "google talk"), ("X-GTALK", "google talk"),
        ("X-GOOGLE TALK", "google talk"), ("X-GADUGADU", "gadu-gadu"),
        ("X-GROUPWISE", "groupwise"), ("X-TWITTER", "twitter"), ("X-MATRIX", "matrix"),
        ("X-MS-IMADDRESS", "im"),
    ]

    // MARK: Looking up

    private struct Entry: BitwiseCopyable {
        var key: UInt64
        var length: UInt32
        var property: UInt16
        var name: UnsafePointer<UInt8>
    }

    private static let slots = 512
    /// A small open table.
    private nonisolated(unsafe) static let table: UnsafePointer<Entry> = {
        let table = UnsafeMutablePointer<Entry>.allocate(capacity: slots)
        let nothing = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)
        nothing.initialize(to: 0)
        table.initialize(
            repeating: Entry(key: 0, length: 0, property: 0, name: UnsafePointer(nothing)),
            count: slots)
        for (name, property) in names + messengers.map({ ($0.name, ContactProperty.xMessenger) }) {
            let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: name.utf8.count)
            for (i, byte) in name.utf8.enumerated() {
                (bytes + i).initialize(to: NameKey.fold(byte))
            }
            let key = NameKey.of(name)
            var at = slot(key)
            while table[at].length != 0 { at = (at + 1) & (slots - 1) }
            table[at] = Entry(
                key: key, length: UInt32(name.utf8.count), property: property.rawValue,
                name: UnsafePointer(bytes))
        }
        return UnsafePointer(table)
    }()

    @inline(__always)
    private static func slot(_ key: UInt64) -> Int {
        Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) >> 55)
    }

    /// Whether a name of more than eight bytes is, but for letter case, the one of the same length
    /// at `known`, which is in lower case.
    @inline(__always)
    private static func isSame(
        _ name: UnsafeRawBufferPointer, _ known: UnsafePointer<UInt8>
    ) -> Bool {
        guard let p = name.baseAddress else { return false }
        let known = UnsafeRawPointer(known)
        let last = name.count &- 8
        var i = 0
        while true {
            let word = p.loadUnaligned(fromByteOffset: i, as: UInt64.self)
            if ShortText.lowercased(word)
                != known.loadUnaligned(fromByteOffset: i, as: UInt64.self)
            {
                return false
            }
            if i == last { return true }
            // The last eight bytes overlap those before them.
            i = min(i &+ 8, last)
        }
    }

    /// A view of the lookup table, to be fetched once and used in loops.
    package struct Lookup {
        private let table = ContactProperty.table

        /// The table.
        package init() {}

        /// The property of a name.
        @inline(__always)
        package func callAsFunction(_ key: UInt64, _ name: UnsafeRawBufferPointer) -> UInt16 {
            find(key, name.count) { name }
        }

        /// The property of a line's name, which is looked at only when it is long.
        @inline(__always)
        package func callAsFunction(
            _ key: UInt64, _ lines: ContentLines, _ name: TextRange
        ) -> UInt16 {
            find(key, name.count) { lines.bytes(name) }
        }

        @inline(__always)
        private func find(
            _ key: UInt64, _ count: Int, _ name: () -> UnsafeRawBufferPointer
        ) -> UInt16 {
            var at = ContactProperty.slot(key)
            while true {
                let entry = table[at]
                if entry.length == 0 { return 0 }
                if entry.key == key, Int(entry.length) == count {
                    // Up to eight bytes the key is the name.
                    if count <= 8 || ContactProperty.isSame(name(), entry.name) {
                        return entry.property
                    }
                }
                at = (at &+ 1) & (ContactProperty.slots - 1)
            }
        }
    }

    /// The name we write.
    package var canonicalName: String {
        ContactProperty.canonicalNames[Int(rawValue)]
    }

    private static let canonicalNames: [String] = ContactProperty.allCases.map { property in
        names.first { $0.1 == property }?.0 ?? ""
    }
}
