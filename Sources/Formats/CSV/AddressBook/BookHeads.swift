// The heads of the lines of items. What a label cell says is worked out when it is first met and
// kept under its text, since a file has few labels and many cells with them.

/// The heads of an address book's items by their label cells.
final class BookHeads {
    /// The most labels that are kept from row to row, and the most bytes of them.
    private static let limit = (count: 4096, size: 1 << 20)

    private let heads: CardHeads
    private let items: [AddressBookPlan.Item]
    private let numbers = ByteNumbers()
    private let known = RawVector<CardHead>(capacity: 64)
    private let key = RawVector<UInt8>(capacity: 64)
    /// Where the heads of labels begin.
    private let mark: (Int, Int)

    /// - Parameter heads: to be filled with nothing else from now on.
    init(_ plan: AddressBookPlan, _ heads: CardHeads) {
        self.heads = heads
        items = plan.items
        mark = heads.mark
    }

    deinit {
        known.destroy()
        key.destroy()
    }

    /// Between two rows: forgets all when it has become too much.
    @inline(__always)
    func bound() {
        if numbers.count > BookHeads.limit.count || numbers.size > BookHeads.limit.size {
            numbers.removeAll()
            known.removeAll()
            heads.drop(to: mark)
        }
    }

    /// The head of an item.
    /// - Parameters:
    ///   - item: its number.
    ///   - label: its label cell.
    ///   - isFirst: false for one of several that the label is meant for; only the first of them can
    ///     be the preferred one.
    ///   - service: the messenger that its column names.
    @inline(__always)
    func head(
        _ item: Int, _ label: CellSlice, isFirst: Bool = true, service: CellSlice = .empty
    ) -> CardHead {
        key.removeAll()
        let tag = (item &<< 1 | (isFirst ? 1 : 0)) &<< 32 | label.count
        UnsafeMutableRawPointer(key.extend(8)).storeBytes(of: tag, as: Int.self)
        key.append(few: label.bytes)
        key.append(few: service.bytes)
        let number = numbers.number(UnsafeRawBufferPointer(key.elements))
        if number == known.count { known.append(make(item, label, isFirst, service)) }
        return known[number]
    }

    // MARK: Making

    private func make(_ number: Int, _ label: CellSlice, _ isFirst: Bool, _ service: CellSlice)
        -> CardHead
    {
        let item = items[number]
        // The columns of organizations say no types.
        let isOrganization = item.field == .org
        var kind = AddressBookLabels.kind(
            label.string, item.field, fixed: isOrganization ? [] : item.types,
            label: isOrganization ? nil : item.label)
        if !isFirst { kind.isPreferred = false }
        switch item.field {
        case .email: return heads.make("EMAIL", kind)
        case .phone: return heads.make("TEL", kind)
        case .url: return heads.make("URL", kind)
        case .address: return heads.make("ADR", kind)
        case .org: return heads.make("ORG", kind)
        case .relation: return heads.make("RELATED", kind, parameters: [("VALUE", "text")])
        case .im: return messenger(kind, service.string)
        case .event: return event(kind)
        default: return BookSteps.kept(kind.label ?? item.name, heads)
        }
    }

    /// A service named by the column stands among the types, with a capital.
    private func messenger(_ kind: CardBuilder.Kind, _ named: String) -> CardHead {
        var kind = kind
        let usual: Set<String> = ["home", "work", "other", "pref"]
        var service = named
        if service.isEmpty, let type = kind.types.first(where: { !usual.contains($0) }) {
            service = type
        }
        kind.types.removeAll { !usual.contains($0) }
        return heads.make(
            "IMPP", kind, parameters: service.isEmpty ? [] : [("X-SERVICE-TYPE", service)],
            prefix: Messengers.prefix(service: service.isEmpty ? nil : service))
    }

    /// A day of one's own, or the anniversary.
    private func event(_ kind: CardBuilder.Kind) -> CardHead {
        var kind = kind
        if kind.label?.lowercased() == "anniversary" {
            kind.label = nil
            return heads.make("ANNIVERSARY", kind)
        }
        if kind.label == nil { kind.label = "Other" }
        return heads.make("X-ABDATE", kind)
    }
}
