// A phone number as people write it, in the form that is the same everywhere (E.164): a plus, the
// country's code and the number. What cannot be told for sure is not guessed.

/// Normalises phone numbers.
enum PhoneNumber {
    /// The number with its country's code; nil where the text is no whole number: words, pauses,
    /// extensions, numbers of a town, short numbers.
    /// - Parameter plan: how the country dials where the number was written down.
    static func e164(_ text: String, _ plan: DiallingPlan) -> String? {
        guard let written = Digits(text) else { return nil }
        let digits = written.digits[...]
        if written.hasPlus { return international(digits, bracket: written.bracket) }
        for prefix in plan.international where digits.starts(with: prefix) {
            let rest = digits.dropFirst(prefix.count)
            guard rest.count >= 8 else { continue }
            let bracket = written.bracket.flatMap { range in
                range.lowerBound >= prefix.count
                    ? range.lowerBound - prefix.count..<range.upperBound - prefix.count : nil
            }
            if let number = international(rest, bracket: bracket) { return number }
        }
        for trunk in plan.trunks where digits.starts(with: trunk) {
            let rest = digits.dropFirst(trunk.count)
            if plan.lengths.contains(rest.count), let number = national(rest, plan) {
                return number
            }
        }
        guard let bare = plan.bare, bare.contains(digits.count), !isShort(digits),
            CallingCodes.isWhole(digits, plan.code)
        else { return nil }
        return national(digits, plan)
    }

    /// True for the short numbers that are the same in many countries, `116 117` and its like.
    private static func isShort(_ digits: ArraySlice<UInt8>) -> Bool {
        digits.count == 6 && digits.starts(with: [0x31, 0x31, 0x36])
    }

    /// Behind a plus, or what stands for it.
    /// - Parameter bracket: the digits of the first pair of brackets, as in `+49 (0)30`.
    private static func international(_ digits: ArraySlice<UInt8>, bracket: Range<Int>?)
        -> String?
    {
        guard let length = CallingCodes.codeLength(digits) else { return nil }
        let code = digits.prefix(length)
        var rest = digits.dropFirst(length)
        if let bracket, bracket.lowerBound == length {
            guard let dropped = trunk(rest.prefix(bracket.count), rest.count, code) else {
                return nil
            }
            rest = rest.dropFirst(dropped)
        }
        guard rest.count >= 4, length + rest.count <= 15, rest.first != 0x30 || !drops(code),
            fits(rest, code)
        else { return nil }
        return spelled(code, rest)
    }

    /// How many digits behind a calling code are only dialled inside of the country.
    /// - Parameters:
    ///   - inside: the digits in brackets.
    ///   - count: how many there are behind the code.
    /// - Returns: nil where it cannot be told.
    private static func trunk(
        _ inside: ArraySlice<UInt8>, _ count: Int, _ code: ArraySlice<UInt8>
    ) -> Int? {
        if inside.elementsEqual([0x30]) { return CallingCodes.keepsZero(code) ? 0 : 1 }
        // Where a number is as long as numbers are, what looks like it is a town's code.
        guard let plan = CallingCodes.plan(code: code), !plan.lengths.contains(count) else {
            return 0
        }
        let trunks = CallingCodes.trunks(plan).filter { $0 != [0x30] && inside.starts(with: $0) }
        if let trunk = trunks.first(where: { plan.lengths.contains(count - $0.count) }) {
            return trunk.count
        }
        return trunks.contains(Array(inside)) ? nil : 0
    }

    private static func drops(_ code: ArraySlice<UInt8>) -> Bool { CallingCodes.dropsZero(code) }

    private static func national(_ digits: ArraySlice<UInt8>, _ plan: DiallingPlan) -> String? {
        let code = plan.code[...]
        guard digits.first != 0x30 || !drops(code), fits(digits, code) else { return nil }
        return spelled(code, digits)
    }

    /// North America has numbers of ten digits, none of which begins with 0 or 1.
    private static func fits(_ digits: ArraySlice<UInt8>, _ code: ArraySlice<UInt8>) -> Bool {
        guard code.elementsEqual([0x31]) else { return true }
        return digits.count == 10 && digits.first.map { $0 > 0x31 } ?? false
    }

