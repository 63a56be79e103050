// Address books of the programs people come from, read as contacts and written back.

import Testing

@testable import Formats

/// The contacts of an address book.
func bookContacts(
    _ text: String, _ context: ExchangeContext = ExchangeContext(), isAsked: Bool = false
) throws -> [[String: Any]] {
    try bookContacts(input(text), context, isAsked: isAsked)
}

func bookContacts(
    _ input: InputBytes, _ context: ExchangeContext = ExchangeContext(), isAsked: Bool = false
) throws -> [[String: Any]] {
    let document = try CSVDocument(
        input, knownHeaders: AddressBook.knownHeaders, context: context)
    let book = try #require(AddressBook(document.names, isAsked: isAsked))
    let reader = AddressBookReader(document: document, book: book)
    let batch = RecordBatch(schema: reader.schema)
    var result: [[String: Any]] = []
    while try reader.next(into: batch) { result += Plain.rows(batch) }
    return result
}

/// A list of a contact, each item as its main text with its types and label.
func items(_ contact: [String: Any], _ list: String, _ property: String = "value") -> [String] {
    (contact[list] as? [[String: Any]] ?? []).map { item in
        var text = item[property] as? String ?? ""
        if let types = item["types"] as? [String] { text += " [\(types.joined(separator: ","))]" }
        if let label = item["label"] as? String { text += " (\(label))" }
        if item["preference"] as? Int == 1 { text += " *" }
        return text
    }
}

/// A component of the first item of a list.
func component(_ contact: [String: Any], _ list: String, _ property: String) -> String {
    let first = (contact[list] as? [[String: Any]])?.first
    if let many = first?[property] as? [String] { return many.joined(separator: "|") }
    if let number = first?[property] as? Int { return String(number) }
    return first?[property] as? String ?? ""
}

