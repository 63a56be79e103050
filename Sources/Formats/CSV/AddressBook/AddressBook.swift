// What the columns of an address book mean: each header is looked up in the tables of known names,
// the table that knows most of them first, since some words mean different things to different
// producers ("Title" is an honorific in Outlook and a job in Yahoo).

/// What one column holds.
struct ColumnMeaning: Equatable {
    /// The kind of value.
    enum Field: Int, CaseIterable {
        case full, given, middle, family, prefix, suffix
        case phoneticGiven, phoneticMiddle, phoneticFamily, nickname
        case org, role, birthday, birthYear, birthMonth, birthDay, anniversary, gender, note
        case categories, photo, uid
        case email, phone, address, url, im, event, relation, custom, emailNote

        /// The fields as the tables spell them.
        static let named = Dictionary(uniqueKeysWithValues: allCases.map { ("\($0)", $0) })
    }

    /// Which part of an item of several columns.
    enum Part: Int, CaseIterable {
        case value, type, service
        case street, street2, street3, city, region, code, country, pobox, extended, formatted
        case name, department, title

        /// The parts as the tables spell them.
        static let named = Dictionary(uniqueKeysWithValues: allCases.map { ("\($0)", $0) })
        /// How many there are.
        static var count: Int { title.rawValue + 1 }
        /// The components of an address, in the order of cards.
        static let ofAddress: [Part] = [
            .pobox, .extended, .street, .city, .region, .code, .country,
        ]

        /// Its bit in sets of parts.
        var bit: UInt32 { 1 &<< UInt32(truncatingIfNeeded: rawValue) }
    }

    var field: Field
    var part = Part.value
    /// Columns of the same field, types, label and number make one item.
    var number = 1
    var types: [String] = []
    var label: String?
    /// An address whose place the columns beside it tell.
    var isNear = false
    /// Named by a word that any table may have.
    var isWeak = false

    /// A meaning as the tables spell it.
    init?(_ text: Substring) {
        var words = text.split(separator: " ")[...]
        guard let first = words.popFirst(), let field = Field.named[String(first)] else {
            return nil
        }
        self.field = field
        if field == .org { part = .name }
        for word in words {
            if word.first == "#" {
                number = Int(word.dropFirst()) ?? 1
            } else if word.first == "@" {
                label = word.dropFirst().split(separator: "_").joined(separator: " ")
            } else if let known = Part.named[String(word)] {
                part = known
            } else if word == "near" || word == "weak" {
                isNear = word == "near"
                isWeak = true
            } else {
                types.append(String(word))
            }
        }
    }

    init(_ field: Field, _ part: Part, number: Int) {
        self.field = field
        self.part = part
        self.number = number
    }

    /// Whether two columns belong to the same item.
    func isSameItem(_ other: ColumnMeaning) -> Bool {
        field == other.field && number == other.number && types == other.types
            && label == other.label
    }
}

/// The columns of an address book, understood.
struct AddressBook {
    /// What each column means; nil for one that nobody knows.
    let meanings: [ColumnMeaning?]
    /// A name for each column, all different.
    let headers: [String]
    /// Columns that a person wants left out.
    let leftOut: Set<Int>
    /// What was chosen where a word means several things, by column.
    let doubts: [Int: String]
    /// Columns whose names nobody knows and of which a person says nothing.
    let unknown: Set<Int>
    /// The table that knew most of them, such as `outlook en`.
    let origin: String

    /// Numbers from here on mark columns that are items of their own, named after themselves.
    static let ownNumber = 100_000

