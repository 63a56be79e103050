// The words in the label cells of items ("Home Fax", "* Work") and the types they stand for.

enum AddressBookLabels {
    /// What a label cell says of an item; `fixed` is what the column says already.
    static func kind(
        _ text: String, _ field: ColumnMeaning.Field, fixed: [String], label: String?
    ) -> CardBuilder.Kind {
        var kind = CardBuilder.Kind()
        kind.label = label
        kind.types = fixed.filter { $0 != "pref" }
        kind.isPreferred = fixed.contains("pref")
        var word = HeaderNames.trim(text)
        if word.first == "*" {
            kind.isPreferred = true
            word = HeaderNames.trim(String(word.dropFirst()))
        }
        guard !word.isEmpty else { return kind }
        if let types = types(word.lowercased(), field) {
            kind.types += types
        } else {
            kind.label = word
        }
        return kind
    }

    static func types(_ word: String, _ field: ColumnMeaning.Field) -> [String]? {
        switch (field, word) {
        case (.email, "home"), (.phone, "home"), (.address, "home"), (.url, "home"), (.im, "home"):
            return ["home"]
        case (.email, "work"), (.phone, "work"), (.address, "work"), (.url, "work"), (.im, "work"):
            return ["work"]
        case (.email, "other"), (.phone, "other"), (.address, "other"), (.url, "other"),
            (.im, "other"):
            return ["other"]
        case (.phone, "mobile"), (.phone, "cell"): return ["cell"]
        case (.phone, "iphone"): return ["cell", "iphone"]
        case (.phone, "main"): return ["main"]
        case (.phone, "home fax"), (.phone, "homefax"): return ["home", "fax"]
        case (.phone, "work fax"), (.phone, "workfax"): return ["work", "fax"]
        case (.phone, "other fax"), (.phone, "otherfax"), (.phone, "fax"): return ["fax"]
        case (.phone, "work mobile"): return ["work", "cell"]
        case (.phone, "work pager"): return ["work", "pager"]
        case (.phone, "pager"): return ["pager"]
        case (.phone, "car"): return ["car"]
        case (.phone, "isdn"): return ["isdn"]
        case (.relation, "spouse"), (.relation, "child"), (.relation, "parent"),
            (.relation, "sibling"), (.relation, "friend"):
            return [word]
        default: return nil
        }
    }

    /// The label that says what the types of an item say; the reverse of `kind`.
    static func text(
        types: [String], label: String?, isPreferred: Bool, _ field: ColumnMeaning.Field
    ) -> String {
        var word = label ?? ""
        if word.isEmpty {
            let set = Set(types)
            let place = set.contains("home") ? "Home" : set.contains("work") ? "Work" : ""
            if set.contains("fax") {
                word = place.isEmpty ? "Other Fax" : "\(place) Fax"
            } else if set.contains("pager") {
                word = place == "Work" ? "Work Pager" : "Pager"
            } else if set.contains("iphone") {
                word = "iPhone"
            } else if set.contains("cell") {
                word = place == "Work" ? "Work Mobile" : "Mobile"
            } else if set.contains("main") {
                word = "Main"
            } else if !place.isEmpty {
                word = place
            } else if let known = types.first(where: { !ignored.contains($0) }) {
                word = known.prefix(1).uppercased() + known.dropFirst()
            }
        }
        return isPreferred ? "* \(word)" : word
    }

    /// Types that say nothing about which item it is.
    static let ignored: Set<String> = ["internet", "voice", "pref", "msg", "x-internet"]
}
