// Tables that people and programs of other languages make: everyday words for columns, and the many
// forms of dates.

import Testing

@testable import Formats

@Suite("Everyday tables") struct EverydayTableTests {
    /// Headers of everyday words, with the values of one row, and what the contact has.
    @Test(arguments: [
        (
            "Vorname;Nachname;Handy;Strasse;PLZ;Ort;E-Mail;Geb.datum;Firma;Bemerkung",
            "Jörg;Müller;0171;Weg 1;01234;Köln;j@x.test;3.4.1970;ACME;n"
        ),
        (
            "Vollständiger Name;Mobil;E-Mail (privat);Straße;PLZ;Ort;Geburtstag;Unternehmen;Notiz",
            "Jörg Müller;0171;j@x.test;Weg 1;01234;Köln;03.04.1970;ACME;n"
        ),
        (
            "Nom,Prénom,Portable,Email,Adresse,Code postal,Ville,Date de naissance,Société,Remarques",
            "Müller,Jörg,0171,j@x.test,Weg 1,01234,Köln,03/04/1970,ACME,n"
        ),
        (
            "Name,Mobile,Email,Address,City,Zip,Birthday,Company,Notes",
            "Jörg Müller,0171,j@x.test,Weg 1,Köln,01234,1970-04-03,ACME,n"
        ),
    ])
    func everydayWordsAreKnown(_ header: String, _ row: String) throws {
        let context = ExchangeContext()
        let one = try #require(bookContacts(header + "\n" + row + "\n", context).first)
        #expect(items(one, "phones") == ["0171 [cell]"])
        #expect(component(one, "emails", "value") == "j@x.test")
        let addresses = one["addresses"] as? [[String: Any]] ?? []
        #expect(addresses.count == 1)
        for (property, value) in [
            ("street", "Weg 1"), ("postalCode", "01234"), ("locality", "Köln"),
        ] { #expect(component(one, "addresses", property) == value, "\(property)") }
        #expect(component(one, "dates", "year") == "1970")
        #expect(component(one, "dates", "day") == "3")
        #expect(component(one, "organizations", "name") == "ACME")
        #expect(items(one, "notes") == ["n"])
        #expect(!context.report.items.contains { $0.code == "unknown-column" })
    }

    @Test func everydayWordsAloneTellPeople() {
        for header in [
            ["Name", "Telefon", "Mobil", "E-Mail", "Adresse", "Geburtsdatum"],
            ["Name", "Phone", "Email", "Address", "City", "State", "Zip", "Country"],
            ["姓", "名", "電話番号", "携帯電話", "メールアドレス", "住所", "会社名"],
        ] { #expect(AddressBook(header, isAsked: false) != nil, "\(header)") }
        for header in [
            ["id", "name", "phone", "email", "city"], ["name", "phone", "email", "city"],
            ["Name", "Phone"], ["Street", "City", "Zip", "Country"],
            ["title", "due", "status", "notes", "categories", "priority"],
            ["Name", "Notes", "Priority"], ["Name", "Email", "Price", "Amount", "Order"],
            ["Id", "Name", "Phone", "Email", "City"],
        ] { #expect(AddressBook(header, isAsked: false) == nil, "\(header)") }
    }

    @Test func aTownBesideAStreetIsNoCustomField() throws {
        let near = try #require(
            AddressBook(["Vorname", "Nachname", "Straße", "PLZ", "Ort"], isAsked: false))
        #expect(near.meanings[4]?.part == .city)
        let alone = try #require(
            AddressBook(["Vorname", "Nachname", "Ort geschäftlich", "Ort"], isAsked: false))
        #expect(alone.meanings[3]?.field == .custom)
    }

    @Test func aNameBesideAGivenNameIsTheFamily() throws {
        let one = try #require(
            bookContacts("Name;Vorname;Telefon;Ort\nMüller;Jörg;1;Köln\n").first)
        #expect(component(one, "names", "family") == "Müller")
        #expect(component(one, "names", "given") == "Jörg")
    }

    @Test(arguments: [
        "名字,姓氏,電子郵件地址,行動電話,商務 - 街,商務 - 市/鎮,商務 - 郵遞區號,商務 - 縣市,住家 - 縣/市,助理電話,主管名稱,配偶,網頁",
        "姓,名,顯示名稱,暱稱,主要 Email,次要 Email,手機號碼,住家住址,居住市鎮,住址郵遞區號,生日 (年),生日 (月),生日 (日),網頁 1",
        "Title,First name,Last name,Job title,Company,General mobile,General phone,General e-mail,"
            + "General P.O.Box,General street,General postal/ZIP code,General state/province,"
            + "Home mobile,Home e-mail,Business mobile,Business e-mail",
        "First,Last,Email,Messenger ID,Home,Mobile,Distribution Lists,Messenger ID1,Messenger ID2,"
            + "Skype ID",
    ])
    func columnsOfMoreProgramsAreKnown(_ header: String) throws {
        let names = header.split(separator: ",").map(String.init)
        let book = try #require(AddressBook(names, isAsked: false))
        #expect(book.unknown.isEmpty, "\(book.unknown.sorted().map { names[$0] })")
    }

