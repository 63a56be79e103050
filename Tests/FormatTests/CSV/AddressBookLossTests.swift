// Cards as address books: what has a column stands in it, and what the columns do not say is noted.

import Foundation
import Testing

@testable import Formats

@Suite("Address books of cards") struct AddressBookLossTests {
    /// The filled cells of a card, by the names of their columns.
    private func cells(
        _ profile: String, _ version: String, _ context: ExchangeContext, _ lines: [String]
    ) throws -> [String: String] {
        let text = (["BEGIN:VCARD", "VERSION:" + version] + lines + ["END:VCARD", ""])
            .joined(separator: "\r\n")
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

    private func notes(_ context: ExchangeContext, _ code: String) -> [String: String] {
        var notes: [String: String] = [:]
        for item in context.report.items where item.code == code {
            notes[item.property ?? ""] = item.value ?? ""
        }
        return notes
    }

    private static let family = [
        "N:B;A;;;", "FN:A B", "item1.X-ABRELATEDNAMES:Sp", "item1.X-ABLabel:_$!<Spouse>!$_",
        "item2.X-ABRELATEDNAMES:K1", "item2.X-ABLabel:_$!<Child>!$_",
        "item3.X-ABRELATEDNAMES:K2", "item3.X-ABLabel:_$!<Child>!$_", "X-EVOLUTION-MANAGER:M",
        "X-ASSISTANT:As", "X-ANNIVERSARY:2001-02-03", "X-SPOUSE:Sp",
    ]

    @Test func relationsOfOldCardsHaveColumns() throws {
        let context = ExchangeContext()
        let cells = try cells("outlook", "3.0", context, Self.family)
        #expect(cells["Spouse"] == "Sp")
        #expect(cells["Children"] == "K1, K2")
        #expect(cells["Manager's Name"] == "M")
        #expect(cells["Assistant's Name"] == "As")
        #expect(cells["Anniversary"] == "2/3/2001")
        #expect(context.report.items.isEmpty, "\(context.report.items)")
    }

    @Test func relationsOf4HaveColumns() throws {
        let lines = [
            "FN:A", "RELATED;TYPE=spouse;VALUE=text:Sp", "RELATED;TYPE=child;VALUE=text:K1",
            "RELATED;TYPE=child;VALUE=text:K2", "RELATED;TYPE=x-manager;VALUE=text:M",
            "RELATED;TYPE=x-assistant;VALUE=text:As",
        ]
        let outlook = try cells("outlook", "4.0", ExchangeContext(), lines)
        #expect(outlook["Children"] == "K1, K2")
        #expect(outlook["Manager's Name"] == "M")
        #expect(outlook["Assistant's Name"] == "As")
        let context = ExchangeContext()
        let google = try cells("google", "4.0", context, lines)
        #expect(google["Relation 4 - Label"] == "Manager")
        #expect(google["Relation 4 - Value"] == "M")
        #expect(notes(context, "no-column")["relations"] == "Assistant: As")
    }

    @Test func childrenOfOneCellAreRead() throws {
        let context = ExchangeContext()
        let contact = try #require(
            bookContacts(
                "First Name,Last Name,Children,E-mail Address\nA,B,\"K1, K2\",a@x.test\n", context
            ).first)
        #expect(items(contact, "relations") == ["K1 [child]", "K2 [child]"])
        #expect(context.report.items.contains { $0.code == "list-split" })
    }

    @Test func whatHasNoColumnIsNamed() throws {
        let context = ExchangeContext()
        _ = try cells(
            "outlook", "3.0", context,
            [
                "N:B;A;;;", "FN:A B", "UID:u1", "REV:2020-01-01T00:00:00Z", "PRODID:x", "LANG:de",
                "X-FOO:bar", "TZ:+01:00",
            ])
        let lost = notes(context, "no-column")
        #expect(lost["uid"] == "u1")
        #expect(lost["revision"] == "2020-01-01T00:00:00Z")
        #expect(lost["productID"] == "x")
        #expect(lost["languages"] == "de")
        #expect(lost["X-FOO"] == "bar")
        #expect(lost["timeZones"] == "+01:00")
    }

    @Test func namesOfLostLinesAreBounded() throws {
        let context = ExchangeContext()
        _ = try cells(
            "google", "3.0", context, ["N:B;A;;;", "FN:A B"] + (0..<500).map { "X-F\($0):v" })
        #expect(context.report.items.count <= 101)
        #expect(context.report.items.map(\.count).reduce(0, +) == 500)
    }

