// What the columns of an address book mean: each header is looked up in the tables of known names,
// the table that knows most of them first, since some words mean different things to different
// producers ("Title" is an honorific in Outlook and a job in Yahoo).

/// What one column holds.
struct ColumnMeaning: Equatable {
    /// The kind of value.
    enum Field: String {
        case full, given, middle, family, prefix, suffix
        case phoneticGiven, phoneticMiddle, phoneticFamily, nickname
        case org, role, birthday, birthYear, birthMonth, birthDay, anniversary, gender, note
        case categories, photo, uid
        case email, phone, address, url, im, event, relation, custom, emailNote
    }

    /// Which part of an item of several columns.
    enum Part: Int, CaseIterable {
        case value, type, service
        case street, street2, street3, city, region, code, country, pobox, extended, formatted
        case name, department, title

        /// The parts as the tables spell them.
        static let named = Dictionary(uniqueKeysWithValues: allCases.map { ("\($0)", $0) })
    }

    var field: Field
    var part = Part.value
    /// Columns of the same field, types, label and number make one item.
    var number = 1
    var types: [String] = []
    var label: String?

    /// A meaning as the tables spell it.
    init?(_ text: Substring) {
        var words = text.split(separator: " ")[...]
        guard let first = words.popFirst(), let field = Field(rawValue: String(first)) else {
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
        var tables = ranked.filter { $0.1 > 0 }.map(\.0)
        if isAsked, let loose = AddressBook.sections.last { tables.append(loose) }
        var meanings = headers.indices.map { i in
            numbered[i] ?? tables.lazy.compactMap { $0[folded[i]] }.first
        }
        var isNumbered = numbered.map { $0 != nil }
        var leftOut: Set<Int> = []
        for (i, choice) in choices {
            isNumbered[i] = false
            switch choice {
            case .keep: meanings[i] = nil
            case .leaveOut:
                meanings[i] = nil
                leftOut.insert(i)
            case .field(let meaning):
                meanings[i] = meaning
                isNumbered[i] = meaning.field == .custom
            }
        }
        let named = headers.indices.count { !headers[$0].isEmpty }
        let hits = meanings.count { $0 != nil }
        let isEnough = hits * 2 > named && (hits >= 2 || named == 1)
        guard !choices.isEmpty || (isAsked ? hits >= 1 : isEnough) else { return nil }
        origin = numbered.contains { $0 != nil } ? "google" : tables.first?.name ?? "loose"
        var doubts: [Int: String] = [:]
        AddressBook.settleWords(&meanings, &doubts, folded, origin) { choices[$0] == nil }
        AddressBook.settleNumbers(&meanings, isNumbered)
        self.meanings = meanings
        self.headers = HeaderNames.unique(headers)
        self.leftOut = leftOut
        self.doubts = doubts
    }

    /// Every name of the tables, and the numbered ones everybody has.
    static let knownHeaders: [String] =
        sections.filter { $0.name != "loose" }.flatMap(\.names)
        + ["E-mail 1 - Value", "E-mail 1 - Type", "E-mail 1 - Label", "Phone 1 - Value"]

    // MARK: The tables

    /// One producer's names. What a name means is read from the table when a header asks for it,
    /// since a file has some forty of the thousand names.
    struct Section {
        var name: String
        var names: [String] = []
        /// By the folded name, where the words stand that say what it means.
        fileprivate var places: [String: Range<Int>] = [:]

        /// What a folded header means; nil when this table does not know it.
        subscript(folded: String) -> ColumnMeaning? {
            places[folded].flatMap { ColumnMeaning(AddressBook.text($0)[...]) }
        }

        /// Whether this table knows a folded header.
        func knows(_ folded: String) -> Bool { places[folded] != nil }
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
                sections.append(Section(name: text(line.lowerBound + 1..<line.upperBound - 1)))
                continue
            }
            guard let sign = table[line].firstIndex(of: equals), !sections.isEmpty else { continue }
            let meaning = trimmed(line.lowerBound..<sign)
            var from = sign + 1
            while from < line.upperBound {
                let to = table[from..<line.upperBound].firstIndex(of: bar) ?? line.upperBound
                let name = text(trimmed(from..<to))
                sections[sections.count - 1].names.append(name)
                sections[sections.count - 1].places[HeaderNames.fold(name)] = meaning
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
            default: return ColumnMeaning("custom")
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
                    guard let meaning, let other, other.isSameItem(meaning),
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

    /// Columns of equal meaning get numbers that tell their items apart.
    private static func settleNumbers(_ meanings: inout [ColumnMeaning?], _ isNumbered: [Bool]) {
        // The same column twice is two items.
        for i in meanings.indices {
            guard let meaning = meanings[i] else { continue }
            if meaning.field == .emailNote || (meaning.field == .custom && !isNumbered[i]) {
                // Named after its header, and none of Google's numbered ones.
                meanings[i]?.number = ownNumber + i
                continue
            }
            switch meaning.field {
            case .email, .phone, .url, .im, .relation, .event, .address:
                var number = meaning.number
                while meanings[..<i].contains(where: {
                    guard let other = $0 else { return false }
                    return other.field == meaning.field && other.part == meaning.part
                        && other.types == meaning.types && other.label == meaning.label
                        && other.number == number
                }) { number += 1 }
                meanings[i]?.number = number
            default: break
            }
        }
    }
}
