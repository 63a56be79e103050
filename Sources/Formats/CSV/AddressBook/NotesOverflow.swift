// What an address book has no column for, as lines of a contact's notes (`--overflow notes`): `Label:
// value`, where somebody who looks for it finds it. What has no column is found out by the writer.

/// The lines for the notes of the contact at hand.
final class NotesOverflow {
    /// The most bytes of a value; what is longer is no note.
    static let limit = 10_000

    /// The column of the notes.
    let column: Int
    private var lines: [String] = []
    private var known: Set<String> = []

    /// Where the option asks for it.
    /// - Throws: `usage` for a profile without notes.
    static func asked(_ profile: AddressBookProfile, _ context: ExchangeContext)
        throws(FormatError) -> NotesOverflow?
    {
        guard context.options.extra["overflow"] != nil else { return nil }
        guard let column = profile.plan.note else {
            throw FormatError(
                .usage, "the columns of \(profile.name) have no notes for --overflow",
                fix: "leave --overflow out, or name another profile")
        }
        return NotesOverflow(column)
    }

    private init(_ column: Int) { self.column = column }

    /// Takes a line.
    /// - Returns: false for a value that is no text, or too long for a note.
    func take(_ label: String, _ value: String) -> Bool {
        guard !value.isEmpty, value.utf8.count < NotesOverflow.limit else { return false }
        let line = label + ": " + NotesOverflow.flat(value, ", ")
        if known.insert(line).inserted { lines.append(line) }
        return true
    }

    /// The contact's own notes with the lines behind them.
    func settled(behind notes: TextPlace, _ texts: TextArena) -> TextPlace {
        guard !lines.isEmpty else { return notes }
        // Notes that came back from another program have their lines already.
        let there = Set(texts.string(notes).split(whereSeparator: \.isNewline).map(String.init))
        lines.removeAll(where: there.contains)
        let start = texts.end
        texts.copy(notes)
        for line in lines {
            if texts.end > start { texts.append("\n") }
            texts.storage.append(line)
        }
        lines.removeAll(keepingCapacity: true)
        known.removeAll(keepingCapacity: true)
        return texts.since(start)
    }

    // MARK: Words

    /// What values that stand once are called.
    static let labels: [ColumnMeaning.Field: String] = [
        .prefix: "Name prefix", .given: "First name", .middle: "Middle name",
        .family: "Last name", .suffix: "Name suffix", .phoneticGiven: "Phonetic first name",
        .phoneticMiddle: "Phonetic middle name", .phoneticFamily: "Phonetic last name",
    ]

    private static let kinds: [String: String] = [
        "addresses": "Address", "agents": "Agent", "categories": "Categories", "dates": "Date",
        "emails": "E-mail", "extras": "Other", "formattedName": "Name",
        "formattedNames": "Name", "gender": "Gender", "geo": "Place", "keys": "Key",
        "kind": "Kind", "labels": "Address", "languages": "Language", "logos": "Logo",
        "members": "Member", "names": "Name", "nicknames": "Nickname", "notes": "Note",
        "organizations": "Organization", "phones": "Phone", "photos": "Photo",
        "productID": "Product", "relations": "Relation", "revision": "Revision",
        "roles": "Role", "services": "IM", "sounds": "Sound", "timeZones": "Time zone",
        "titles": "Title", "uid": "UID", "urls": "Website",
    ]

    /// What the values of a list are called; lines of other names keep them.
    static func label(_ list: String) -> String { kinds[list] ?? list }

    /// The same with the words of one of them: `X-SKILL (work)`.
    static func label(_ list: String, _ words: [String]) -> String {
        let words = words.map { flat($0, " ") }.filter { !$0.isEmpty }
        return label(list) + (words.isEmpty ? "" : " (\(words.joined(separator: " ")))")
    }

    /// What items of a kind are called: `Phone (work fax)`.
    static func label(_ kind: ItemKind) -> String {
        var words = kind.label.map { [flat($0, " ")] } ?? []
        if words.isEmpty {
            if kind.field == .im { words = [kind.service].filter { !$0.isEmpty } }
            let said = kind.service.lowercased()
            words += kind.types.filter { !AddressBookLabels.ignored.contains($0) && $0 != said }
        }
        let list = label("\(kind.list)")
        if kind.field == .custom { return words.first ?? list }
        return list + (words.isEmpty ? "" : " (\(words.joined(separator: " ")))")
    }

    /// All that an item of a contact says.
    static func value(_ i: Int, of contact: AddressBookContact) -> String {
        func text(_ part: ColumnMeaning.Part) -> String { contact.texts.string(contact[i, part]) }
        switch contact.items[i].field {
        case .org:
            return [ColumnMeaning.Part.name, .department, .title].map(text)
                .filter { !$0.isEmpty }.joined(separator: ", ")
        case .address:
            var all = flat(text(.formatted), ", ")
            let more = contact.texts.string(contact.items[i].more)
            for part in ColumnMeaning.Part.ofAddress.map(text) + [more] {
                let part = flat(part, ", ")
                if part.isEmpty || all.contains(part) { continue }
                all += (all.isEmpty ? "" : ", ") + part
            }
            return all
        case .im:
            let page = contact.texts.string(contact.items[i].more)
            return page.isEmpty ? text(.value) : text(.value) + ", " + page
        default: return text(.value)
        }
    }

    private static func flat(_ text: String, _ separator: String) -> String {
        // No line end begins with another byte.
        guard text.utf8.contains(where: { $0 &- 10 < 4 || $0 == 0xC2 || $0 == 0xE2 }),
            text.contains(where: \.isNewline)
        else { return text }
        return text.split(whereSeparator: \.isNewline).joined(separator: separator)
    }
}