    @Test func phonesStandUnderTheirKind() throws {
        let context = ExchangeContext()
        let cells = try cells(
            "outlook", "3.0", context,
            [
                "N:B;A;;;", "FN:A B", "item1.TEL;TYPE=PREF:+1", "item1.X-ABLabel:Satellite",
                "TEL;TYPE=IPHONE:+3", "TEL;TYPE=WORK:+6", "TEL;TYPE=WORK:+7", "TEL;TYPE=WORK:+8",
                "TEL;TYPE=HOME,FAX:+9", "item2.ADR:;;3 Main;Town;ST;1;L", "item2.X-ABLabel:Cabin",
                "EMAIL;TYPE=HOME:a@b",
            ])
        #expect(cells["Primary Phone"] == "+1")
        #expect(cells["Mobile Phone"] == "+3")
        #expect(cells["Business Phone"] == "+6")
        #expect(cells["Business Phone 2"] == "+7")
        #expect(cells["Other Phone"] == "+8")
        #expect(cells["Home Fax"] == "+9")
        #expect(cells["Other Street"] == "3 Main")
        let labels = notes(context, "label-dropped")
        #expect(labels["phones"] == "Satellite: +1")
        #expect(labels["addresses"]?.hasPrefix("Cabin: ") == true)
        let kinds = notes(context, "kind-changed")
        #expect(kinds["emails"] == "a@b (home)")
        #expect(kinds["phones"] == "+3 (cell iphone)")
    }

    @Test func googleKeepsKindsAndLabels() throws {
        let context = ExchangeContext()
        let cells = try cells(
            "google", "3.0", context,
            [
                "N:B;A;;;", "FN:A B", "TEL;TYPE=CELL,IPHONE,VOICE:+1", "TEL;TYPE=WORK,FAX:+2",
                "item1.TEL;TYPE=PREF:+3", "item1.X-ABLabel:Boat", "EMAIL;TYPE=INTERNET,HOME:a@b",
            ])
        #expect(cells["Phone 1 - Label"] == "iPhone")
        #expect(cells["Phone 2 - Label"] == "Work Fax")
        #expect(cells["Phone 3 - Label"] == "* Boat")
        #expect(context.report.items.isEmpty, "\(context.report.items)")
    }

    @Test func anUntypedNumberInThunderbirdIsNoted() throws {
        let context = ExchangeContext()
        let cells = try cells("thunderbird", "3.0", context, ["N:B;A;;;", "FN:A B", "TEL:+1"])
        #expect(cells["Work Phone"] == "+1")
        #expect(notes(context, "kind-changed")["phones"] == "+1")
    }

    @Test(arguments: [
        ("google", "Custom Field 1 - Value", "joe"), ("outlook", "User 1", "Skype:joe"),
        ("thunderbird", "Custom 1", "Skype:joe"), ("google-old", "IM 1 - Value", "joe"),
    ])
    func messengersGoWhereThereIsRoom(_ profile: String, _ column: String, _ value: String) throws {
        let context = ExchangeContext()
        let cells = try cells(
            profile, "3.0", context,
            ["N:B;A;;;", "FN:A B", "IMPP;X-SERVICE-TYPE=Skype:skype:joe"])
        #expect(cells[column] == value)
        let isNoted = notes(context, "service-as-custom")["services"] == "Skype: joe"
        #expect(isNoted == (profile != "google-old"))
    }

    @Test func columnsOfOnesOwnHaveNamesInOtherLanguages() throws {
        let context = ExchangeContext()
        let cells = try cells(
            "thunderbird", "3.0", context,
            [
                "N:B;A;;;", "FN:A B", "X-CSV-FIELD;LABEL=Benutzerdef. 2:two",
                "X-CSV-FIELD;LABEL=Custom 1:one", "X-CSV-FIELD;LABEL=Other 3:three",
            ])
        #expect(cells["Custom 1"] == "one")
        #expect(cells["Custom 2"] == "two")
        // A label of no column stands before the value.
        #expect(cells["Custom 3"] == "Other 3: three")
        #expect(notes(context, "custom-renamed")["extras"] == "Benutzerdef. 2: two")
    }

    @Test func aMessengerIsCalledAsItsParameterSays() throws {
        let cells = try cells(
            "google-old", "3.0", ExchangeContext(),
            ["N:B;A;;;", "FN:A B", "X-SKYPE;X-SERVICE-TYPE=Skype:joe"])
        #expect(cells["IM 1 - Service"] == "Skype")
        #expect(cells["IM 1 - Value"] == "joe")
    }

    @Test func oneAccountSaidTwiceIsOne() throws {
        let cells = try cells(
            "google-old", "3.0", ExchangeContext(),
            ["N:B;A;;;", "FN:A B", "X-ICQ:123", "IMPP;X-SERVICE-TYPE=ICQ:aim:123"])
        #expect(cells["IM 1 - Value"] == "123")
        #expect(cells["IM 2 - Value"] ?? "" == "")
    }