@Suite struct AddressBookTests {
    @Test func googleRowsBecomeContacts() throws {
        let text = """
            First Name,Last Name,Organization Name,Organization Title,Organization Department,\
            Birthday,Notes,Labels,E-mail 1 - Label,E-mail 1 - Value,E-mail 2 - Label,E-mail 2 - Value,\
            Phone 1 - Label,Phone 1 - Value,Phone 2 - Label,Phone 2 - Value,Address 1 - Label,\
            Address 1 - Formatted,Address 1 - Street,Address 1 - City,Address 1 - Region,\
            Address 1 - Postal Code,Website 1 - Label,Website 1 - Value,Custom Field 1 - Label,\
            Custom Field 1 - Value,Event 1 - Label,Event 1 - Value,Relation 1 - Label,Relation 1 - Value
            Ann,"Lee, Jr",Acme,Boss,Sales, --12-24,"two
            lines",* myContacts ::: Friends,* Home, a@x.example ::: b@x.example ,Secret,c@x.example,\
            Work Fax,+1 555,Mobile,123,Home,"1 High St
            Town, ST 99",1 High St,Town,ST,99,Profile,https://x.example,Shoe size,42,\
            Anniversary,2001-02-03,Spouse,Bob
            """
        let context = ExchangeContext()
        let all = try bookContacts(text, context)
        let ann = try #require(all.first)
        #expect(all.count == 1)
        #expect(component(ann, "names", "family") == "Lee, Jr")
        #expect(component(ann, "names", "given") == "Ann")
        #expect(
            items(ann, "emails") == [
                "a@x.example [home] *", "b@x.example [home]", "c@x.example (Secret)",
            ])
        #expect(items(ann, "phones") == ["+1 555 [work,fax]", "123 [cell]"])
        #expect(component(ann, "organizations", "name") == "Acme")
        #expect(component(ann, "organizations", "units") == "Sales")
        #expect(items(ann, "titles") == ["Boss"])
        #expect(items(ann, "notes") == ["two\nlines"])
        #expect(items(ann, "categories") == ["myContacts", "Friends"])
        #expect(component(ann, "addresses", "street") == "1 High St")
        #expect(component(ann, "addresses", "formatted") == "")
        #expect(items(ann, "urls") == ["https://x.example (Profile)"])
        #expect(items(ann, "relations") == ["Bob [spouse]"])
        #expect(items(ann, "dates", "kind") == ["birthday", "anniversary"])
        #expect(component(ann, "dates", "month") == "12")
        #expect(component(ann, "dates", "year") == "")
        let kept = items(ann, "extras", "value")
        #expect(kept.contains("42"))
        #expect(context.report.read == 1)
    }

    @Test func theTypeIsReadRowByRow() throws {
        let text = """
            Name,Phone 1 - Type,Phone 1 - Value
            A,Home,1
            B,Mobile,2
            C,,3
            """
        let all = try bookContacts(text)
        #expect(all.map { items($0, "phones") } == [["1 [home]"], ["2 [cell]"], ["3"]])
    }

    @Test func outlookColumnsHaveTheirTypes() throws {
        let text = """
            Title,First Name,Last Name,Company,Business Street,Business City,Business Postal Code,\
            Home Phone,Home Phone 2,Mobile Phone,Business Fax,Assistant's Phone,E-mail Address,\
            E-mail Type,E-mail 2 Address,Birthday,Anniversary,Categories,Hobby,Gender
            Dr,Jo,Doe,Acme,"1 Main
            St",Town,01234,001,002,+15550119,004,005,a@x.example,SMTP,b@x.example,3/22/1980,0/0/00,\
            Red;Blue,Golf,Unspecified
            """
        let context = ExchangeContext()
        let jo = try #require(bookContacts(text, context).first)
        #expect(component(jo, "names", "prefixes") == "Dr")
        #expect(
            items(jo, "phones") == [
                "001 [home]", "002 [home]", "+15550119 [cell]", "004 [work,fax]",
                "005 (Assistant)",
            ])
        #expect(items(jo, "emails") == ["a@x.example", "b@x.example"])
        #expect(component(jo, "addresses", "postalCode") == "01234")
        #expect(component(jo, "addresses", "street") == "1 Main\nSt")
        #expect(component(jo, "dates", "month") == "3")
        #expect(items(jo, "dates", "kind") == ["birthday"])
        #expect(items(jo, "categories") == ["Red", "Blue"])
        #expect(items(jo, "extras", "name") == ["X-ABLabel", "X-CSV-FIELD"])
        #expect(items(jo, "extras", "value") == ["Assistant", "Golf"])
        #expect(jo["gender"] == nil)
    }

    @Test(arguments: [
        (
            "Vorname,Nachname,Firma,Straße geschäftlich,Ort geschäftlich,Land geschäftlich,Postleitzahl geschäftlich,Region geschäftlich,Mobiltelefon,E-Mail-Adresse,E-Mail 2: Adresse,Geburtstag",
            "outlook de"
        ),
        (
            "Vorname;Nachname;Firma;Straße geschäftlich;Ort geschäftlich;Region geschäftlich;Postleitzahl geschäftlich;Land/Region geschäftlich;Mobiltelefon;E-Mail-Adresse;E-Mail 2: Adresse;Geburtstag",
            "outlook de"
        ),
        (
            "Prénom,Nom,Société,Rue (bureau),Ville (bureau),Dép/Région (bureau),Code postal (bureau),Pays/Région (bureau),Tél. mobile,Adresse de messagerie,Adresse de messagerie 2,Anniversaire",
            "outlook fr"
        ),
        (
            "Nombre,Apellidos,Organización,Calle de trabajo,Ciudad de trabajo,Provincia o estado de trabajo,Código postal del trabajo,País o región del trabajo,Teléfono móvil,Dirección de correo electrónico,Dirección de correo electrónico 2,Cumpleaños",
            "outlook es"
        ),
        (
            "Nome,Cognome,Società,Indirizzo di lavoro,Città di lavoro,Provincia di lavoro,CAP di Lavoro,Nazione/Regione di lavoro,Telefono Mobile,Indirizzo E-mail,Indirizzo E-mail 2,Compleanno",
            "outlook it"
        ),
        (
            "Primeiro nome,Último nome,Empresa,Rua comercial,Cidade comercial,Estado comercial,Código postal comercial,Região/País comercial,Celular,Endereço de E-mail,Endereço de E-mail 2,Aniversário",
            "outlook pt"
        ),
        (
            "Imię,Nazwisko,Firma,Ulica (biuro),Miasto (biuro),Województwo (biuro),Kod pocztowy (biuro),Kraj/region (biuro),Telefon komórkowy,Adres e-mail,Adres e-mail 2,Urodziny",
            "outlook pl"
        ),
        (
            "FIRST NAME,last_name,Company,Business Street,Business City,Business State,Business Postal Code,Business Country/Region,Mobile Phone,E-mail Address,E-mail 2 Address,Birthday",
            "outlook en"
        ),
    ])
    func headersOfManyLanguages(_ header: String, _ origin: String) throws {
        let delimiter: Character = header.contains(";") ? ";" : ","
        let names = header.split(separator: delimiter).map(String.init)
        let book = try #require(AddressBook(names, isAsked: false))
        #expect(book.origin == origin)
        let row = "An,Le,Co,St,Ci,Re,Zi,Ct,12345,a@x.example,b@x.example,22.03.1980"
        let text = header + "\n" + row.replacing(",", with: String(delimiter)) + "\n"
        let an = try #require(bookContacts(text).first)
        #expect(component(an, "names", "given") == "An")
        #expect(component(an, "names", "family") == "Le")
        #expect(component(an, "organizations", "name") == "Co")
        for (property, value) in [
            ("street", "St"), ("locality", "Ci"), ("region", "Re"), ("postalCode", "Zi"),
            ("country", "Ct"),
        ] { #expect(component(an, "addresses", property) == value, "\(property)") }
        #expect(component(an, "addresses", "types") == "work")
        #expect(items(an, "phones") == ["12345 [cell]"])
        #expect(items(an, "emails") == ["a@x.example", "b@x.example"])
        #expect(component(an, "dates", "day") == "22")
        #expect(items(an, "extras", "value").isEmpty)
    }

    @Test func theBrazilianWordForBothIsToldByPlace() throws {
        let text =
            "Nome,Sobrenome,Aniversário,Notas,Aniversário,Celular\nA,B,1/2/2001,,3/4/1990,9\n"
        let a = try #require(bookContacts(text).first)
        let years = (a["dates"] as? [[String: Any]])?.map {
            "\($0["kind"] ?? "") \($0["year"] ?? "")"
        }
        #expect(years == ["birthday 1990", "anniversary 2001"])
    }

    @Test func thunderbirdInThreeLanguages() throws {
        for (header, origin) in [
            (
                "First Name,Last Name,Display Name,Nickname,Primary Email,Mobile Number,Home ZipCode,Birth Year,Birth Month,Birth Day",
                "thunderbird en"
            ),
            (
                "Vorname,Nachname,Anzeigename,Spitzname,Primäre E-Mail-Adresse,Mobil-Tel.-Nr.,Privat: PLZ,Geburtsjahr,Geburtsmonat,Geburtstag",
                "thunderbird de"
            ),
            (
                "Имя,Фамилия,Отображаемое имя,Псевдоним,Основной адрес эл. почты,Номер сотового телефона,Домашний почтовый индекс,Год рождения,Месяц рождения,День рождения",
                "thunderbird ru"
            ),
        ] {
            let book = try #require(
                AddressBook(header.split(separator: ",").map(String.init), isAsked: false))
            #expect(book.origin == origin)
            let a = try #require(
                bookContacts(header + "\nA,B,A B,Ab,a@x.example,1,99,1970,11,15\n").first)
            #expect(a["formattedName"] as? String == "A B")
            #expect(items(a, "nicknames") == ["Ab"])
            #expect(items(a, "phones") == ["1 [cell]"])
            #expect(component(a, "addresses", "postalCode") == "99")
            #expect(component(a, "dates", "year") == "1970")
            #expect(component(a, "dates", "day") == "15")
        }
    }

    @Test func dayAndMonthAreDecidedByTheColumn() throws {
        func birthdays(_ dates: [String], _ options: ExchangeOptions = ExchangeOptions()) throws
            -> (days: [String], codes: [String])
        {
            let context = ExchangeContext(options: options)
            let text =
                "First Name,Last Name,E-mail Address,Birthday\n"
                + dates.map { "A,B,a@x.example,\($0)\n" }.joined()
            let days = try bookContacts(text, context).map {
                "\(component($0, "dates", "month"))/\(component($0, "dates", "day"))"
            }
            return (days, context.report.items.map(\.code))
        }
        #expect(try birthdays(["1/2/1980", "25/12/1980"]).days == ["2/1", "12/25"])
        #expect(try birthdays(["1/2/1980", "12/25/1980"]).days == ["1/2", "12/25"])
        let guessed = try birthdays(["1/2/1980"])
        #expect(guessed.days == ["1/2"])
        #expect(guessed.codes == ["date-order"])
        var options = ExchangeOptions()
        options.extra["date-order"] = "dmy"
        #expect(try birthdays(["1/2/1980"], options).days == ["2/1"])
        #expect(
            try birthdays(["1980-03-22", "22.03.1980", "--03-22", "19800322"]).days == [
                "3/22", "3/22", "3/22", "3/22",
            ])
        #expect(try birthdays(["soon"]).codes == ["date-as-text"])
        #expect(try birthdays(["0/0/00", "31.02.1980"]).codes == ["date-as-text"])
    }

    @Test func roundedNumbersAreShouted() throws {
        let context = ExchangeContext()
        let text = "First Name,Last Name,Mobile Phone\nA,B,4.91512E+11\n"
        let a = try #require(bookContacts(text, context).first)
        #expect(items(a, "phones") == ["4.91512E+11 [cell]"])
        #expect(context.report.items.map(\.code) == ["rounded-number"])
    }

    @Test func plainTablesAreNoAddressBooks() {
        for header in [
            ["name", "phone", "isBuddy"], ["name", "age"], ["id", "title", "notes", "due"],
            ["first", "last", "address", "city", "zip"], ["a", "b"], ["Title", "Artist", "Year"],
        ] { #expect(AddressBook(header, isAsked: false) == nil, "\(header)") }
        #expect(AddressBook(["name", "phone", "isBuddy"], isAsked: true) != nil)
    }

    @Test(arguments: [
        ("roundcube-gmail.csv", 1), ("roundcube-outlook.csv", 1), ("roundcube-tb_plain.csv", 1),
        ("roundcube-email.csv", 4), ("thunderbird-basic_addressbook.csv", 1),
        ("thunderbird-export.csv", 2), ("thunderbird-export.tab.txt", 2),
        ("thunderbird-quote.csv", 1), ("thunderbird-utf16_addressbook.csv", 1),
    ])
    func corpusBooksKeepEveryCell(_ file: String, _ count: Int) throws {
        guard let path = sharedPath("corpus/interchange/csv/\(file)") else { return }
        let bytes = try InputBytes.open(path)
        let all = try bookContacts(bytes)
        #expect(all.count == count)
        // Every word of every cell stands somewhere in the contact.
        let document = try CSVDocument(
            bytes, knownHeaders: AddressBook.knownHeaders, context: ExchangeContext())
        let cells = try rows(CSVRows(document: document))
        for (row, contact) in zip(cells, all) {
            let told = "\(contact)".lowercased().replacing("\\'", with: "'")
            for case .string(let cell) in row {
                for word in cell.lowercased().split(whereSeparator: {
                    " *:\n\r\t,\"\\".contains($0)
                }) {
                    #expect(
                        told.contains(word.replacing("\u{2026}", with: ""))
                            || told.unicodeScalars.count == 0 || isTold(word, told),
                        "\(file): \(word)")
                }
            }
        }
    }

    /// Words that became types, numbers or escapes.
    private func isTold(_ word: Substring, _ told: String) -> Bool {
        let words: Set<Substring> = ["main", "mobile", "profile", "page", "1975-12-12"]
        return words.contains(word) || Int(word) != nil
            || word.unicodeScalars.contains { $0.value > 127 }
    }

    // MARK: Writing

    private func written(
        _ book: String, profile: String, _ context: ExchangeContext = ExchangeContext()
    )
        throws -> String
    {
        let document = try CSVDocument(
            input(book), knownHeaders: AddressBook.knownHeaders, context: ExchangeContext())
        let reader = AddressBookReader(
            document: document, book: try #require(AddressBook(document.names, isAsked: true)))
        let path = "/tmp/rtool-csv-test-\(System.processID)-\(UInt64.random(in: 0...UInt64.max))"
        defer { System.remove(path) }
        let writer = try AddressBookWriter(
            sink: OutputFile.create(path, force: false), profile: AddressBookProfile(profile),
            context: context)
        let batch = RecordBatch(schema: reader.schema)
        while try reader.next(into: batch) { try writer.write(batch) }
        try writer.finish()
        let file = try InputBytes.open(path)
        return withExtendedLifetime(file) { String(decoding: file.bytes, as: UTF8.self) }
    }

    /// A header and a row as a dictionary, empty cells left out.
    private func cells(_ csv: String) throws -> [String: String] {
        let reader = try CSVRows(input: input(csv), context: ExchangeContext())
        let names = reader.schema.classes[0].properties.map(\.name)
        var result: [String: String] = [:]
        for (name, value) in zip(names, try #require(rows(reader).first)) {
            if case .string(let text) = value { result[name] = text }
        }
        return result
    }

    static let full = """
        Name Prefix,First Name,Middle Name,Last Name,Nickname,Organization Name,Organization Title,\
        Birthday,Notes,Labels,E-mail 1 - Label,E-mail 1 - Value,E-mail 2 - Label,E-mail 2 - Value,\
        Phone 1 - Label,Phone 1 - Value,Phone 2 - Label,Phone 2 - Value,Phone 3 - Label,Phone 3 - Value,\
        Phone 4 - Label,Phone 4 - Value,\
        Address 1 - Label,Address 1 - Street,Address 1 - City,Address 1 - Region,Address 1 - Postal Code,\
        Address 1 - Country,Website 1 - Label,Website 1 - Value,Custom Field 1 - Label,Custom Field 1 - Value,\
        Event 1 - Label,Event 1 - Value,Relation 1 - Label,Relation 1 - Value
        Dr,Ann,Mary,Lee,Nan,Acme,Boss,1980-03-22,note,* myContacts ::: Pals,Work,a@x.example,Home,b@x.example,\
        Mobile,+46 804,Home,111,Work,222,Work Fax,333,Home,1 High St,Town,ST,099,US,Home,https://x.example,Hobby,Golf,\
        Anniversary,2001-02-03,Spouse,Bob

        """

    @Test(arguments: ["google", "google-old", "outlook", "thunderbird"])
    func profilesReadBackAlike(_ profile: String) throws {
        let context = ExchangeContext()
        let csv = try written(Self.full, profile: profile, context)
        let before = try #require(bookContacts(Self.full).first)
        let after = try #require(bookContacts(csv).first)
        for (list, property) in [
            ("names", "family"), ("names", "given"), ("organizations", "name"),
            ("addresses", "street"), ("addresses", "locality"), ("addresses", "postalCode"),
            ("addresses", "country"), ("dates", "year"), ("dates", "month"), ("dates", "day"),
        ] {
            #expect(
                component(after, list, property) == component(before, list, property),
                "\(profile): \(list).\(property)")
        }
        #expect(items(after, "notes") == items(before, "notes"))
        #expect(
            Set(items(after, "phones").map { $0.prefix { $0 != " " } })
                == Set(items(before, "phones").map { $0.prefix { $0 != " " } }))
        if profile.hasPrefix("google") {
            #expect(items(after, "phones") == items(before, "phones"))
            #expect(items(after, "emails") == items(before, "emails"))
            #expect(items(after, "categories") == items(before, "categories"))
            #expect(items(after, "relations") == items(before, "relations"))
            #expect(items(after, "extras", "value").contains("Golf"))
        } else {
            // What has no column is named.
            #expect(context.report.items.contains { $0.code == "no-column" })
        }
    }

    @Test func outlookCellsStandUnderTheirNames() throws {
        let cells = try cells(written(Self.full, profile: "outlook"))
        #expect(cells["Mobile Phone"] == "+46 804")
        #expect(cells["Home Phone"] == "111")
        #expect(cells["Business Phone"] == "222")
        #expect(cells["Business Fax"] == "333")
        #expect(cells["E-mail Address"] == "a@x.example")
        #expect(cells["E-mail 2 Address"] == "b@x.example")
        #expect(cells["Birthday"] == "3/22/1980")
        #expect(cells["Anniversary"] == "2/3/2001")
        #expect(cells["Home Postal Code"] == "099")
        #expect(cells["Categories"] == "myContacts;Pals")
        #expect(cells["Job Title"] == "Boss")
        #expect(cells["Spouse"] == "Bob")
        #expect(cells["Hobby"] == "Golf")
        #expect(cells["Title"] == "Dr")
    }

    @Test func aFourthEmailIsReported() throws {
        let header = (1...4).map { "E-mail \($0) - Label,E-mail \($0) - Value" }.joined(
            separator: ",")
        let context = ExchangeContext()
        _ = try written(
            "First Name,\(header)\nA,,1@x.example,,2@x.example,,3@x.example,,4@x.example\n",
            profile: "outlook", context)
        let item = try #require(context.report.items.first { $0.code == "no-column" })
        #expect(item.property == "emails")
        #expect(item.value == "4@x.example")
    }

    @Test func unknownProfilesAreNamed() {
        #expect(throws: FormatError(.usage, "")) { try AddressBookProfile("yahooo") }
    }
}

