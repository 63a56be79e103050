// The kinds of items that contacts have: many items, few kinds. What depends on the kind alone (which
// columns take it, what its label cell says) is worked out once and kept at the kind's number.

/// All that is said of an item but for its values.
struct ItemKind: Hashable {
    var field: ColumnMeaning.Field
    /// The list of `Contact` it comes from.
    var list: AddressBookContact.List
    /// In lower case.
    var types: [String] = []
    var label: String?
    var isPreferred = false
    /// The name of a messenger's service.
    var service = ""

    func has(_ type: String) -> Bool { types.contains(type) }

    /// The service by one of its names.
    var plainService: String {
        let word = String(service.lowercased().filter { $0.isLetter || $0.isNumber })
        let others = [
            "xmpp": "jabber", "gtalk": "googletalk", "ymsgr": "yahoo", "msnim": "msn",
            "skypeusername": "skype", "gg": "gadugadu", "twitterusername": "twitter",
        ]
        return others[word] ?? word
    }
}

/// The kinds met so far, and the names of lines that no list holds.
///
/// A kind is looked up by a key: `begin`, `add` what tells it apart, `number`.
final class AddressBookKinds {
    /// The most kinds that are kept from contact to contact, and the most bytes of their keys.
    private static let limit = (count: 4096, size: 1 << 20)

    private(set) var all: [ItemKind] = []
    /// How often all was forgotten, and numbers were given anew.
    private(set) var generation = 0
    private var numbers: [ItemKind: Int] = [:]
    private let keys = ByteNumbers()
    private let kindOfKey = RawVector<Int>(capacity: 64)
    private let key = RawVector<UInt8>(capacity: 128)
    private let cells = TextArena()
    private let cellOfKind = RawVector<TextPlace>(capacity: 64)
    private let nameKeys = ByteNumbers()
    /// Names of lines, in upper case, and of lists, by their numbers.
    private(set) var names: [String] = []
    /// How lines of these names are read, as far as that was asked.
    let wayOfLine = RawVector<LineWay>(capacity: 64)

    deinit {
        kindOfKey.destroy()
        key.destroy()
        cells.storage.destroy()
        cellOfKind.destroy()
        wayOfLine.destroy()
    }

    /// Between two contacts: forgets all when it has become too much.
    func bound() {
        guard
            keys.count > Self.limit.count || keys.size > Self.limit.size
                || all.count > Self.limit.count || cells.storage.count > Self.limit.size
                || nameKeys.count > Self.limit.count || nameKeys.size > Self.limit.size
        else { return }
        generation += 1
        all = []
        numbers = [:]
        keys.removeAll()
        kindOfKey.removeAll()
        cells.storage.removeAll()
        cellOfKind.removeAll()
        nameKeys.removeAll()
        names = []
        wayOfLine.removeAll()
    }

    // MARK: Keys

    /// Begins the key of a kind.
    /// - Parameter source: what the parts of the key are of.
    @inline(__always)
    func begin(_ source: UInt8, isPreferred: Bool = false) {
        key.removeAll()
        key.append(source)
        key.append(isPreferred ? 1 : 0)
    }

    /// Adds a text to the key.
    @inline(__always)
    func add(_ text: UnsafeRawBufferPointer) {
        add(length: UInt32(truncatingIfNeeded: text.count))
        key.append(few: text)
    }

    /// Adds that a text is not there.
    func addNone() { add(length: .max) }

    func add(_ text: String) {
        var text = text
        text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
    }

    func add(_ text: StaticString) {
        add(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    @inline(__always)
    private func add(length: UInt32) {
        UnsafeMutableRawPointer(key.extend(4)).storeBytes(of: length, as: UInt32.self)
    }

    /// The number of the kind of the key, which is made when it is new.
    @inline(__always)
    func number(_ make: () -> ItemKind) -> Int {
        let number = keys.number(UnsafeRawBufferPointer(key.elements))
        if number == kindOfKey.count { kindOfKey.append(self.number(of: make())) }
        return kindOfKey[number]
    }

    /// The number of a kind.
    func number(of kind: ItemKind) -> Int {
        if let known = numbers[kind] { return known }
        let number = all.count
        numbers[kind] = number
        all.append(kind)
        cellOfKind.append(.none)
        return number
    }

    // MARK: Texts

    /// What the label cell of a kind says; valid until the next kind is asked about.
    func labelCell(_ kind: Int) -> UnsafeRawBufferPointer {
        if cellOfKind[kind].isNone {
            let it = all[kind]
            cellOfKind[kind] = cells.add(
                AddressBookLabels.text(
                    types: it.types, label: it.label, isPreferred: it.isPreferred, it.field))
        }
        return cells.bytes(cellOfKind[kind])
    }

    /// The number of a line's name.
    func line(_ name: UnsafeRawBufferPointer) -> Int {
        named(0, name) { String(decoding: name, as: UTF8.self).uppercased() }
    }

    /// The number of a list's name.
    func name(_ list: String) -> Int {
        var list = list
        return list.withUTF8 { bytes in
            named(1, UnsafeRawBufferPointer(bytes)) { String(decoding: bytes, as: UTF8.self) }
        }
    }

    private func named(_ source: UInt8, _ name: UnsafeRawBufferPointer, _ text: () -> String)
        -> Int
    {
        key.removeAll()
        key.append(source)
        key.append(few: name)
        let number = nameKeys.number(UnsafeRawBufferPointer(key.elements))
        if number == names.count {
            names.append(text())
            wayOfLine.append(.unknown)
        }
        return number
    }
}
