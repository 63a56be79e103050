// The order of day and month in the date columns of an address book, found out before the first
// row is read: a number above 12 tells it for its column. What a single date says is for BookDate.

/// The order of day and month, column by column.
struct DateOrders {
    /// Where no column is meant, and for those without dates in numbers.
    private var usual: DateOrder
    private var columns: [Int: DateOrder] = [:]

    /// The order of a column.
    subscript(column: Int?) -> DateOrder { column.flatMap { columns[$0] } ?? usual }

    private static let batchRows = 1000
    /// Behind so many rows nobody looks for a number that tells.
    private static let mostRows = 1_000_000

    /// As asked for, else by a number above 12 in the column, else as the other columns of the file
    /// have it, else as the producer's language does; the last two are noted.
    init(_ document: CSVDocument, _ plan: AddressBookPlan) {
        let isMonthFirst =
            ["google", "outlook en", "yahoo", "linkedin", "atmail"].contains(plan.origin)
        usual = isMonthFirst ? .monthFirst : .dayFirst
        if let word = document.context.options.extra["date-order"],
            let order = DateOrder(rawValue: word.lowercased())
        {
            usual = order
            return
        }
        let ambiguous = search(document, plan.dateColumns)
        let found = Set(columns.values)
        if found.count == 1, let only = found.first { usual = only }
        for column in plan.dateColumns where columns[column] == nil {
            guard let value = ambiguous[column] else { continue }
            let reason = found.count == 1 ? "as the other dates of the file" : "as is usual there"
            document.context.report.note(
                .guessed, "date-order", source: document.input.name,
                property: document.headers[column], value: value,
                action: "no date of the column tells its order: read as \(usual.words), \(reason); "
                    + "--date-order says otherwise")
        }
    }

    /// Finds a date that tells the order of each column; the first that does not, for the others.
    private mutating func search(_ document: CSVDocument, _ wanted: [Int]) -> [Int: String] {
        var ambiguous: [Int: String] = [:]
        // Columns with a date that has its year first, and those with a year of four digits last.
        var yearFirst: Set<Int> = []
        var yearLast: Set<Int> = []
        var open = wanted
        if open.isEmpty { return ambiguous }
        let table = CellTable(
            document.text.bytes, document.dialect, width: max(document.headers.count, 1))
        var scanner = DelimitedScanner(from: document.bodyStart)
        let scratch = RawVector<UInt8>(capacity: 64)
        defer { scratch.destroy() }
        var rows = 0
        while rows < DateOrders.mostRows, !open.isEmpty {
            scanner.scan(into: table, maxRows: DateOrders.batchRows)
            if table.rowCount == 0, table.broken.isEmpty, table.comments == 0 { break }
            rows += table.rowCount
            for row in 0..<table.rowCount {
                for column in open where table.cell(row, column).length > 5 {
                    let bytes = table.value(table.cell(row, column))
                    // The usual case: an ISO date.
                    if bytes.count > 4, bytes[4] == 0x2D { continue }
                    let cell = DateCell(bytes, scratch)
                    let orders = BookDate.orders(cell)
                    if orders == .yearFirst {
                        yearFirst.insert(column)
                    } else if let order = orders.only {
                        columns[column] = order
                    } else if !orders.isEmpty, ambiguous[column] == nil {
                        ambiguous[column] = String(decoding: bytes, as: UTF8.self)
                    }
                    let isYear = cell.date.bytes.suffix(4).allSatisfy { $0 &- 0x30 < 10 }
                    if isYear { yearLast.insert(column) }
                }
                if !columns.isEmpty { open.removeAll { columns[$0] != nil } }
            }
        }
        for column in yearFirst.subtracting(yearLast) where columns[column] == nil {
            columns[column] = .yearFirst
        }
        return ambiguous
    }
}

extension DateOrder {
    /// The order as people write it.
    var words: String {
        switch self {
        case .monthFirst: "month/day/year"
        case .dayFirst: "day/month/year"
        case .yearFirst: "year/month/day"
        }
    }
}

/// Some of the orders.
struct DateOrderSet: OptionSet {
    let rawValue: UInt8

    static let monthFirst = DateOrderSet(rawValue: 1)
    static let dayFirst = DateOrderSet(rawValue: 2)
    static let yearFirst = DateOrderSet(rawValue: 4)

    /// The orders themselves.
    var orders: [DateOrder] {
        [DateOrder.monthFirst, .dayFirst, .yearFirst].filter { contains($0) }
    }

    /// The order, when there is one only.
    var only: DateOrder? {
        switch self {
        case .monthFirst: .monthFirst
        case .dayFirst: .dayFirst
        case .yearFirst: .yearFirst
        default: nil
        }
    }

    func contains(_ order: DateOrder) -> Bool {
        switch order {
        case .monthFirst: contains(DateOrderSet.monthFirst)
        case .dayFirst: contains(DateOrderSet.dayFirst)
        case .yearFirst: contains(DateOrderSet.yearFirst)
        }
    }
}
