// The columns of a profile as its writer asks for them: each item of the plan a seat, with its columns
// side by side. Which kinds take a seat, and what is noted of them there, is asked once and kept.

/// The seats of a profile's items, by their places in the plan.
final class AddressBookSeats {
    /// The columns of one item.
    struct Seat: BitwiseCopyable {
        var field: ColumnMeaning.Field
        /// The first of its columns among all seats' columns, and how many it has.
        var start: Int
        var count: Int
        /// The parts that have a column: bits by their numbers.
        var parts: UInt32
        var hasType: Bool
        /// Holds anything a user wants.
        var isOpen: Bool
        /// One cell holds several values.
        var isList: Bool
        /// A street has a second line.
        var hasStreets: Bool
    }

    /// What is said of a kind in a seat.
    struct Answer: OptionSet {
        let rawValue: UInt8
        static let isFitting = Answer(rawValue: 1)
        static let fits = Answer(rawValue: 2)
        static let fitsExactly = Answer(rawValue: 4)
        static let isChanging = Answer(rawValue: 8)
        static let changesKind = Answer(rawValue: 16)
        static let dropsLabel = Answer(rawValue: 32)
        static let dropsPreference = Answer(rawValue: 64)
        static let isRenamed = Answer(rawValue: 128)
        /// What is to be noted.
        static let changes: Answer = [.changesKind, .dropsLabel, .dropsPreference, .isRenamed]
    }

    let places: [AddressBookPlan.Item]
    let kinds: AddressBookKinds
    private let fit: AddressBookFit
    private let seats = RawVector<Seat>(capacity: 64)
    /// The columns of all seats, and which parts they are.
    private let columns = RawVector<Int>(capacity: 128)
    private let parts = RawVector<ColumnMeaning.Part>(capacity: 128)
    /// By the kind and the seat.
    private let answers = RawVector<UInt8>(capacity: 1024)
    private var generation = 0
    /// The most bytes of answers that are kept from contact to contact.
    private static let limit = 1 << 22

    init(_ plan: AddressBookPlan, _ kinds: AddressBookKinds) {
        places = plan.items
        self.kinds = kinds
        fit = AddressBookFit(plan)
        for place in places {
            let start = columns.count
            var bits: UInt32 = 0
            for part in ColumnMeaning.Part.allCases {
                guard let column = place[part] else { continue }
                columns.append(column)
                parts.append(part)
                bits |= part.bit
            }
            seats.append(
                Seat(
                    field: place.field, start: start, count: columns.count - start, parts: bits,
                    hasType: place.has(.type), isOpen: fit.isOpen(place),
                    isList: AddressBookPlan.isList(place), hasStreets: place.has(.street2)))
        }
    }

    deinit {
        seats.destroy()
        columns.destroy()
        parts.destroy()
        answers.destroy()
    }

    var count: Int { seats.count }

    subscript(seat: Int) -> Seat {
        @inline(__always) get { seats[seat] }
    }

    /// A column of a seat, and the part that stands in it.
    @inline(__always)
    func column(_ k: Int, of seat: Seat) -> (column: Int, part: ColumnMeaning.Part) {
        (columns[seat.start &+ k], parts[seat.start &+ k])
    }

    /// The column of a part; nil where it has none.
    func column(_ part: ColumnMeaning.Part, of seat: Seat) -> Int? {
        for k in 0..<seat.count where parts[seat.start + k] == part {
            return columns[seat.start + k]
        }
        return nil
    }

    // MARK: Answers

    /// Between two contacts: forgets what was said of kinds that are forgotten.
    func bound() {
        guard generation != kinds.generation || answers.count > Self.limit else { return }
        generation = kinds.generation
        answers.removeAll()
    }

    /// Where the answers of a kind stand; there is one for each seat behind it.
    @inline(__always)
    private func place(_ kind: Int, _ seat: Int) -> Int {
        let at = kind &* seats.count &+ seat
        if at >= answers.count {
            let missing = kinds.all.count * seats.count - answers.count
            answers.append(repeating: 0, count: missing)
        }
        return at
    }

    /// Whether items of a kind may stand in a seat.
    @inline(__always)
    func fits(_ kind: Int, _ seat: Int, _ isExact: Bool) -> Bool {
        let at = place(kind, seat)
        if answers[at] & Answer.isFitting.rawValue == 0 { ask(kind, seat, at) }
        return answers[at] & (isExact ? Answer.fitsExactly : .fits).rawValue != 0
    }

    @inline(never)
    private func ask(_ kind: Int, _ seat: Int, _ at: Int) {
        var answer: Answer = [.isFitting]
        if fit.fits(kinds.all[kind], places[seat], true) { answer.insert(.fitsExactly) }
        if fit.fits(kinds.all[kind], places[seat], false) { answer.insert(.fits) }
        answers[at] |= answer.rawValue
    }

    /// What is to be noted of a kind that stands in a seat.
    @inline(__always)
    func changes(_ kind: Int, _ seat: Int) -> Answer {
        let at = place(kind, seat)
        if answers[at] & Answer.isChanging.rawValue == 0 {
            answers[at] |= Answer.isChanging.rawValue | changes(kinds.all[kind], seat).rawValue
        }
        return Answer(rawValue: answers[at] & Answer.changes.rawValue)
    }

    // MARK: Changes

    private func changes(_ kind: ItemKind, _ seat: Int) -> Answer {
        let place = places[seat]
        if kind.field == .custom {
            guard !place.has(.type), let label = kind.label,
                HeaderNames.fold(label) != HeaderNames.fold(place.name)
            else { return [] }
            return .isRenamed
        }
        if kind.field == .org { return [] }
        let text =
            place.has(.type)
            ? AddressBookLabels.text(
                types: kind.types, label: kind.label, isPreferred: kind.isPreferred, kind.field)
            : ""
        let read = AddressBookLabels.kind(
            text, kind.field, fixed: place.types, label: place.label)
        let said = Self.said(kind)
        let isService = kind.field == .im && !place.types.isEmpty
        var answer: Answer = []
        if Self.words(said.types) != Self.words(isService ? [] : read.types) {
            answer.insert(.changesKind)
        }
        if let label = said.label, read.label.map(HeaderNames.fold) != HeaderNames.fold(label) {
            answer.insert(.dropsLabel)
        }
        if kind.isPreferred, !read.isPreferred, !isFirst(place) { answer.insert(.dropsPreference) }
        return answer
    }

    private static func said(_ kind: ItemKind) -> CardBuilder.Kind {
        AddressBookLabels.kind(kind.label ?? "", kind.field, fixed: kind.types, label: nil)
    }

    private static func words(_ types: [String]) -> Set<String> {
        var words = Set(types.map { $0.lowercased() }).subtracting(AddressBookLabels.ignored)
        words.remove("other")
        if words.contains("iphone") { words.insert("cell") }
        return words
    }

    /// The types of a kind as a note shows them.
    static func shownTypes(_ kind: ItemKind) -> String {
        words(said(kind).types).sorted().joined(separator: " ")
    }

    /// The first of several like columns holds what is preferred.
    private func isFirst(_ place: AddressBookPlan.Item) -> Bool {
        guard place.field == .email || place.field == .url || place.field == .im else {
            return place.field == .relation
        }
        return places.first { $0.field == place.field }?.columns == place.columns
    }
}