    /// Understands a header; nil when it is not that of an address book.
    /// - Parameters:
    ///   - isAsked: contacts were asked for, so one known name is enough.
    ///   - choices: what a person says of columns.
    init?(_ headers: [String], isAsked: Bool, choices: [Int: ColumnFields.Choice] = [:]) {
        let folded = headers.map(HeaderNames.fold)
        let numbered = headers.map(AddressBook.numbered)
        var ranked = AddressBook.sections.filter { $0.name != "loose" }.map { section in
            (section, folded.count { section.knows($0) })
        }
        ranked.sort { $0.1 > $1.1 }
        let tables = ranked.filter { $0.1 > 0 }.map(\.0)
        let own = headers.indices.map { (i) -> ColumnMeaning? in
            if let known = numbered[i] { return known }
            let known = tables.lazy.compactMap { $0[folded[i]] }
            return known.first { !$0.isWeak } ?? known.first
        }
        let loose = AddressBook.sections.last
        let everyday = folded.map { loose?[$0] }
        var meanings = AddressBook.joined(own, everyday)
        var sources = numbered.map { $0 == nil ? Source.table : .numbered }
        var leftOut: Set<Int> = []
        for (i, choice) in choices {
            sources[i] = .chosen
            switch choice {
            case .keep: meanings[i] = nil
            case .leaveOut:
                meanings[i] = nil
                leftOut.insert(i)
            case .field(let meaning): meanings[i] = meaning
            }
        }
        let named = headers.indices.count { !headers[$0].isEmpty }
        let strong = own.indices.count { own[$0]?.isWeak == false && choices[$0] == nil }
        let isEnough =
            strong * 2 > named && (strong >= 2 || named == 1)
            && AddressBook.isPersonal(meanings, folded)
            || AddressBook.arePeople(meanings, headers)
        let hasHit = meanings.contains { $0 != nil }
        guard !choices.isEmpty || (isAsked ? hasHit : isEnough) else { return nil }
        origin = numbered.contains { $0 != nil } ? "google" : tables.first?.name ?? "loose"
        var doubts: [Int: String] = [:]
        AddressBook.settleWords(&meanings, &doubts, folded, origin) { choices[$0] == nil }
        AddressBook.settlePlaces(&meanings, &doubts) { choices[$0] == nil }
        AddressBook.settleNumbers(&meanings, sources)
        unknown = Set(
            headers.indices.filter {
                meanings[$0] == nil && choices[$0] == nil && !headers[$0].isEmpty
            })
        self.meanings = meanings
        self.headers = HeaderNames.unique(headers)
        self.leftOut = leftOut
        self.doubts = doubts
    }

    // MARK: Everyday words

    /// What the programs' tables say, else the everyday words.
    private static func joined(_ own: [ColumnMeaning?], _ everyday: [ColumnMeaning?])
        -> [ColumnMeaning?]
    {
        // A custom field of some program (Outlook's `Ort`) is a town beside a street or a code.
        let hasAddress = own.indices.contains { own[$0] == nil && everyday[$0]?.isNear == true }
        return own.indices.map { i in
            if hasAddress, own[i]?.field == .custom, let plain = everyday[i], plain.isNear {
                return plain
            }
            return own[i] ?? everyday[i]
        }
    }

    /// Whether some column is of people: titles, notes and categories have tasks, too, and a name
    /// has everything.
    private static func isPersonal(_ meanings: [ColumnMeaning?], _ folded: [String]) -> Bool {
        let fields: Set<ColumnMeaning.Field> = [
            .given, .family, .nickname, .email, .phone, .address, .im, .birthday, .birthYear,
        ]
        return meanings.indices.contains { i in
            guard let field = meanings[i]?.field else { return false }
            return fields.contains(field) || field == .full && folded[i] != "name"
        }
    }

    /// Whether everyday words alone tell that rows are people: a name, a number or address to reach
    /// them by, and little else. Words spelled as programs spell properties, and rows with ids, are
    /// left to classes.
    private static func arePeople(_ meanings: [ColumnMeaning?], _ headers: [String]) -> Bool {
        let named = headers.filter { !$0.isEmpty }
        let known = meanings.compactMap { $0 }.filter { $0.field != .custom }
        guard known.count >= 4, known.count * 4 >= named.count * 3 else { return false }
        let fields = Set(known.map(\.field))
        guard !fields.isDisjoint(with: [.full, .given, .family]),
            !fields.isDisjoint(with: [.email, .phone])
        else { return false }
        let capitals = named.count { $0.first?.isLowercase == false }
        return capitals * 2 > named.count && !named.contains { HeaderNames.fold($0) == "id" }
    }