    @Test func accountsOfColumnsAreURIs() throws {
        let one = try #require(
            bookContacts("First,Last,Email,Messenger ID2,Skype ID\nA,B,a@x.test,m2,sky\n").first)
        #expect(items(one, "services", "uri") == ["ymsgr:m2", "skype:sky"])
        #expect(items(one, "services", "user") == ["m2", "sky"])
    }

    @Test func aLabelForEachValueOfACell() throws {
        let one = try #require(
            bookContacts(
                """
                Name,Given Name,Phone 1 - Type,Phone 1 - Value,Custom Field 1 - Type,Custom Field 1 - Value
                A,A,Home ::: * Work,1 ::: 2,Foo ::: Bar,v1 ::: v2
                """
            ).first)
        #expect(items(one, "phones") == ["1 [home]", "2 [work] *"])
        let kept = (one["extras"] as? [[String: Any]] ?? []).compactMap {
            $0["parameters"] as? [String]
        }
        #expect(kept.contains(["LABEL=Foo"]))
        #expect(kept.contains(["LABEL=Bar"]))
    }

    // MARK: Dates

    /// The first date of a contact as `year-month-dayTtime`, with nothing for what is not known.
    private func days(_ contact: [String: Any]) -> String {
        if contact["dates"] == nil { return "" }
        let parts = ["year", "month", "day"].map { component(contact, "dates", $0) }
        let time = component(contact, "dates", "time")
        return parts.joined(separator: "-") + (time.isEmpty ? "" : "T" + time)
    }

    @Test(arguments: [
        ("--0102", "-1-2"), ("--01-02", "-1-2"), ("19800102T000000", "1980-1-2"),
        ("1980-01-02T00:00:00Z", "1980-1-2"),
        ("1980-01-02T23:00:00+02:00", "1980-1-2T23:00:00+02:00"),
        ("1/2/1980 12:00:00 AM", "1980-1-2"), ("1/2/1980 3:05 PM", "1980-1-2T15:05:00"),
        ("02-Jan-80", "1980-1-2"), ("2. 1. 1980", "1980-1-2"), ("2. Januar 1980", "1980-1-2"),
        ("2 janvier 1980", "1980-1-2"), ("2 de enero de 1980", "1980-1-2"),
        ("\"Wednesday, January 2, 1980\"", "1980-1-2"), ("1980年1月2日", "1980-1-2"),
        ("１９８０年１月２日", "1980-1-2"), ("1980", "1980--"), ("0/0/00", ""),
    ])
    func birthdaysOfManyForms(_ cell: String, _ date: String) throws {
        let context = ExchangeContext()
        let one = try #require(
            bookContacts("First Name,Last Name,Birthday\nA,B,\(cell)\n", context).first)
        #expect(days(one) == date)
        #expect(component(one, "dates", "text") == "")
        #expect(!context.report.items.contains { $0.code == "date-as-text" })
    }

    @Test(arguments: ["0102", "-1980", "--13-02", "1980-01-02T25:00:00", "1-2", "Monday"])
    func whatIsNoBirthdayStaysText(_ cell: String) throws {
        let one = try #require(
            bookContacts("First Name,Last Name,Birthday\nA,B,\(cell)\n").first)
        #expect(component(one, "dates", "text") == cell)
    }

    @Test(arguments: [
        ("1970,11,15", "1970-11-15", ""), ("1970,,", "1970--", ""), ("1970,11,", "1970-11-", ""),
        (",11,15", "-11-15", ""), ("1970,Nov,15", "1970-11-15", ""), ("0,0,0", "", ""),
        ("1970,x,15", "--", "1970 x 15"), ("1970,,15", "--", "1970 15"),
        ("1970,2,30", "--", "1970 2 30"),
    ])
    func partsOfBirthdaysAreNotDropped(_ cells: String, _ date: String, _ text: String) throws {
        let one = try #require(
            bookContacts(
                "First Name,Last Name,Display Name,Birth Year,Birth Month,Birth Day\nA,B,C,\(cells)\n"
            ).first)
        #expect(days(one) == date)
        #expect(component(one, "dates", "text") == text)
    }

    @Test func aTimeBehindADateTellsItsOrder() throws {
        let all = try bookContacts(
            "First Name,Last Name,Birthday\nA,B,1/2/1980 12:00:00 AM\nC,D,25/12/1980 12:00:00 AM\n")
        #expect(all.map { component($0, "dates", "day") } == ["1", "25"])
    }
}
