// Rows of `Contact` as the contacts that address books have room for: which list of the class is read
// how, and the values that stand once. Items are made beside, other lines, too.

/// Takes contacts out of a batch.
final class AddressBookContactReader {
    let batch: RecordBatch
    let columns: ContactColumns
    let kinds: AddressBookKinds
    /// The contact at hand.
    let contact: AddressBookContact
    let lookup = ContactProperty.Lookup()
    var isLegacy = false
    /// The most bytes of a line without a column that are looked at.
    var limit = 400
    /// The rows of the items of a list.
    let children = RawVector<Int>(capacity: 64)
    private let views: UnsafeMutablePointer<ListView>
    /// The columns of the lists, in the order of the class.
    let lists: [ItemColumns]
    private let listNames: [String]
    /// The names of the lists as names of what is left over.
    private var names: [Int] = []
    private var generation = -1

    /// How a list is read.
    private enum Way {
        case names, nicknames, categories, notes, roles, gender, photos, dates, labels, extras
        case items(AddressBookContact.List)
        /// No place for the items from one on; what is shown of them is in a column.
        case none(from: Int, column: Int)
    }

    /// A list, seen without its objects.
    private struct ListView {
        let way: Way
        let isCollection: Bool
        let ends: RawVector<Int>
        let words: RawVector<Int64>
        let nulls: RawVector<UInt8>
    }

    init?(_ batch: RecordBatch, _ kinds: AddressBookKinds, _ contact: AddressBookContact) {
        guard let columns = ContactColumns(batch) else { return nil }
        self.batch = batch
        self.columns = columns
        self.kinds = kinds
        self.contact = contact
        let all = columns.items.indices.compactMap { i in
            columns.items[i].map { (columns.name(i), $0) }
        }
        lists = all.map(\.1)
        listNames = all.map(\.0)
        views = .allocate(capacity: max(lists.count, 1))
        for (i, list) in lists.enumerated() {
            (views + i).initialize(
                to: ListView(
                    way: Self.way(listNames[i]),
                    isCollection: list.owner.layout == .collection, ends: list.owner.ends,
                    words: list.objects.words, nulls: list.objects.nulls))
        }
    }

    deinit {
        children.destroy()
        views.deallocate()
    }

    private static func way(_ list: String) -> Way {
        switch list {
        case "names": .names
        case "nicknames": .nicknames
        case "categories": .categories
        case "notes": .notes
        case "roles": .roles
        case "gender": .gender
        case "photos": .photos
        case "dates": .dates
        case "labels": .labels
        case "extras": .extras
        case "formattedNames": .none(from: 1, column: 0)
        case "revision", "keys", "logos", "sounds": .none(from: 0, column: 1)
        default:
            AddressBookContact.List.named[list].map { .items($0) } ?? .none(from: 0, column: 0)
        }
    }

    /// Reads a row into the contact.
    func read(_ row: Int) {
        let contact = contact
        contact.removeAll()
        kinds.bound()
        nameLists()
        let texts = contact.texts
        contact[.full] = texts.add(columns.formattedName, row)
        if !columns.uid.isNull(row) { contact[.uid] = texts.add(columns.uid, row) }
        if !columns.productID.isNull(row) {
            leave(productName, texts.add(columns.productID, row))
        }
        if !columns.kind.isNull(row), !NameKey.equals(columns.kind.bytes(row), "individual") {
            leave(kindName, texts.add(columns.kind, row))
        }
        isLegacy =
            !columns.version.isNull(row) && ByteNumbers.isSame(columns.version.bytes(row), "2.1")
        for i in 0..<lists.count {
            let view = views + i
            children.removeAll()
            if view.pointee.isCollection {
                let ends = view.pointee.ends
                let start = row == 0 ? 0 : ends[row &- 1]
                let end = ends[row]
                if start == end { continue }
                for j in start..<end where view.pointee.nulls[j] == 0 {
                    children.append(Int(view.pointee.words[j]))
                }
            } else if view.pointee.nulls[row] == 0 {
                children.append(Int(view.pointee.words[row]))
            }
            if !children.isEmpty { take(i, view.pointee.way) }
        }
        if !batch.groups.categories.isEmpty { takeGroups(row) }
        if !batch.photoFiles.isEmpty, let files = batch.photoFiles[row] {
            contact.photoFiles = files
            dropPhotos(files)
        }
        if !contact.labels.isEmpty { contact.settleLabels(kinds) }
        contact.settleServices(kinds)
    }