    /// Every name of the tables, and the numbered ones everybody has.
    static let knownHeaders: [String] =
        sections.filter { $0.name != "loose" }.flatMap(\.names)
        + ["E-mail", "Phone", "Website", "Event", "Relation", "Custom Field", "IM", "Address"]
        .flatMap {
            ["\($0) 1 - Value", "\($0) 1 - Type", "\($0) 1 - Label"]
        }
        + ["Formatted", "Street", "City", "PO Box", "Region", "Postal Code", "Country"].map {
            "Address 1 - \($0)"
        } + ["Organization 1 - Name", "Organization 1 - Title"]

    /// The names of all tables, everyday words as well, folded.
    static var wordsOfLanguages: [String] { sections.flatMap { $0.places.keys } }

    // MARK: The tables

    /// One producer's names. What a name means is read from the table when a header asks for it,
    /// since a file has some forty of the thousand names.
    struct Section {
        var name: String
        var names: [String] = []
        /// By the folded name, where the words stand that say what it means.
        fileprivate var places: [String: Range<Int>] = [:]
        /// The folded names that any table may have.
        fileprivate var weak: Set<String> = []

        /// What a folded header means; nil when this table does not know it.
        subscript(folded: String) -> ColumnMeaning? {
            if let place = places[folded] { return ColumnMeaning(AddressBook.text(place)[...]) }
            // One of several: `Home Street 2`, `Telefon privat 2`, `Phone 1`.
            guard let digit = folded.unicodeScalars.last, digit >= "1", digit <= "9",
                let place = places[String(folded.dropLast())],
                var meaning = ColumnMeaning(AddressBook.text(place)[...])
            else { return nil }
            switch meaning.field {
            case .address where meaning.part == .street && digit == "1": break
            case .address where meaning.part == .street && digit <= "3":
                meaning.part = digit == "2" ? .street2 : .street3
            case .email, .phone, .url: meaning.number += Int(digit.value) - 0x31
            default: return nil
            }
            return meaning
        }

        /// Whether a folded header speaks for this table.
        func knows(_ folded: String) -> Bool { places[folded] != nil && !weak.contains(folded) }
    }

