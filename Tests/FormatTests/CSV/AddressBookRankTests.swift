// Which of several values gets the column: the preferred one, a name before a link, a date before a
// text; and what becomes of dates that a program's columns cannot hold.

import Testing

@testable import Formats

@Suite("Ranks in address books") struct AddressBookRankTests {
    /// The filled cells of a card, by the names of their columns.
    private func cells(_ profile: String, _ lines: [String], _ context: ExchangeContext)
        throws -> [String: String]
    {
        let text = (["BEGIN:VCARD"] + lines + ["END:VCARD", ""]).joined(separator: "\r\n")
        let reader = VCardContactReader(input: cardInput(text), context: ExchangeContext())
        let batch = RecordBatch(schema: reader.schema)
        let bytes = try PlainCard.written { sink in
            let writer = try AddressBookWriter(
                sink: sink, profile: AddressBookProfile(profile), context: context)
            while try reader.next(into: batch) { try writer.write(batch) }
        }
        let csv = try CSVRows(
            input: input(String(decoding: bytes, as: UTF8.self)), context: ExchangeContext())
        let names = csv.schema.classes[0].properties.map(\.name)
        var result: [String: String] = [:]
        for (name, value) in zip(names, try #require(rows(csv).first)) {
            if case .string(let text) = value { result[name] = text }
        }
        return result
    }

    private func values(_ context: ExchangeContext, _ code: String) -> [String] {
        context.report.items.filter { $0.code == code }.compactMap(\.value)
    }

    private static let emails = [
        "VERSION:4.0", "FN:A B", "EMAIL;PREF=2:e2@x.test", "EMAIL;PREF=1:e1@x.test",
        "EMAIL:e3@x.test",
    ]

    @Test(arguments: [
        ("thunderbird", ["Primary Email", "Secondary Email"]),
        ("outlook", ["E-mail Address", "E-mail 2 Address", "E-mail 3 Address"]),
    ])
    func thePreferredEmailIsTheFirst(_ profile: String, _ columns: [String]) throws {
        let context = ExchangeContext()
        let cells = try cells(profile, Self.emails, context)
        #expect(
            columns.map { cells[$0] ?? "" }
                == ["e1@x.test", "e2@x.test", "e3@x.test"].prefix(columns.count).map { $0 })
        #expect(values(context, "pref-order").isEmpty)
    }

    @Test func aNameComesBeforeALink() throws {
        let context = ExchangeContext()
        let both = try cells(
            "outlook",
            [
                "VERSION:4.0", "FN:A B", "RELATED;TYPE=spouse:urn:uuid:111",
                "RELATED;TYPE=spouse,emergency;VALUE=text:Sp",
            ], context)
        #expect(both["Spouse"] == "Sp")
        #expect(values(context, "no-column") == ["Spouse: urn:uuid:111"])
        #expect(values(context, "kind-changed").count == 1)
        let alone = ExchangeContext()
        let link = try cells(
            "outlook", ["VERSION:4.0", "FN:A B", "RELATED;TYPE=spouse:urn:uuid:111"], alone)
        #expect(link["Spouse"] == "urn:uuid:111")
        #expect(values(alone, "relation-uri") == ["Spouse: urn:uuid:111"])
    }

    @Test func datesWithoutAYearAreNoneForOutlook() throws {
        let context = ExchangeContext()
        let lines = ["VERSION:4.0", "FN:A B", "BDAY:--0509", "ANNIVERSARY:--0506"]
        let outlook = try cells("outlook", lines, context)
        #expect(outlook["Birthday"] ?? "" == "")
        #expect(outlook["Anniversary"] ?? "" == "")
        #expect(context.report.items.first { $0.code == "bday-no-year" }?.count == 2)
        let google = try cells("google", lines, ExchangeContext())
        #expect(google["Birthday"] == "--05-09")
        let whole = try cells("outlook", ["VERSION:4.0", "FN:A B", "BDAY:19800102"], context)
        #expect(whole["Birthday"] == "1/2/1980")
    }

    @Test func aDateComesBeforeATextThatIsNone() throws {
        let lines = ["VERSION:4.0", "FN:A B", "BDAY;VALUE=text:circa 1980", "BDAY:19800102"]
        #expect(try cells("outlook", lines, ExchangeContext())["Birthday"] == "1/2/1980")
        #expect(try cells("google", lines, ExchangeContext())["Birthday"] == "1980-01-02")
    }

    @Test func whatIsLostIsShown() throws {
        let context = ExchangeContext()
        _ = try cells(
            "outlook",
            [
                "VERSION:4.0", "FN:A B", "KEY:http://k.test", "LOGO:http://l.test",
                "HOBBY;LEVEL=high:chess",
            ], context)
        let lost = context.report.items.filter { $0.code == "no-column" }
        var shown: [String: String] = [:]
        for item in lost { shown[item.property ?? ""] = item.value ?? "" }
        #expect(shown["keys"] == "http://k.test")
        #expect(shown["logos"] == "http://l.test")
        #expect(shown["HOBBY"] == "chess (LEVEL=high)")
    }

    @Test func linesOfOutlookHaveColumns() throws {
        let context = ExchangeContext()
        let outlook = try cells(
            "outlook", ["VERSION:2.1", "N:B;A", "FN:A B", "X-MS-TEL;VOICE;ASSISTANT:77"], context)
        #expect(outlook["Assistant's Phone"] == "77")
        let google = try cells(
            "google", ["VERSION:3.0", "N:B;A;;;", "FN:A B", "X-FILE-AS:BA"], context)
        #expect(google["File As"] == "BA")
        #expect(context.report.items.isEmpty, "\(context.report.items)")
    }
}
