// What an address book's writer notes, by code and property. A note that has all the examples a report
// keeps is only counted, so that nobody spells out what would not be shown.

/// The notes of a writer.
final class AddressBookNotes {
    /// What is noted.
    enum Code: Int {
        case noColumn, labelDropped, noYear
        case inNotes, kindChanged, prefOrder, customRenamed, relationURI, relationNamed,
            serviceAsCustom
        case listSeparator, categorySeparator

        /// How many there are.
        static var count: Int { categorySeparator.rawValue + 1 }

        fileprivate var kind: Report.ItemClass {
            rawValue <= Code.noYear.rawValue ? .lost : .changed
        }

        fileprivate var code: String {
            switch self {
            case .noColumn: "no-column"
            case .labelDropped: "label-dropped"
            case .noYear: "bday-no-year"
            case .inNotes: "in-notes"
            case .kindChanged: "kind-changed"
            case .prefOrder: "pref-order"
            case .customRenamed: "custom-renamed"
            case .relationURI: "relation-uri"
            case .relationNamed: "relation-named"
            case .serviceAsCustom: "service-as-custom"
            case .listSeparator: "list-separator"
            case .categorySeparator: "category-separator"
            }
        }
    }

    private let report: Report
    private var properties: [String] = []
    private var numbers: [String: Int] = [:]
    /// Where the report has a note that is full, by property and code; -1 for others.
    private let places = RawVector<Int>(capacity: 256)
    /// What was counted of them since the last `flush`.
    private let counts = RawVector<Int>(capacity: 256)
    /// The record at hand.
    var record = 0

    init(_ report: Report) {
        self.report = report
        for list in AddressBookContact.List.allCases { _ = property("\(list)") }
    }

    deinit {
        places.destroy()
        counts.destroy()
    }

    /// Tells the report what was counted.
    func flush() {
        for i in 0..<counts.count where counts[i] > 0 {
            report.count(counts[i], at: places[i])
            counts[i] = 0
        }
    }

    /// The number of a property; that of a list of items is its own.
    func property(_ name: String) -> Int {
        if let known = numbers[name] { return known }
        let number = properties.count
        numbers[name] = number
        properties.append(name)
        places.append(repeating: -1, count: Code.count)
        counts.append(repeating: 0, count: Code.count)
        return number
    }

    /// The name of a property.
    func name(_ property: Int) -> String { properties[property] }

    /// Counts a note that has all its examples; false for one that wants more.
    @inline(__always)
    func count(_ code: Code, _ property: Int, _ count: Int = 1) -> Bool {
        let at = property &* Code.count &+ code.rawValue
        guard places[at] >= 0 else { return false }
        counts[at] += count
        return true
    }

    /// Notes something.
    func add(
        _ code: Code, _ property: Int, count: Int = 1, source: String? = nil,
        value: @autoclosure () -> String?, action: @autoclosure () -> String
    ) {
        if self.count(code, property, count) { return }
        let name = properties[property]
        report.note(
            code.kind, code.code, source: source, record: record, property: name, value: value(),
            count: count, action: action())
        if let place = report.fullPlace(code.kind, code.code, property: name) {
            places[property * Code.count + code.rawValue] = place
        }
    }
}