    // MARK: What is left over

    private var productName: Int { names[lists.count] }
    private var kindName: Int { names[lists.count + 1] }

    /// Looks up the names of lists, which the kinds forget now and then.
    @inline(__always)
    private func nameLists() {
        if generation != kinds.generation { nameListsAnew() }
    }

    @inline(never)
    private func nameListsAnew() {
        generation = kinds.generation
        names = (listNames + ["productID", "kind"]).map(kinds.name)
    }

    /// The name of a list among those of what is left over.
    func name(_ list: Int) -> Int { names[list] }

    func leave(_ name: Int, _ text: TextPlace, count: Int = 1) {
        contact.leftOver.append(.init(name: name, count: count, source: .text(text)))
    }

    /// The items from one on have no place.
    private func leave(_ list: Int, from first: Int, _ column: Int) {
        let own = lists[list].own[column]
        let isText = own.layout == .bytes && own.type == .string
        for k in first..<max(first, children.count) {
            let source =
                isText
                ? AddressBookContact.LeftOver.Source.value(
                    list: list, column: column, row: children[k]) : .text(TextPlace())
            contact.leftOver.append(.init(name: names[list], source: source))
        }
    }

    /// What something left over says.
    func text(_ leftOver: AddressBookContact.LeftOver) -> TextPlace {
        switch leftOver.source {
        case .text(let text): text
        case .value(let list, let column, let row):
            contact.texts.add(lists[list].own[column], row)
        case .line(let list, let row): line(lists[list], row)
        }
    }

    /// The same, and the bytes of a key, as an address that holds them.
    func whole(_ leftOver: AddressBookContact.LeftOver) -> TextPlace {
        guard case .value(let list, _, let row) = leftOver.source, listNames[list] == "keys" else {
            return text(leftOver)
        }
        let known = text(leftOver)
        let data = lists[list].own[0]
        guard known.isEmpty, data.type == .data, data.nulls[row] == 0,
            data.bytes(row).count < NotesOverflow.limit
        else { return known }
        let texts = contact.texts
        let start = texts.end
        texts.append("data:")
        let type = texts.add(lists[list].own[2], row)
        if type.isEmpty { texts.append("application/octet-stream") }
        texts.append(";base64,")
        ScalarText.write(base64: data.bytes(row), to: texts.storage)
        return texts.since(start)
    }

    /// The label of something left over, else its types.
    func words(of leftOver: AddressBookContact.LeftOver) -> [String] {
        switch leftOver.source {
        case .text: return []
        case .value(let list, _, let row), .line(let list, let row):
            if let label = label(lists[list], row) { return [label] }
            return types(lists[list], row).filter { !AddressBookLabels.ignored.contains($0) }
        }
    }

    /// Photos that are written into files of their own are not lost.
    private func dropPhotos(_ files: Set<String>) {
        let leftOver = contact.leftOver
        var end = 0
        for i in 0..<leftOver.count {
            let one = leftOver[i]
            let isPhoto = kinds.names[one.name] == "photos"
            if isPhoto, files.contains(contact.texts.string(text(one))) { continue }
            leftOver[end] = one
            end += 1
        }
        leftOver.truncate(to: end)
    }

    // MARK: Lists

