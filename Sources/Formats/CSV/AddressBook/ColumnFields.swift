// The words by which a person names what a column of contacts holds: `phone work fax #2`,
// `address home city`, `date "First met"`. Read from column maps and spelled in proposals.

/// The fields of contacts that a column can hold.
package enum ColumnFields {
    /// What a person says of one column.
    enum Choice: Equatable {
        case field(ColumnMeaning)
        /// Kept under the column's name.
        case keep
        case leaveOut
    }

    /// The words for fields of one column each.
    private static let words:
        [(word: String, field: ColumnMeaning.Field, part: ColumnMeaning.Part)] =
            [
                ("name", .full, .value), ("givenName", .given, .value),
                ("middleName", .middle, .value), ("familyName", .family, .value),
                ("prefix", .prefix, .value), ("suffix", .suffix, .value),
                ("phoneticGivenName", .phoneticGiven, .value),
                ("phoneticMiddleName", .phoneticMiddle, .value),
                ("phoneticFamilyName", .phoneticFamily, .value),
                ("nickname", .nickname, .value), ("organization", .org, .name),
                ("department", .org, .department), ("title", .org, .title), ("role", .role, .value),
                ("email", .email, .value), ("phone", .phone, .value), ("url", .url, .value),
                ("im", .im, .value), ("address", .address, .street), ("date", .event, .value),
                ("relation", .relation, .value), ("custom", .custom, .value),
                ("birthday", .birthday, .value), ("birthYear", .birthYear, .value),
                ("birthMonth", .birthMonth, .value), ("birthDay", .birthDay, .value),
                ("anniversary", .anniversary, .value), ("gender", .gender, .value),
                ("note", .note, .value), ("categories", .categories, .value),
                ("photo", .photo, .value), ("uid", .uid, .value), ("emailNote", .emailNote, .value),
            ]

    /// Other words people use, and what each is short for.
    private static let others: [String: String] = [
        "formattedname": "name", "fullname": "name", "displayname": "name", "fn": "name",
        "firstname": "givenName", "given": "givenName", "lastname": "familyName",
        "family": "familyName", "surname": "familyName", "middle": "middleName",
        "org": "organization", "company": "organization", "jobtitle": "title",
        "emails": "email", "e-mail": "email", "mail": "email", "phones": "phone",
        "tel": "phone", "telephone": "phone", "mobile": "phone cell", "cell": "phone cell",
        "fax": "phone fax", "urls": "url", "website": "url", "web": "url", "notes": "note",
        "comment": "note", "category": "categories", "groups": "categories",
        "nicknames": "nickname", "bday": "birthday", "dates": "date", "event": "date",
        "street": "address street", "city": "address city", "town": "address city",
        "region": "address region", "state": "address region", "zip": "address code",
        "code": "address code", "postalcode": "address code", "country": "address country",
        "addresses": "address", "photos": "photo", "relations": "relation",
    ]

    /// Fields whose columns may have types, a label and a number.
    private static let many: Set<ColumnMeaning.Field> = [
        .email, .phone, .url, .im, .address, .event, .relation, .org, .custom,
    ]

    /// The words for parts of an item.
    private static let parts: [(word: String, part: ColumnMeaning.Part)] = [
        ("label", .type), ("service", .service), ("street", .street), ("street2", .street2),
        ("street3", .street3), ("city", .city), ("region", .region), ("code", .code),
        ("country", .country), ("pobox", .pobox), ("extended", .extended),
        ("formatted", .formatted),
    ]

    /// Types that say which of several an item is.
    private static let types: Set<String> = [
        "home", "work", "other", "cell", "fax", "pager", "car", "isdn", "main", "pref", "voice",
        "video", "text", "msg", "spouse", "child", "parent", "sibling", "friend",
    ]

    /// All words, for messages.
    package static let help =
        "the fields are: " + words.map(\.word).joined(separator: " ")
        + "; with types (phone work fax), a part (address home city), a label (date \"First met\") "
        + "and a number (phone #2) where there are several"

    /// What a field's text says.
    /// - Throws: `unknownName` with the nearest word.
    static func choice(_ text: String) throws(FormatError) -> Choice {
        if text == ColumnMap.leaveOut { return .leaveOut }
        if text == ColumnMap.keep { return .keep }
        var tokens = tokens(text)
        if let first = tokens.first, !first.isQuoted,
            let other = others[first.text.lowercased()]
        {
            tokens.replaceSubrange(
                0..<1, with: other.split(separator: " ").map { (String($0), false) })
        }
        guard let first = tokens.first, !first.isQuoted,
            let known = words.first(where: { $0.word == first.text })
                ?? words.first(where: { $0.word.lowercased() == first.text.lowercased() })
        else {
            throw FormatError(
                .unknownName, "there is no field \(tokens.first?.text ?? text)",
                fix: near(tokens.first?.text ?? text, words.map(\.word)))
        }
        var meaning = ColumnMeaning(known.field, known.part, number: 1)
        var isFirstPart = true
        for token in tokens.dropFirst() {
            guard many.contains(known.field) else {
                throw FormatError(
                    .unknownName, "\(known.word) takes no \"\(token.text)\"",
                    fix: "write \(known.word) alone")
            }
            let word = token.text.lowercased()
            if token.isQuoted || word.first == "@" {
                meaning.label = token.isQuoted ? token.text : String(token.text.dropFirst())
            } else if word.first == "#", let number = Int(word.dropFirst()), number > 0,
                number <= CSVDocument.columnLimit
            {
                meaning.number = number
            } else if isFirstPart, let part = parts.first(where: { $0.word == word })?.part,
                takes(known.field, part)
            {
                meaning.part = part
                isFirstPart = false
            } else if known.field == .im || types.contains(word) || word.hasPrefix("x-") {
                meaning.types.append(known.field == .im ? token.text : word)
            } else {
                throw FormatError(
                    .unknownName, "\(known.word) has no \"\(token.text)\"",
                    fix: near(token.text, parts.map(\.word) + types.sorted()))
            }
        }
        return .field(meaning)
    }

    private static func near(_ word: String, _ all: [String]) -> String {
        (nearest(to: word, among: all).map { "did you mean \($0)? " } ?? "") + help
    }

    private static func takes(_ field: ColumnMeaning.Field, _ part: ColumnMeaning.Part) -> Bool {
        switch part {
        case .type: true
        case .service: field == .im
        default: field == .address
        }
    }

    /// Words, and texts in quotes.
    private static func tokens(_ text: String) -> [(text: String, isQuoted: Bool)] {
        var tokens: [(text: String, isQuoted: Bool)] = []
        var word = ""
        var isQuoted = false
        for c in text {
            if c == "\"" {
                if isQuoted || !word.isEmpty { tokens.append((word, isQuoted)) }
                word = ""
                isQuoted.toggle()
            } else if !isQuoted, c.isWhitespace {
                if !word.isEmpty { tokens.append((word, false)) }
                word = ""
            } else {
                word.append(c)
            }
        }
        if !word.isEmpty { tokens.append((word, isQuoted)) }
        return tokens
    }

    /// The text of a meaning, which `choice` reads.
    static func text(_ meaning: ColumnMeaning?) -> String {
        guard let meaning else { return ColumnMap.keep }
        // Numbers of this size mark columns that are items of their own, named after themselves.
        let isOwn = meaning.number >= AddressBook.ownNumber
        if meaning.field == .custom, isOwn { return ColumnMap.keep }
        let known = words.first {
            $0.field == meaning.field && (meaning.field != .org || $0.part == meaning.part)
        }
        var text = [
            known?.word ?? (meaning.field == .org ? "organization" : "\(meaning.field)")
        ]
        text += meaning.types
        if meaning.part != known?.part || meaning.field == .address,
            let part = parts.first(where: { $0.part == meaning.part })
        {
            text.append(part.word)
        }
        if let label = meaning.label {
            text.append("\"" + label.filter { $0 != "\"" && !$0.isNewline } + "\"")
        }
        if meaning.number > 1, !isOwn { text.append("#\(meaning.number)") }
        return text.joined(separator: " ")
    }
}
