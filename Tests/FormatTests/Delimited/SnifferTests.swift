// Every question the sniffer answers, and the files of the corpus.

import Testing

@testable import Formats

@Suite struct SnifferTests {
    @Test(arguments: [
        ("a,b\n1,2\n", ","), ("a;b\n1,5;2\n", ";"), ("a\tb,c\n1\t2\n", "\t"), ("a|b\n1|2\n", "|"),
        ("a:b\n1:2\n", ":"), ("time\n10:30\n11:45\n", ","), ("name\nx;y\nz\n", ","),
        ("sep=;\na,b;c\n1;2\n", ";"), ("sep=\t\r\na\tb\r\n", "\t"), ("", ","), ("\n\n", ","),
        ("id,when\n1,2020-01-01T10:00:00Z\n2,2020-01-01T10:00:00Z\n", ","),
        ("a,b\n\"x;y;z\",\"1;2\"\n", ","), ("Name;E-Mail 2: Adresse\nx;y\n", ";"),
    ])
    func delimiterIsFound(_ text: String, _ delimiter: String) {
        #expect(sniff(text).delimiter == Array(delimiter.utf8)[0])
    }

    @Test func apostrophesQuoteOnlyWhereTheyQuote() {
        #expect(sniff("a\tb\n'x\ty'\tz\n'1'\t2\n").quote == 0x27)
        #expect(sniff("name,band\nO'Brien,Guns N' Roses\n'n',x\n").quote == 0x22)
        #expect(sniff("a;b\n\"x \\\"y\\\" z\";1\n\"\\\"q\\\"\";2\n").escape == 0x5C)
        #expect(sniff("a;b\n\"x \"\"y\"\" z\";1\n").escape == nil)
    }

    @Test func headerIsTold() {
        #expect(sniff("name,age\nTim,27\n").hasHeader)
        #expect(!sniff("Tim,27\nTom,24\n").hasHeader)
        #expect(!sniff("John,Doe,john@doe.invalid\nJane,Doe,jane@doe.invalid\n").hasHeader)
        #expect(sniff("a,b,c\n").hasHeader)
        #expect(sniff(",,\n1,x,y\n").hasHeader)
        #expect(sniff("1,2\n3,4\n", ["1", "2"]).hasHeader)
    }

    @Test func preambleIsPassedOver() throws {
        let linkedIn =
            "Notes:\n\"When exporting your data, you may notice, that\"\n\n"
            + "First Name,Last Name,URL,Email Address\nA,B,https://x.example,\n"
        #expect(sniff(linkedIn).preambleRows == 2)
        #expect(try plainRows(linkedIn) == [["A", "B", "https://x.example", nil]])
        let titled = "Report, of March 5, 2020\nname,phone,isBuddy\nx,1,true\n"
        #expect(sniff(titled, ["name", "phone", "isBuddy"]).preambleRows == 1)
        #expect(sniff("a\nb\nc\n").preambleRows == 0)
        #expect(sniff("First Name,E-mail\nRag,r@example.test,x,y\nShort\n").preambleRows == 0)
    }

    @Test func commentsAreLines() throws {
        let context = ExchangeContext()
        let text = "# few\n# more\na;b\n# baddy\n1;3\n6;7\n# skip"
        #expect(try plainRows(text, context) == [["1", "3"], ["6", "7"]])
        #expect(context.report.items.contains { $0.code == "comment-skipped" })
        #expect(try plainRows("tag\n#one\ntwo\n") == [["#one"], ["two"]])
        #expect(try plainRows("#a,b\n1,2\n") == [["1", "2"]])
    }

    @Test func knownHeadersBeatShape() {
        #expect(sniff("x;y,name;phone,z;w\n1;2\n", ["x;y", "name;phone"]).delimiter == 0x2C)
    }
}

/// What the manifest says of a file.
struct CorpusFacts: CustomTestStringConvertible {
    var file: String
    var encoding: String
    var delimiter: UInt8
    var records: Int
    var widths: Set<Int>
    var testDescription: String { file }

    static let all: [CorpusFacts] = {
        guard let path = sharedPath("corpus/interchange/MANIFEST.tsv"),
            let file = try? InputBytes.open(path)
        else { return [] }
        let text = withExtendedLifetime(file) { String(decoding: file.bytes, as: UTF8.self) }
        return text.split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard cells.count > 7, cells[0].hasPrefix("csv/") else { return nil }
            func fact(_ name: String) -> Substring {
                guard let at = cells[7].firstRange(of: "\(name)=") else { return "" }
                let rest = cells[7][at.upperBound...]
                return rest.prefix { $0 != ";" || rest.hasPrefix("\";\"") }
            }
            func numbers(_ text: Substring) -> [Int] {
                text.split { !$0.isNumber }.compactMap { Int($0) }
            }
            let quoted = fact("delimiter").dropFirst()
            let delimiter: UInt8 =
                quoted.hasPrefix("\\t") ? 9 : quoted.utf8.first ?? 0
            return CorpusFacts(
                file: String(cells[0]), encoding: String(fact("encoding")), delimiter: delimiter,
                records: numbers(fact("records")).first ?? 0,
                widths: Set(numbers(fact("widths"))))
        }
    }()
}