    private func take(_ i: Int, _ way: Way) {
        let list = lists[i]
        let contact = contact
        let texts = contact.texts
        let child = children[0]
        switch way {
        case .items(let kind):
            for k in 0..<children.count { item(kind, list, children[k]) }
        case .none(let first, let column): leave(i, from: first, column)
        case .extras: extras(i)
        case .names:
            takeName(list, child)
            for column in 5...6 {
                let part = words(list.own[column], child)
                if !part.isEmpty { leave(names[i], part) }
            }
            leave(i, from: 1, 0)
        case .nicknames: contact.first(.nickname, joined(list.own[0], 0))
        case .categories: contact.first(.categories, joined(list.own[0], 0))
        case .notes: contact.first(.note, joined(list.own[0], 10))
        case .roles:
            contact.first(.role, texts.add(list.own[0], child))
            leave(i, from: 1, 0)
        case .gender: gender(texts.add(list.own[0], child), texts.add(list.own[1], child))
        case .photos: photos(i, list.own[1])
        case .dates: dates(i)
        case .labels: for k in 0..<children.count { takeLabel(list, children[k]) }
        }
    }

    private func takeName(_ list: ItemColumns, _ child: Int) {
        let texts = contact.texts
        contact.first(.family, texts.add(list.own[0], child))
        contact.first(.given, texts.add(list.own[1], child))
        contact.first(.middle, words(list.own[2], child))
        contact.first(.prefix, words(list.own[3], child))
        contact.first(.suffix, words(list.own[4], child))
        contact.first(.phoneticFamily, texts.add(list.own[7], child))
        contact.first(.phoneticGiven, texts.add(list.own[8], child))
        contact.first(.phoneticMiddle, texts.add(list.own[9], child))
    }

    /// The elements of a list of texts, between spaces.
    func words(_ column: Column, _ row: Int) -> TextPlace {
        guard let elements = column.elements else { return TextPlace() }
        let texts = contact.texts
        let start = texts.end
        for j in column.range(row) {
            let bytes = elements.bytes(j)
            if bytes.isEmpty { continue }
            if texts.end > start { texts.storage.append(0x20) }
            _ = texts.add(bytes, isKnown: elements.isKnownUTF8)
        }
        return texts.since(start)
    }

    /// The values of all items, with a byte between them.
    private func joined(_ column: Column, _ separator: UInt8) -> TextPlace {
        let texts = contact.texts
        let start = texts.end
        for k in 0..<children.count {
            if k > 0 { texts.storage.append(separator) }
            _ = texts.add(column, children[k])
        }
        return texts.since(start)
    }

    private func photos(_ list: Int, _ column: Column) {
        var count = 0
        for k in 0..<children.count {
            let uri = contact.texts.add(column, children[k])
            if uri.isEmpty { continue }
            count += 1
            if count == 1 {
                contact.first(.photo, uri)
            } else {
                leave(names[list], uri)
            }
        }
        if children.count > count { leave(names[list], TextPlace(), count: children.count - count) }
    }

    private func takeGroups(_ row: Int) {
        guard let groups = batch.groups.categories[row] else { return }
        let known = contact[.categories]
        var words = known.isNone ? [] : [contact.texts.string(known)]
        let all = Set(words.joined().split(separator: "\u{0}"))
        words += groups.filter { !all.contains($0[...]) }
        contact[.categories] = contact.texts.add(words.joined(separator: "\u{0}"))
    }

    func gender(_ sex: TextPlace, _ text: TextPlace) {
        let words = ["M": "Male", "F": "Female", "O": "Other", "N": "None", "U": "Unknown"]
        let isWhole = text.isEmpty || sex.isEmpty
        let letter = contact.texts.string(sex)
        var word = text
        if isWhole || letter == "M" || letter == "F", let known = words[letter] {
            word = contact.texts.add(known)
        }
        contact.first(.gender, word)
        if !isWhole { leave(kinds.name("gender"), contact.texts.isSame(word, text) ? sex : text) }
    }
}
