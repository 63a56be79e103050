// What contacts say in two ways is one item: messengers under two names of their service, and
// addresses beside their labels.

extension AddressBookContact {
    /// Joins messengers that name one account, as some write it in two ways.
    func settleServices(_ kinds: AddressBookKinds) {
        let count = items.elements.count { $0.field == .im }
        if count < 2 { return }
        var at: [String: Int] = [:]
        var end = 0
        for i in 0..<items.count {
            let value = self[i, .value]
            if items[i].field == .im, !value.isEmpty {
                let service = kinds.all[items[i].kind].plainService
                let key = service + "\u{0}" + texts.string(value).lowercased()
                if !service.isEmpty, let known = at[key] {
                    join(i, with: known, kinds)
                    continue
                }
                at[key] = end
            }
            move(i, to: end)
            end += 1
        }
        truncate(to: end)
    }

    private func join(_ i: Int, with known: Int, _ kinds: AddressBookKinds) {
        var kind = kinds.all[items[known].kind]
        let other = kinds.all[items[i].kind]
        kind.types += other.types.filter { !kind.types.contains($0) }
        kind.label = kind.label ?? other.label
        kind.isPreferred = kind.isPreferred || other.isPreferred
        items.base[known].kind = kinds.number(of: kind)
        if items[known].more.isEmpty { items.base[known].more = items[i].more }
        items.base[known].rank = min(items[known].rank, items[i].rank)
    }

    /// Joins the labels with the addresses they say.
    func settleLabels(_ kinds: AddressBookKinds) {
        for label in labels.elements {
            let types = Set(kinds.all[label.kind].types)
            let known = items.elements.firstIndex {
                $0.list == .addresses && !$0.hasText && Set(kinds.all[$0.kind].types) == types
            }
            let at = known ?? add(label.kind, .labels)
            self[at, .formatted] = label.text
            items.base[at].hasText = true
        }
        labels.removeAll()
    }
}