    static let sections: [Section] = {
        var sections: [Section] = []
        let equals = UInt8(ascii: "="), bar = UInt8(ascii: "|")
        var start = 0
        while start < table.count {
            let end = table[start...].firstIndex(of: 10) ?? table.count
            let line = start..<end
            start = end + 1
            if line.isEmpty { continue }
            if table[line.lowerBound] == UInt8(ascii: "[") {
                var section = Section(name: text(line.lowerBound + 1..<line.upperBound - 1))
                section.places.reserveCapacity(128)
                sections.append(section)
                continue
            }
            guard let sign = table[line].firstIndex(of: equals), !sections.isEmpty else { continue }
            let meaning = trimmed(line.lowerBound..<sign)
            // What the words mean is read when a header asks for it.
            let words = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(table)[meaning])
            let isWeak =
                ByteSearch.contains(words, " weak") || ByteSearch.contains(words, " near")
            var from = sign + 1
            while from < line.upperBound {
                let to = table[from..<line.upperBound].firstIndex(of: bar) ?? line.upperBound
                let name = text(trimmed(from..<to))
                let folded = HeaderNames.fold(name)
                sections[sections.count - 1].places[folded] = meaning
                if isWeak {
                    sections[sections.count - 1].weak.insert(folded)
                } else {
                    sections[sections.count - 1].names.append(name)
                }
                from = to + 1
            }
        }
        return sections
    }()

    private static var table: UnsafeBufferPointer<UInt8> {
        AddressBookNames.text.withUTF8Buffer { $0 }
    }

    private static func text(_ range: Range<Int>) -> String {
        String(decoding: table[range], as: UTF8.self)
    }

    /// Without the spaces around it.
    private static func trimmed(_ range: Range<Int>) -> Range<Int> {
        var low = range.lowerBound, high = range.upperBound
        while low < high, table[low] == 32 { low += 1 }
        while low < high, table[high - 1] == 32 { high -= 1 }
        return low..<high
    }

    /// Google's numbered columns: `Phone 1 - Value`, `E-mail 2 - Label`.
    private static func numbered(_ header: String) -> ColumnMeaning? {
        guard let dash = header.firstRange(of: " - ") else { return nil }
        let words = header[..<dash.lowerBound].split(separator: " ")
        guard words.count >= 2, let number = words.last.flatMap({ Int($0) }), number > 0 else {
            return nil
        }
        let part = header[dash.upperBound...].lowercased()
        switch words.dropLast().joined(separator: " ").lowercased() {
        case "e-mail", "email": return simple(.email, part, number)
        case "phone": return simple(.phone, part, number)
        case "website": return simple(.url, part, number)
        case "event": return simple(.event, part, number)
        case "relation": return simple(.relation, part, number)
        case "custom field": return simple(.custom, part, number)
        case "im":
            if part == "service" { return ColumnMeaning(.im, .service, number: number) }
            return simple(.im, part, number)
        case "organization":
            switch part {
            case "name": return ColumnMeaning(.org, .name, number: number)
            case "title": return ColumnMeaning(.org, .title, number: number)
            case "department": return ColumnMeaning(.org, .department, number: number)
            case "type": return ColumnMeaning(.org, .type, number: number)
            // Yomi Name, Symbol, Location, Job Description: kept under the column's own name.
            default: return ColumnMeaning(.custom, .value, number: ownNumber)
            }
        case "address":
            switch part {
            case "type", "label": return ColumnMeaning(.address, .type, number: number)
            case "formatted": return ColumnMeaning(.address, .formatted, number: number)
            case "street": return ColumnMeaning(.address, .street, number: number)
            case "city": return ColumnMeaning(.address, .city, number: number)
            case "po box": return ColumnMeaning(.address, .pobox, number: number)
            case "region": return ColumnMeaning(.address, .region, number: number)
            case "postal code": return ColumnMeaning(.address, .code, number: number)
            case "country": return ColumnMeaning(.address, .country, number: number)
            case "extended address": return ColumnMeaning(.address, .extended, number: number)
            default: return nil
            }
        default: return nil
        }
    }

    private static func simple(_ field: ColumnMeaning.Field, _ part: String, _ number: Int)
        -> ColumnMeaning?
    {
        switch part {
        case "type", "label": ColumnMeaning(field, .type, number: number)
        case "value": ColumnMeaning(field, .value, number: number)
        default: nil
        }
    }

    /// Words that mean two things are told apart by where the columns stand; what was chosen is
    /// said in `doubts`.
    private static func settleWords(
        _ meanings: inout [ColumnMeaning?], _ doubts: inout [Int: String], _ folded: [String],
        _ origin: String, isOpen: (Int) -> Bool
    ) {
        if origin == "outlook de" {
            // Of the two columns, the state stands before the postal code, the country behind it.
            for (code, meaning) in meanings.enumerated() where meaning?.part == .code {
                for (i, other) in meanings.enumerated() where isOpen(i) {
                    guard let meaning, !meaning.isNear, let other, other.isSameItem(meaning),
                        other.part == .region || other.part == .country
                    else { continue }
                    let part = i < code ? ColumnMeaning.Part.region : .country
                    if part != other.part {
                        doubts[i] = "by its place beside the postal code; the word means both"
                    }
                    meanings[i]?.part = part
                }
            }
        }
        let fields = Set(meanings.compactMap { $0?.field })
        // The day of a birth stands beside the month; alone the word means the whole date.
        if fields.contains(.birthDay), fields.isDisjoint(with: [.birthMonth, .birthday]) {
            for i in meanings.indices where meanings[i]?.field == .birthDay && isOpen(i) {
                meanings[i] = ColumnMeaning("birthday")
            }
        }
        if let i = folded.firstIndex(of: "name"), folded.contains("vorname"), isOpen(i),
            !fields.contains(.family), meanings[i]?.field == .full
        {
            meanings[i] = ColumnMeaning("family")
            doubts[i] = "family name, beside a given name; the word means the whole name, too"
        }
        if origin == "outlook fr" {
            // The second title stands behind the company and is that of the job.
            let places = folded.indices.filter { folded[$0] == "titre" && isOpen($0) }
            for i in places.dropFirst() {
                meanings[i] = ColumnMeaning("org title")
                doubts[i] = "title of the job, by its place; the word means the prefix, too"
            }
        }
        // One word for the anniversary and the birthday: the producer writes them in this order.
        let words = ["outlook pt": "Aniversário", "outlook fr": "Anniversaire"]
        guard let word = words[origin].map(HeaderNames.fold) else { return }
        let places = folded.indices.filter { folded[$0] == word && isOpen($0) }
        let hasOther = meanings.contains { $0?.field == .anniversary }
        for (k, i) in places.enumerated() {
            let isAnniversary = k == 0 && places.count > 1 && !hasOther
            if isAnniversary { meanings[i] = ColumnMeaning("anniversary") }
            doubts[i] =
                (isAnniversary ? "anniversary, by its place" : "birthday")
                + "; the word means both"
        }
    }

    /// Columns of addresses that say no place (`Code postal`) belong to the address they follow,
    /// else to the one behind them.
    private static func settlePlaces(
        _ meanings: inout [ColumnMeaning?], _ doubts: inout [Int: String], isOpen: (Int) -> Bool
    ) {
        for i in meanings.indices where isOpen(i) {
            guard let meaning = meanings[i], meaning.isNear else { continue }
            /// An address of the columns that this part is still wanting.
            func room(_ other: ColumnMeaning?) -> ColumnMeaning? {
                guard let other, other.field == .address, !other.isNear else { return nil }
                let isTaken = meanings.contains {
                    $0.map { $0.part == meaning.part && $0.isSameItem(other) } ?? false
                }
                return isTaken ? nil : other
            }
            var beside = meanings[..<i].last { $0?.field == .address }.flatMap(room)
            for other in meanings[i...] where beside == nil { beside = room(other) }
            meanings[i]?.isNear = false
            if let beside {
                meanings[i]?.types = beside.types
                meanings[i]?.label = beside.label
                meanings[i]?.number = beside.number
            }
            // Where there is only one address there was no choice.
            let place = meanings[i]?.types.joined(separator: " ") ?? ""
            if !place.isEmpty { doubts[i] = "part of the \(place) address, by its place" }
        }
    }

    /// Where the meaning of a column comes from. Numbered columns make no item together with
    /// others, and have their numbers as they stand.
    private enum Source { case numbered, chosen, table }

    /// Items of equal meaning get numbers that tell them apart.
    private static func settleNumbers(_ meanings: inout [ColumnMeaning?], _ sources: [Source]) {
        struct Kind: Hashable {
            var field: ColumnMeaning.Field
            var types: [String]
            var label: String?
        }
        struct Item: Hashable {
            var kind: Kind
            var number: Int
            /// The columns of one name belong to as many items.
            var turn: Int
        }
        struct Column: Hashable {
            var kind: Kind
            var number: Int
            var part: ColumnMeaning.Part
        }
        var taken: [Kind: Set<Int>] = [:]
        for isNumbered in [true, false] {
            var columns: [(index: Int, item: Item)] = []
            var turns: [Column: Int] = [:]
            for (i, meaning) in meanings.enumerated()
            where (sources[i] == .numbered) == isNumbered {
                guard let meaning else { continue }
                if meaning.field == .emailNote || meaning.number == ownNumber
                    || meaning.field == .custom && sources[i] == .table
                {
                    // Named after its header, and none of the numbered ones.
                    meanings[i]?.number = ownNumber + i
                    continue
                }
                switch meaning.field {
                case .email, .phone, .url, .im, .relation, .event, .address, .org, .custom: break
                default: continue
                }
                let kind = Kind(field: meaning.field, types: meaning.types, label: meaning.label)
                let column = Column(kind: kind, number: meaning.number, part: meaning.part)
                let turn = turns[column] ?? 0
                turns[column] = turn + 1
                columns.append((i, Item(kind: kind, number: meaning.number, turn: turn)))
            }
            var numbers: [Item: Int] = [:]
            for isFirst in [true, false] {
                for (i, item) in columns where (item.turn == 0) == isFirst {
                    var number = numbers[item] ?? item.number
                    if numbers[item] == nil {
                        while taken[item.kind, default: []].contains(number) { number += 1 }
                        taken[item.kind, default: []].insert(number)
                        numbers[item] = number
                    }
                    meanings[i]?.number = number
                }
            }
        }
    }
}