    private static func spelled(_ code: ArraySlice<UInt8>, _ digits: ArraySlice<UInt8>) -> String {
        "+" + String(decoding: code, as: UTF8.self) + String(decoding: digits, as: UTF8.self)
    }

    /// The digits of a text that is nothing but a number.
    private struct Digits {
        var digits: [UInt8] = []
        var hasPlus = false
        /// The places of the digits between the first pair of brackets.
        var bracket: Range<Int>?

        init?(_ text: String) {
            var open: Int?
            for c in text.unicodeScalars {
                switch c.value {
                case 0x30...0x39: digits.append(UInt8(truncatingIfNeeded: c.value))
                // Wide digits of Japanese keyboards.
                case 0xFF10...0xFF19:
                    digits.append(0x30 + UInt8(truncatingIfNeeded: c.value - 0xFF10))
                case 0x2B, 0xFF0B:
                    guard digits.isEmpty, !hasPlus else { return nil }
                    hasPlus = true
                case 0x28: open = digits.count
                case 0x29:
                    if let start = open, digits.count > start, bracket == nil {
                        bracket = start..<digits.count
                    }
                    open = nil
                // Spaces, dashes, dots, slashes, and marks of direction that come with copying.
                case 0x20, 0x2D, 0x2E, 0x2F, 0xA0, 0x2007, 0x2009, 0x200E, 0x200F,
                    0x2010...0x2015, 0x202A...0x202F, 0x2066...0x2069, 0x2212, 0xFF0D:
                    break
                default: return nil
                }
                if digits.count > 24 { return nil }
            }
            if digits.isEmpty { return nil }
        }
    }
}

/// Another reader's contacts with their phone numbers in one form; other classes as they are.
final class PhoneFormatReader: WrappingReader {
    let reader: any RecordReader
    private let plan: DiallingPlan
    private let context: ExchangeContext

    init(_ reader: any RecordReader, _ plan: DiallingPlan, _ context: ExchangeContext) {
        self.reader = reader
        self.plan = plan
        self.context = context
    }

    func next(into batch: RecordBatch) throws(FormatError) -> Bool {
        guard try reader.next(into: batch) else { return false }
        change(batch)
        return true
    }

    private func change(_ batch: RecordBatch) {
        guard batch.classSchema.name == "Contact",
            let place = batch.classSchema.index(of: "phones"),
            let items = ItemColumns(batch.columns[place]), items.own.count >= 2,
            items.owner.layout == .collection, items.owner.count >= batch.rowCount
        else { return }
        let (values, uris) = (items.own[0], items.own[1])
        var numbers: [Int: [UInt8]?] = [:]
        var links: [Int: [UInt8]?] = [:]
        for row in 0..<batch.rowCount {
            for j in items.owner.range(row) where !items.objects.isNull(j) {
                let child = Int(items.objects.words[j])
                guard child >= 0, child < values.count, !values.isNull(child) else { continue }
                let text = values.string(child)
                if text.isEmpty { continue }
                let uri = child < uris.count && !uris.isNull(child) ? uris.string(child) : ""
                let record = batch.firstRecord + row
                // Such a number counts in a place of its own.
                let isLocal = uri.lowercased().contains(";phone-context=")
                guard !isLocal, let number = PhoneNumber.e164(text, plan) else {
                    context.report.note(
                        .guessed, "phone-kept", record: record, property: "phones", value: text,
                        action: "no whole number of the region could be told; it stays as it is")
                    continue
                }
                if number == text { continue }
                numbers[child] = Array(number.utf8)
                if uri.lowercased().hasPrefix("tel:") {
                    let rest = uri.firstIndex(of: ";").map { uri[$0...] } ?? ""
                    links[child] = Array(("tel:" + number + rest).utf8)
                }
                context.report.note(
                    .changed, "phone-format", record: record, property: "phones", value: text,
                    action: "written with the country's code")
            }
        }
        if !numbers.isEmpty { values.replace(numbers) }
        if !links.isEmpty { uris.replace(links) }
    }
}