extension AddressBookTests {
    @Test func linkedInPreamblesArePassedOver() throws {
        let text =
            "Notes:\r\n\"When exporting your data, you may notice\"\r\n\r\n"
            + "First Name,Last Name,URL,Email Address,Company,Position,Connected On\r\n"
            + "A,B,https://x.example,a@x.example,C,P,22 Mar 2020\r\n"
        for asked in [false, true] {
            let all = try bookContacts(text, isAsked: asked)
            #expect(all.count == 1)
            #expect(all.first.map { component($0, "names", "family") } == "B")
        }
        // A lone known name is still a header where there is no better one.
        #expect(sniff("Notes:\nx\ny\n", ["Notes"]).preambleRows == 0)
    }

    @Test func emptyRowsAreNoContacts() throws {
        let context = ExchangeContext()
        let all = try bookContacts(
            "First Name,Last Name,E-mail Address\nA,B,c@x.test\n,,\n  ,\t,  \n", context)
        #expect(all.count == 1)
        #expect(context.report.read == 3)
        #expect(context.report.skipped == 2)
        #expect(context.report.items.contains { $0.code == "empty-row" && $0.count == 2 })
    }

    @Test func everyColumnHasAName() throws {
        let all = try bookContacts("First Name,First Name,,E-mail Address\nA,B,C,a@x.test\n")
        let kept = (all.first?["extras"] as? [[String: Any]] ?? []).map {
            ($0["parameters"] as? [String] ?? []).joined() + ":" + ($0["value"] as? String ?? "")
        }
        #expect(kept == ["LABEL=First Name_2:B", "LABEL=column 3:C"])
    }