    @Test func whatAndroidSaysHasColumns() throws {
        let kind = "X-ANDROID-CUSTOM:vnd.android.cursor.item/"
        let cells = try cells(
            "google", "2.1", ExchangeContext(),
            [
                "N:B;A", "FN:A B", kind + "nickname;Nick;1;;;;", kind + "relation;Ann;14;;;;",
                kind + "contact_event;2020-05-06;1;;;;", kind + "contact_event;1990-01-02;3;;;;",
                "X-GROUP-MEMBERSHIP:Family", "X-SAMSUNGADR;HOME:;;Way 1;Town;;1;DE",
            ])
        #expect(cells["Nickname"] == "Nick")
        #expect(cells["Relation 1 - Label"] == "Spouse")
        #expect(cells["Relation 1 - Value"] == "Ann")
        #expect(cells["Event 1 - Label"] == "Anniversary")
        #expect(cells["Event 1 - Value"] == "2020-05-06")
        #expect(cells["Birthday"] == "1990-01-02")
        #expect(cells["Labels"] == "Family")
        #expect(cells["Address 1 - Street"] == "Way 1")
    }

    @Test func thePreferredComesFirst() throws {
        let cells = try cells(
            "thunderbird", "4.0", ExchangeContext(),
            ["FN:A B", "N:B;A;;;", "EMAIL;PREF=2:b@x.example", "EMAIL;PREF=1:a@x.example"])
        #expect(cells["Primary Email"] == "a@x.example")
        #expect(cells["Secondary Email"] == "b@x.example")
    }

    @Test func outlookHasNoDatesWithoutAYear() throws {
        let context = ExchangeContext()
        let cells = try cells(
            "outlook", "4.0", context, ["FN:A B", "N:B;A;;;", "BDAY:1980", "ANNIVERSARY:--0506"])
        #expect(cells["Birthday"] ?? "" == "" && cells["Anniversary"] ?? "" == "")
        #expect(context.report.items.first { $0.code == "bday-no-year" }?.count == 2)
    }

    @Test func aPhoneticSoundIsAName() throws {
        let context = ExchangeContext()
        let cells = try cells(
            "google", "3.0", context, ["N:B;A;;;", "FN:A B", "SOUND;TYPE=X-IRMC-N:ya;ta;;;"])
        #expect(cells["Phonetic Last Name"] == "ya")
        #expect(cells["Phonetic First Name"] == "ta")
        #expect(context.report.items.isEmpty, "\(context.report.items)")
    }

    @Test func labelsThatNameKindsAreKinds() throws {
        let context = ExchangeContext()
        let lines = ["HomeFAX", "WorkFAX", "Mobile", "Pager", "Work"].enumerated().flatMap {
            ["i\($0).TEL:\($0)", "i\($0).X-ABLabel:_$!<\($1)>!$_"]
        }
        let cells = try cells("outlook", "3.0", context, ["N:B;A;;;", "FN:A B"] + lines)
        let names = ["Home Fax", "Business Fax", "Mobile Phone", "Pager", "Business Phone"]
        for (i, name) in names.enumerated() { #expect(cells[name] == String(i), "\(name)") }
        #expect(context.report.items.isEmpty, "\(context.report.items)")
    }

    @Test func typesOfOtherRelationsTakeNoColumn() throws {
        let context = ExchangeContext()
        let cells = try cells(
            "outlook", "4.0", context, ["FN:A", "RELATED;TYPE=friend;VALUE=text:Fred"])
        #expect(!cells.values.contains("Fred"))
        #expect(notes(context, "no-column")["relations"] == "Friend: Fred")
    }

    @Test func partsOfAddressesWithoutAColumnAreNamed() throws {
        let context = ExchangeContext()
        _ = try cells(
            "outlook", "4.0", context,
            ["FN:A", "ADR;TYPE=home:;Rear;S;T;;;;Room 5", "TEL;VALUE=uri:tel:+1;ext=5"])
        let lost = context.report.items.filter { $0.code == "no-column" }
        #expect(lost.map(\.property) == ["addresses"])
        #expect(lost.map(\.count) == [2])
    }

    @Test func datesWithoutAYearHaveNone() throws {
        let cells = try cells(
            "google", "3.0", ExchangeContext(),
            [
                "N:B;A;;;", "FN:A B", "item1.X-ABDATE;X-APPLE-OMIT-YEAR=1604:1604-05-06",
                "item1.X-ABLabel:_$!<Anniversary>!$_",
            ])
        #expect(cells["Event 1 - Value"] == "--05-06")
        #expect(cells["Event 1 - Label"] == "Anniversary")
    }

    @Test func labelsOf3AreFormattedAddresses() throws {
        let lines = [
            "N:B;A;;;", "FN:A B", "ADR;TYPE=HOME:;;S 1;Town;;;", "LABEL;TYPE=HOME:Care of C\\nTown",
        ]
        let google = try cells("google", "3.0", ExchangeContext(), lines)
        #expect(google["Address 1 - Formatted"] == "Care of C\nTown")
        let context = ExchangeContext()
        _ = try cells("outlook", "3.0", context, lines)
        #expect(notes(context, "no-column")["addresses"] == "Care of C\nTown")
    }
}
