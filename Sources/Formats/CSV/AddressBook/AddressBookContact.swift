// A contact as the columns of an address book see it: names, and items of some kind. Taken from one
// row of a batch of `Contact`; what no column takes is left over and counted. The same object serves
// contact after contact.

/// The values of one contact, valid until the next one is read.
final class AddressBookContact {
    /// A list of `Contact` that items come from.
    enum List: UInt8, CaseIterable {
        case emails, phones, urls, relations, services, addresses, organizations, titles
        case labels, dates, extras

        /// The lists by their names.
        static let named = Dictionary(uniqueKeysWithValues: allCases.map { ("\($0)", $0) })

        /// What its items are.
        var field: ColumnMeaning.Field {
            switch self {
            case .emails: .email
            case .phones: .phone
            case .urls: .url
            case .relations: .relation
            case .services: .im
            case .addresses, .labels: .address
            case .organizations, .titles: .org
            case .dates: .event
            case .extras: .custom
            }
        }
    }

    /// An e-mail, phone, address and so on.
    struct Item: BitwiseCopyable {
        /// The number of its kind.
        var kind: Int
        var list: List
        var field: ColumnMeaning.Field
        /// What says how much it is preferred: 1 is the most.
        var rank = 101
        var isUsed = false
        /// The source says an address as one text, too.
        var hasText = false
        /// A relation that is told by the address of a card.
        var isLink = false
        /// The address that the name of a relation was looked up by.
        var link = TextPlace.none
        /// The parts, but for the value, that are not empty: bits by their numbers.
        var filled: UInt32 = 0
        /// What an address has beyond the usual parts; the page of a messenger beside its user.
        var more = TextPlace()
    }

    /// What has no column in any profile.
    struct LeftOver: BitwiseCopyable {
        enum Source: BitwiseCopyable {
            case text(TextPlace)
            /// A value of a list: its place among the lists, the column and the row.
            case value(list: Int, column: Int, row: Int)
            /// A line without a list: the place of the list of lines, and the row.
            case line(list: Int, row: Int)
        }
        /// The number of the name of the line or list.
        var name: Int
        var count = 1
        var source: Source
    }

    /// An address as one text.
    struct Label: BitwiseCopyable {
        var kind: Int
        var text: TextPlace
    }

    let texts = TextArena()
    let items = RawVector<Item>(capacity: 16)
    private let parts = RawVector<TextPlace>(capacity: 256)
    private let singles = RawVector<TextPlace>(capacity: ColumnMeaning.Field.allCases.count)
    let leftOver = RawVector<LeftOver>(capacity: 16)
    /// Names of the photos whose bytes are kept in files.
    var photoFiles: Set<String> = []
    /// Addresses as text that stand beside the addresses (LABEL of 3.0).
    let labels = RawVector<Label>(capacity: 4)

    init() { singles.append(repeating: .none, count: ColumnMeaning.Field.allCases.count) }

    deinit {
        texts.storage.destroy()
        items.destroy()
        parts.destroy()
        singles.destroy()
        leftOver.destroy()
        labels.destroy()
    }

    func removeAll() {
        texts.storage.removeAll()
        items.removeAll()
        parts.removeAll()
        singles.base.update(repeating: .none, count: singles.count)
        leftOver.removeAll()
        if !photoFiles.isEmpty { photoFiles = [] }
        labels.removeAll()
    }

    // MARK: Values that stand once

    /// Names, note, dates; none where nothing is said of it.
    subscript(field: ColumnMeaning.Field) -> TextPlace {
        get { singles[field.rawValue] }
        set { singles[field.rawValue] = newValue }
    }

    /// Takes a value unless there is one.
    func first(_ field: ColumnMeaning.Field, _ value: TextPlace) {
        if !value.isEmpty, self[field].isNone { self[field] = value }
    }

    /// Adds a value to those that stand in one cell.
    func add(_ field: ColumnMeaning.Field, _ value: TextPlace) {
        if value.isEmpty { return }
        let known = self[field]
        guard !known.isEmpty else { return self[field] = value }
        var rest = known
        while let word = texts.nextPiece(&rest, 0) {
            if texts.isSame(word, value) { return }
        }
        let start = texts.end
        texts.copy(known)
        texts.storage.append(0)
        texts.copy(value)
        self[field] = texts.since(start)
    }

    // MARK: Items

    /// Adds an item without a value.
    @inline(__always)
    func add(_ kind: Int, _ list: List) -> Int {
        let i = items.count
        items.append(Item(kind: kind, list: list, field: list.field))
        parts.append(repeating: TextPlace(), count: ColumnMeaning.Part.count)
        return i
    }

    /// A part of an item.
    subscript(i: Int, part: ColumnMeaning.Part) -> TextPlace {
        @inline(__always) get { parts[i &* ColumnMeaning.Part.count &+ part.rawValue] }
        @inline(__always) set {
            parts[i &* ColumnMeaning.Part.count &+ part.rawValue] = newValue
            if part == .value {
                if items[i].field == .relation { items.base[i].isLink = isLink(newValue) }
            } else if newValue.isEmpty {
                items.base[i].filled &= ~part.bit
            } else {
                items.base[i].filled |= part.bit
            }
        }
    }

    private func isLink(_ value: TextPlace) -> Bool {
        let bytes = texts.bytes(value)
        guard MediaText.hasScheme(bytes) else { return false }
        guard bytes.contains(0x20) else { return true }
        return texts.isASCII(bytes) ? false : !texts.string(value).contains(" ")
    }

    /// Moves an item to a place before it.
    func move(_ from: Int, to: Int) {
        if from == to { return }
        items[to] = items[from]
        let width = ColumnMeaning.Part.count
        (parts.base + to * width).update(from: parts.base + from * width, count: width)
    }

    /// Drops the items from one on.
    func truncate(to count: Int) {
        items.truncate(to: count)
        parts.truncate(to: count * ColumnMeaning.Part.count)
    }

    /// What a note shows of an item.
    func shown(_ i: Int, _ kind: ItemKind) -> String {
        let parts: [ColumnMeaning.Part] = [.value, .name, .title, .formatted, .department]
        let text = parts.lazy.map { self[i, $0] }.first { !$0.isEmpty }.map(texts.string) ?? ""
        return kind.label.map { "\($0): \(text)" } ?? text
    }
}