    @Test(arguments: [
        ("Ab Cd (a@x.test)", true), ("Cd, Ab", true), ("a@x.test", true), ("SMTP", true),
        ("Completely Other", false), ("Ab Other", false), ("Ab Cd (b@x.test)", false),
    ])
    func displayNamesAreKeptUnlessTold(_ name: String, _ isTold: Bool) throws {
        let context = ExchangeContext()
        let all = try bookContacts(
            "First Name,Last Name,E-mail Address,E-mail Display Name\nAb,Cd,a@x.test,\"\(name)\"\n",
            context)
        let kept = items(try #require(all.first), "extras")
        #expect(kept.isEmpty == isTold)
        #expect(context.report.items.contains { $0.code == "email-note-told" } == isTold)
    }

    @Test(arguments: [
        ("google", "formattedName"), ("outlook", "formattedName"), ("google-old", ""),
    ])
    func wholeNamesThatDifferAreReported(_ profile: String, _ property: String) throws {
        func losses(_ fn: String) throws -> [String] {
            let text =
                "BEGIN:VCARD\r\nVERSION:3.0\r\nN:Berg;Anna;M;Dr.;\r\nFN:\(fn)\r\nEND:VCARD\r\n"
            let context = ExchangeContext()
            let reader = VCardContactReader(input: cardInput(text), context: context)
            let batch = RecordBatch(schema: reader.schema)
            _ = try PlainCard.written { sink in
                let writer = try AddressBookWriter(
                    sink: sink, profile: AddressBookProfile(profile), context: context)
                while try reader.next(into: batch) { try writer.write(batch) }
            }
            return context.report.items.filter { $0.kind == .lost }.compactMap(\.property)
        }
        #expect(try losses("Anna Berg") == (property.isEmpty ? [] : [property]))
        #expect(try losses("Dr. Anna M Berg") == [])
    }

    @Test func commasAreNoSeparatorsBesideSemicolons() throws {
        let all = try bookContacts(
            "First Name,Last Name,Categories,E-mail Address\nA,B,\"x,y;z\",a@x.test\nC,D,\"x,y\",b@x.test\n"
        )
        #expect(all.map { items($0, "categories") } == [["x,y", "z"], ["x,y"]])
    }
}

@Suite struct AddressBookFileTests {
    /// A header of few names known as they stand is one when numbered columns are counted in.
    @Test func aHeaderOfNumberedColumnsIsNoPreamble() throws {
        let text = """
            Name,E-mail 2 - Value,Phone 3 - Value,Address 2 - Formatted,Address 3 - Formatted
            Ann Lee,a@x.test,+1 555,"1 High St
            Town","2 Low St
            Town"
            """
        let all = try bookContacts(text)
        #expect(all.count == 1)
        #expect(items(all[0], "emails") == ["a@x.test"])
        #expect((all[0]["addresses"] as? [[String: Any]])?.count == 2)
    }