@Suite struct CSVCorpusTests {
    @Test(arguments: CorpusFacts.all)
    func manifestFactsHold(_ facts: CorpusFacts) throws {
        let path = try #require(sharedPath("corpus/interchange/\(facts.file)"))
        let bytes = try InputBytes.open(path)
        var options = ExchangeOptions()
        // Nothing in the bytes of these two says what they are.
        if ["cp932", "mac_latin2"].contains(facts.encoding) { options.encoding = facts.encoding }
        let context = ExchangeContext(options: options)
        let document = try CSVDocument(bytes, context: context)
        let wanted =
            ["utf-8-sig": "utf-8", "latin-1": "windows-1252", "utf-16": "utf-16le"][facts.encoding]
            ?? Charset.named(facts.encoding)?.name
        #expect(document.dialect.encoding == wanted)
        #expect(document.dialect.delimiter == facts.delimiter)

        // Count as the manifest does: all rows that are not empty, comments included.
        var dialect = document.dialect
        dialect.comment = nil
        var parser = DelimitedRowParser(document.text.bytes, dialect, from: 0)
        var records = 0
        var widths = Set<Int>()
        while let row = parser.next() {
            if row.count == 1, row[0].range.isEmpty, !row[0].isQuoted { continue }
            records += 1
            widths.insert(row.count)
        }
        #expect(records == facts.records)
        #expect(widths == facts.widths)

        // Every row arrives.
        let header = document.dialect.hasHeader ? 1 : 0
        let all = try rows(CSVRows(document: document))
        let comments = context.report.items.first { $0.code == "comment-skipped" }?.count ?? 0
        #expect(
            all.count + header + document.dialect.preambleRows + comments
                + context.report.setAside >= facts.records)
        #expect(context.report.read == all.count + context.report.setAside)
    }

    @Test(arguments: CorpusFacts.all)
    func cutAndDamagedFilesNeverTrap(_ facts: CorpusFacts) throws {
        let path = try #require(sharedPath("corpus/interchange/\(facts.file)"))
        let file = try InputBytes.open(path)
        let whole = withExtendedLifetime(file) { Array(file.bytes.prefix(2000)) }
        var random = SeededGenerator(UInt64(whole.count))
        for round in 0..<60 {
            var bytes = whole
            if round % 2 == 0 {
                bytes = Array(bytes.prefix(Int(random.next() % UInt64(whole.count + 1))))
            }
            for _ in 0..<round % 7 where !bytes.isEmpty {
                let at = Int(random.next() % UInt64(bytes.count))
                bytes[at] = [0x22, 0x2C, 10, 13, 0, 0x5C, 0xFF, 0x3B][Int(random.next() % 8)]
            }
            let context = ExchangeContext()
            let reader = try CSVRows(input: input(bytes: bytes), context: context)
            let all = try rows(reader)
            #expect(context.report.read == all.count + context.report.setAside)
        }
    }
}

@Suite struct HeaderNameTests {
    @Test func lettersOfLatin1AreFoldedAsTheStandardLibraryDoes() {
        for code in UInt32(1)...0x17F {
            guard let scalar = Unicode.Scalar(code) else { continue }
            let name = "A \(scalar)/b_\(scalar)\(scalar)Z"
            #expect(HeaderNames.fold(name) == HeaderNames.foldSlowly(name), "U+\(code)")
        }
    }

    /// An apostrophe in a quoted cell is no quote, in a table of one column above all.
    @Test(arguments: [
        "\"last, first\"\n\"O'Brien, Pat\"\n\"Smith, John\"\n",
        "\"a, b\"\n\"c, d\"\n\"O,'Brien, Pat\"\n", "\"x, 'y', z\"\n\"a, b, c\"\n",
    ])
    func apostrophesInQuotedCellsAreText(_ text: String) {
        let dialect = bytes(text) { CSVSniffer.sniff($0) }
        #expect(dialect.quote == 0x22)
    }

    @Test func apostrophesMayQuote() {
        let dialect = bytes("'a','b, c'\n'd','e'\n") { CSVSniffer.sniff($0) }
        #expect(dialect.quote == 0x27)
    }
}
