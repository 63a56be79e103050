// What is done with the columns of a row, in the order of the card's lines. It is worked out from the
// plan before the first row; a row then takes the steps for which it has cells.

/// One step: a line, or the lines of an item.
struct BookStep: BitwiseCopyable {
    enum Action {
        case name, birthday, anniversary, item, gender, categories, photo, kept, emailNote
        /// A line of the whole cell, a line for each of its values, and one line of all of them.
        case text, each, list
    }

    let action: Action
    /// The number of the item, or the column.
    let at: Int
    /// The line's head, where it is always the same.
    let head: CardHead
}

/// The columns of an item by their parts.
struct BookItem: BitwiseCopyable {
    let field: ColumnMeaning.Field
    /// Its number, as heads know it.
    let number: Int
    /// One cell holds several values between commas.
    let isList: Bool
    let value: Int
    let type: Int
    let service: Int
}

/// The steps of an address book.
final class BookSteps {
    let all = RawVector<BookStep>(capacity: 64)
    let items = RawVector<BookItem>(capacity: 64)
    /// The step of each column; -1 for a column that is left out.
    private(set) var stepOfColumn: [Int]
    /// The columns of a name's parts, in the order of the line; -1 for none.
    let nameColumns = RawVector<Int>(capacity: 5)
    /// The columns of names and of e-mail addresses, which tell what an e-mail's name says.
    let toldColumns: [Int]
    /// The columns of the parts of a birthday; -1 for none.
    let birthColumns: (year: Int, month: Int, day: Int)
    /// The columns of all addresses, `addressParts` for each item; -1 for none.
    let addressColumns = RawVector<Int>(capacity: 64)
    /// The head of the titles of organizations.
    let title: CardHead
    /// The parts of an address in the order of the line; the streets make one of them.
    static let addressParts: [ColumnMeaning.Part] = [
        .pobox, .extended, .street, .street2, .street3, .city, .region, .code, .country, .formatted,
    ]
    /// The columns of all parts of all items; -1 for none.
    private let parts = RawVector<Int>(capacity: 64)
    private let partCount = ColumnMeaning.Part.allCases.count

    init(_ plan: AddressBookPlan, names: [String], width: Int, heads: CardHeads) {
        stepOfColumn = [Int](repeating: -1, count: width)
        let people = [
            plan.full, plan.prefix, plan.given, plan.middle, plan.family, plan.suffix,
        ]
        let emails = plan.items.filter { $0.field == .email }.map { $0[.value] }
        toldColumns = (people + emails).compactMap { $0 }
        birthColumns = (plan.birthYear ?? -1, plan.birthMonth ?? -1, plan.birthDay ?? -1)
        title = heads.make("TITLE")

        func line(_ name: String, _ column: Int?, _ action: BookStep.Action = .text) {
            add(action, column ?? -1, [column], heads.make(name))
        }
        line("UID", plan.uid)
        let name = [plan.family, plan.given, plan.middle, plan.prefix, plan.suffix]
        for column in name { nameColumns.append(column ?? -1) }
        add(.name, 0, name, heads.make("N"))
        line("FN", plan.full)
        line("X-PHONETIC-FIRST-NAME", plan.phoneticGiven)
        line("X-PHONETIC-MIDDLE-NAME", plan.phoneticMiddle)
        line("X-PHONETIC-LAST-NAME", plan.phoneticFamily)
        line("NICKNAME", plan.nickname, .list)
        add(
            .birthday, plan.birthday ?? -1,
            [plan.birthday, plan.birthYear, plan.birthMonth, plan.birthDay], heads.make("BDAY"))
        line("ANNIVERSARY", plan.anniversary, .anniversary)
        for (number, item) in plan.items.enumerated() {
            for part in ColumnMeaning.Part.allCases { parts.append(item[part] ?? -1) }
            for part in BookSteps.addressParts { addressColumns.append(item[part] ?? -1) }
            items.append(
                BookItem(
                    field: item.field, number: number, isList: AddressBookPlan.isList(item),
                    value: item[.value] ?? -1, type: item[.type] ?? -1,
                    service: item[.service] ?? -1))
            add(.item, number, item.columns, CardHead())
        }
        line("ROLE", plan.role, .each)
        line("GENDER", plan.gender, .gender)
        line("NOTE", plan.note)
        line("CATEGORIES", plan.categories, .categories)
        add(
            .photo, plan.photo ?? -1, [plan.photo],
            heads.make("PHOTO", parameters: [("VALUE", "uri")]))
        for column in plan.kept { keep(.kept, column, names, heads) }
        for column in plan.emailNotes { keep(.emailNote, column, names, heads) }
    }

    deinit {
        all.destroy()
        items.destroy()
        nameColumns.destroy()
        addressColumns.destroy()
        parts.destroy()
    }

    private func keep(
        _ action: BookStep.Action, _ column: Int, _ names: [String], _ heads: CardHeads
    ) {
        add(action, column, [column], BookSteps.kept(names[column], heads))
    }

    /// The head of a line that keeps a cell under a name.
    static func kept(_ name: String, _ heads: CardHeads) -> CardHead {
        heads.make(AddressBookReader.keptLine, parameters: [("LABEL", name)])
    }

    private func add(
        _ action: BookStep.Action, _ at: Int, _ columns: [Int?], _ head: CardHead
    ) {
        for column in columns.compactMap({ $0 }) where column < stepOfColumn.count {
            stepOfColumn[column] = all.count
        }
        all.append(BookStep(action: action, at: at, head: head))
    }

    /// The column of an item's part; -1 for none.
    @inline(__always)
    func column(_ item: Int, _ part: ColumnMeaning.Part) -> Int {
        parts[item &* partCount &+ part.rawValue]
    }
}
