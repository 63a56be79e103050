// Which lines of a contact that no list of its class holds mean something to address books. How they
// are read is the reader's matter.

/// How a line that no list holds is read, by its name.
enum LineWay: UInt8 {
    case unknown
    /// Said elsewhere.
    case said
    case sound, relation, spouse, manager, assistant, child, anniversary, death, date, birthday
    case gender, maidenName, android, kept, fileAs, address, phone, membership
    case leftOver

    init(_ name: UnsafeRawBufferPointer, _ lookup: ContactProperty.Lookup) {
        let property = ContactProperty(rawValue: lookup(NameKey.of(name), name)) ?? .other
        switch property {
        case .version, .prodid, .uid, .kind, .rev, .abLabel, .phoneticFirst, .phoneticMiddle,
            .phoneticLast, .n:
            self = .said
        case .sound: self = .sound
        case .abRelatedNames: self = .relation
        case .xSpouse: self = .spouse
        case .xManager: self = .manager
        case .xAssistant: self = .assistant
        case .xChild: self = .child
        case .xAnniversary: self = .anniversary
        case .xDeathdate: self = .death
        case .abDate: self = .date
        case .xBirthday: self = .birthday
        case .xGender: self = .gender
        case .maidenName: self = .maidenName
        case .androidCustom: self = .android
        default:
            let others: [(String, LineWay)] = [
                (AddressBookReader.keptLine, .kept), ("X-FILE-AS", .fileAs),
                ("X-EVOLUTION-FILE-AS", .fileAs), ("X-SAMSUNGADR", .address),
                ("X-MS-TEL", .phone), ("X-GROUP-MEMBERSHIP", .membership),
            ]
            self = others.first { NameKey.equals(name, $0.0) }?.1 ?? .leftOver
        }
    }
}