    @Test func lineEndsOfAFormattedAddressStay() throws {
        let text = """
            Name,Address 1 - Label,Address 1 - Formatted,Address 1 - Street
            Ann Lee,Home,"1 High St
            Town ""A"": 7",1 High St
            """
        var options = ExchangeOptions()
        options.extra["vcard-version"] = "4.0"
        let context = ExchangeContext(options: options)
        let document = try CSVDocument(
            input(text), knownHeaders: AddressBook.knownHeaders, context: context)
        let book = try #require(AddressBook(document.names, isAsked: true))
        let reader = AddressBookReader(document: document, book: book)
        let batch = RecordBatch(schema: reader.schema)
        let out = try PlainCard.written { sink in
            let writer = try VCardContactWriter(sink: sink, context: context)
            while try reader.next(into: batch) { try writer.write(batch) }
        }
        let card = String(decoding: out, as: UTF8.self).replacing("\r\n ", with: "")
        #expect(card.contains("LABEL=\"1 High St^nTown ^'A^': 7\""))
        let again = VCardContactReader(input: cardInput(out), context: ExchangeContext())
        let back = RecordBatch(schema: again.schema)
        #expect(try again.next(into: back))
        let one = try #require(Plain.rows(back).first)
        #expect(component(one, "addresses", "formatted") == "1 High St\nTown \"A\": 7")
    }

