// The columns of an address book gathered into items: which columns make one phone, one address.

/// Where the values of a contact stand in a row.
struct AddressBookPlan {
    /// The columns of one e-mail, phone, address, organisation and so on.
    struct Item {
        var field: ColumnMeaning.Field
        var types: [String]
        var label: String?
        var number: Int
        /// What to call it where its label cell is empty.
        var name: String
        /// The column of each part, by the part's number.
        private var places = [Int?](repeating: nil, count: ColumnMeaning.Part.allCases.count)

        init(_ meaning: ColumnMeaning, name: String) {
            field = meaning.field
            types = meaning.types
            label = meaning.label
            number = meaning.number
            self.name = name
        }

        subscript(part: ColumnMeaning.Part) -> Int? {
            get { places[part.rawValue] }
            set { places[part.rawValue] = newValue }
        }

        /// All its columns.
        var columns: [Int] { places.compactMap { $0 } }

        /// Whether it has a part.
        func has(_ part: ColumnMeaning.Part) -> Bool { self[part] != nil }
    }

    let origin: String
    private(set) var items: [Item] = []
    private var single: [ColumnMeaning.Field: Int] = [:]
    /// Columns without a property: kept under their names.
    private(set) var kept: [Int] = []
    private(set) var emailNotes: [Int] = []
    /// Those of the kept columns whose names nobody knows.
    let unknown: Set<Int>

    init(_ book: AddressBook) {
        origin = book.origin
        unknown = book.unknown
        var meanings: [ColumnMeaning] = []
        for (column, meaning) in book.meanings.enumerated() {
            guard let meaning else {
                if !book.leftOut.contains(column) { kept.append(column) }
                continue
            }
            switch meaning.field {
            case .email, .phone, .url, .im, .event, .relation, .address, .org, .custom:
                if let known = meanings.firstIndex(where: { $0.isSameItem(meaning) }),
                    items[known][meaning.part] == nil
                {
                    items[known][meaning.part] = column
                } else {
                    var item = Item(meaning, name: book.headers[column])
                    item[meaning.part] = column
                    meanings.append(meaning)
                    items.append(item)
                }
            case .emailNote: emailNotes.append(column)
            default:
                if single[meaning.field] == nil {
                    single[meaning.field] = column
                } else {
                    kept.append(column)
                }
            }
        }
    }

    /// Whether one cell holds several values between commas: Outlook's `Children`.
    static func isList(_ item: Item) -> Bool {
        item.field == .relation && item.types == ["child"] && !item.has(.type)
    }

    /// The column of a value that a contact has once.
    func column(_ field: ColumnMeaning.Field) -> Int? { single[field] }

    var full: Int? { single[.full] }
    var given: Int? { single[.given] }
    var middle: Int? { single[.middle] }
    var family: Int? { single[.family] }
    var prefix: Int? { single[.prefix] }
    var suffix: Int? { single[.suffix] }
    var phoneticGiven: Int? { single[.phoneticGiven] }
    var phoneticMiddle: Int? { single[.phoneticMiddle] }
    var phoneticFamily: Int? { single[.phoneticFamily] }
    var nickname: Int? { single[.nickname] }
    var role: Int? { single[.role] }
    var note: Int? { single[.note] }
    var categories: Int? { single[.categories] }
    var gender: Int? { single[.gender] }
    var photo: Int? { single[.photo] }
    var uid: Int? { single[.uid] }
    var birthday: Int? { single[.birthday] }
    var birthYear: Int? { single[.birthYear] }
    var birthMonth: Int? { single[.birthMonth] }
    var birthDay: Int? { single[.birthDay] }
    var anniversary: Int? { single[.anniversary] }

    /// The columns that hold whole dates.
    var dateColumns: [Int] {
        [birthday, anniversary].compactMap { $0 }
            + items.filter { $0.field == .event }.compactMap { $0[.value] }
    }
}
