// A contact as the columns of an address book see it: names, and items with their types. Taken
// from one row of a batch of `Contact`; what no column takes is left over and counted.

/// The values of one contact.
struct AddressBookContact {
    /// An e-mail, phone, address and so on.
    struct Item {
        var field: ColumnMeaning.Field
        /// The list of `Contact` it comes from.
        var list: String
        var value = ""
        var parts: [ColumnMeaning.Part: String] = [:]
        var types: [String] = []
        var label: String?
        var isPreferred = false
        /// What says how much it is preferred: 1 is the most.
        var rank = 101
        var isUsed = false
        /// What an address has beyond the usual parts.
        var more = ""
        /// The source says an address as one text, too.
        var hasText = false

        /// A part of the item, its value for the first.
        func text(_ part: ColumnMeaning.Part) -> String {
            part == .value ? value : parts[part] ?? ""
        }

        func has(_ type: String) -> Bool { types.contains(type) }

        /// The address that the name of a relation was looked up by.
        var link: String?

        /// A relation that is told by the address of a card.
        var isLink: Bool {
            field == .relation
                && Array(value.utf8).withUnsafeBytes { MediaText.hasScheme($0) }
                && !value.contains(" ")
        }

        /// What a note shows of it.
        var shown: String {
            let parts: [ColumnMeaning.Part] = [.value, .name, .title, .formatted, .department]
            let text = parts.lazy.map { self.text($0) }.first { !$0.isEmpty } ?? ""
            return label.map { "\($0): \(text)" } ?? text
        }
    }

    /// Values that stand once: names, note, dates.
    var single: [ColumnMeaning.Field: String] = [:]
    var items: [Item] = []
    /// What has no column in any profile: list or property name, how many, and the first value.
    var leftOver: [(list: String, count: Int, value: String)] = []
    /// Names of the photos whose bytes are kept in files.
    var photoFiles: Set<String> = []
    /// Addresses as text that stand beside the addresses (LABEL of 3.0).
    var labels: [(types: [String], text: String)] = []

    /// Adds a value to those that stand in one cell.
    mutating func add(_ field: ColumnMeaning.Field, _ value: String) {
        if value.isEmpty { return }
        let known = single[field] ?? ""
        if known.split(separator: "\u{0}").contains(value[...]) { return }
        single[field] = known.isEmpty ? value : known + "\u{0}" + value
    }

    /// Whether an item of these words is there already.
    func has(_ field: ColumnMeaning.Field, _ label: String?, _ value: String) -> Bool {
        items.contains { $0.field == field && $0.label == label && $0.value == value }
    }

    /// Joins messengers that name one account, as some write it in two ways.
    mutating func settleServices() {
        var at: [String: Int] = [:]
        var rest: [Item] = []
        for item in items {
            guard item.field == .im, !item.value.isEmpty else {
                rest.append(item)
                continue
            }
            let service = Self.plain(service: item.text(.service))
            let key = service + "\u{0}" + item.value.lowercased()
            guard !service.isEmpty, let known = at[key] else {
                at[key] = rest.count
                rest.append(item)
                continue
            }
            rest[known].types += item.types.filter { !rest[known].types.contains($0) }
            rest[known].label = rest[known].label ?? item.label
            rest[known].isPreferred = rest[known].isPreferred || item.isPreferred
            rest[known].rank = min(rest[known].rank, item.rank)
        }
        items = rest
    }

    /// A service by one of its names.
    private static func plain(service: String) -> String {
        let word = String(service.lowercased().filter { $0.isLetter || $0.isNumber })
        let others = [
            "xmpp": "jabber", "gtalk": "googletalk", "ymsgr": "yahoo", "msnim": "msn",
            "skypeusername": "skype", "gg": "gadugadu", "twitterusername": "twitter",
        ]
        return others[word] ?? word
    }

    /// Joins the labels with the addresses they say.
    mutating func settleLabels() {
        for label in labels {
            let at = items.firstIndex {
                $0.list == "addresses" && !$0.hasText && Set($0.types) == Set(label.types)
            }
            if let at {
                items[at].parts[.formatted] = label.text
                items[at].hasText = true
            } else {
                var item = Item(field: .address, list: "labels")
                item.types = label.types
                item.parts[.formatted] = label.text
                item.hasText = true
                items.append(item)
            }
        }
        labels = []
    }
}