    /// Cells that a spreadsheet would run are counted, guarded when asked, and read as they were.
    @Test(arguments: [false, true]) func formulasAreCountedOrGuarded(_ isSafe: Bool) throws {
        let note = "'=1+1"
        let card =
            "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:=cmd()\r\nN:=cmd();;;;\r\nTEL:+1 555 123\r\n"
            + "NOTE:\(note)\r\nEND:VCARD\r\n"
        var options = ExchangeOptions()
        options.extra["spreadsheet-safe"] = isSafe ? "" : nil
        let context = ExchangeContext(options: options)
        let reader = VCardContactReader(input: cardInput(card), context: context)
        let batch = RecordBatch(schema: reader.schema)
        let path = "/tmp/rtool-csv-test-\(System.processID)-\(UInt64.random(in: 0...UInt64.max))"
        defer { System.remove(path) }
        let writer = try AddressBookWriter(
            sink: OutputFile.create(path, force: false), profile: AddressBookProfile("google"),
            context: context)
        while try reader.next(into: batch) { try writer.write(batch) }
        try writer.finish()
        let file = try InputBytes.open(path)
        let text = withExtendedLifetime(file) { String(decoding: file.bytes, as: UTF8.self) }
        #expect(text.contains(isSafe ? ",'=cmd()," : ",=cmd(),"))
        #expect(text.contains(",''=1+1,"))
        #expect(text.contains(",+1 555 123"))
        let told = context.report.items.filter { $0.code == "formula-cell" }
        #expect(told.map(\.kind) == [isSafe ? .changed : .guessed])
        let back = try #require(try bookContacts(text).first)
        #expect(items(back, "notes") == [note])
        #expect(component(back, "names", "family") == "=cmd()")
    }
}
