// What the columns of address books are taken for: dates in the order of their column, several
// values in a cell, names in other languages, items that are told apart.

import Testing

@testable import Formats

@Suite("Address book columns") struct AddressBookColumnTests {
    /// The days of a list of dates as `month/day`.
    private func days(_ contact: [String: Any]) -> [String] {
        (contact["dates"] as? [[String: Any]] ?? []).map {
            "\($0["month"] ?? "")/\($0["day"] ?? "")"
        }
    }

    /// The lines kept under a label, as `label:value`.
    private func kept(_ contact: [String: Any]) -> [String] {
        let extras = contact["extras"] as? [[String: Any]] ?? []
        return extras.filter { $0["name"] as? String == "X-CSV-FIELD" }.map { line in
            let label = (line["parameters"] as? [String])?.first ?? ""
            return "\(label.dropFirst(6)):\(line["value"] as? String ?? "")"
        }
    }

    // MARK: Dates

    @Test func eachDateColumnHasItsOwnOrder() throws {
        let context = ExchangeContext()
        let all = try bookContacts(
            """
            First Name,Last Name,Birthday,Anniversary
            A,B,1/2/1980,13/01/2000
            C,D,12/24/1970,1/2/2003
            """, context)
        #expect(all.map(days) == [["1/2", "1/13"], ["12/24", "2/1"]])
        #expect(context.report.items.isEmpty)
    }

    @Test func aColumnThatContradictsItselfIsTold() throws {
        let context = ExchangeContext()
        let all = try bookContacts(
            "First Name,Last Name,Birthday\nA,B,1/2/1980\nC,D,12/24/1970\nE,F,24/12/1970\n", context
        )
        #expect(all.map(days) == [["1/2"], ["12/24"], ["12/24"]])
        let item = try #require(context.report.items.first)
        #expect(item.code == "date-order-mixed")
        #expect(item.property == "Birthday")
        #expect(item.record == 3)
        #expect(item.value == "24/12/1970")
    }

    @Test func anImpossibleDateDecidesNothing() throws {
        let context = ExchangeContext()
        let all = try bookContacts(
            "First Name,Last Name,Birthday\nA,B,2-3-1980\nC,D,29/2/1981\n", context)
        #expect(days(all[0]) == ["2/3"])
        #expect(context.report.items.map(\.code) == ["date-order", "date-as-text"])
    }

    @Test func aYearInFrontDecidesOnlyForShortYears() throws {
        let short = try bookContacts("First Name,Last Name,Birthday\nA,B,01/02/03\nC,D,80/12/24\n")
        #expect(short.map(days) == [["2/3"], ["12/24"]])
        let context = ExchangeContext()
        let long = try bookContacts(
            "First Name,Last Name,Birthday\nA,B,2/3/1980\nC,D,80/12/24\n", context)
        #expect(long.map(days) == [["2/3"], ["12/24"]])
        #expect(context.report.items.map(\.code) == ["date-order", "date-order-mixed"])
    }

    @Test func aColumnWithoutAClueFollowsTheOthers() throws {
        let context = ExchangeContext()
        let all = try bookContacts(
            "First Name,Last Name,Birthday,Anniversary\nA,B,1/2/1980,13/01/2000\n", context)
        #expect(all.map(days) == [["2/1", "1/13"]])
        #expect(context.report.items.map(\.code) == ["date-order"])
    }

    @Test(arguments: [
        ("25 Nov 2026", "11/25"), ("1 january 2020", "1/1"), ("Nov 5, 2026", "11/5"),
        ("05-Sept-2026", "9/5"), ("80/12/24", "12/24"), ("1980.03.22", "3/22"),
    ])
    func datesAreReadWhereverTheyCanMeanOneThing(_ text: String, _ day: String) throws {
        let context = ExchangeContext()
        let all = try bookContacts(
            "First Name,Last Name,URL,Connected On\nA,B,https://x.test,\"\(text)\"\n", context)
        #expect(all.map(days) == [[day]])
        #expect(!context.report.items.contains { $0.code == "date-as-text" })
    }

    @Test(arguments: ["25 Nov", "Nov 2026", "32 Nov 2026", "Marble 1 2026"])
    func whatIsNoWholeDateStaysText(_ text: String) throws {
        let all = try bookContacts(
            "First Name,Last Name,URL,Connected On\nA,B,https://x.test,\(text)\n")
        #expect(component(all[0], "dates", "text") == text)
    }

    // MARK: Items

    @Test func partsOfOrganisationsWithoutAPlaceKeepTheirNames() throws {
        let all = try bookContacts(
            """
            Name,Given Name,Organization 1 - Name,Organization 1 - Yomi Name,\
            Organization 1 - Symbol,Custom Field 1 - Type,Custom Field 1 - Value
            A B,A,Org,yorg,SYM,Foo,bar
            """)
        #expect(
            kept(all[0]) == [
                "Organization 1 - Yomi Name:yorg", "Organization 1 - Symbol:SYM", "Foo:bar",
            ])
    }

    @Test func numberedColumnsKeepTheirLabelsBesideOthers() throws {
        let all = try bookContacts(
            """
            Name,Email,E-mail 1 - Type,E-mail 1 - Value,Company,Organization 1 - Department,\
            E-mail 1 - Type,E-mail 1 - Value
            A,x@x.test,Work,a@x.test,Acme,Sales,Home,b@x.test
            """)
        #expect(items(all[0], "emails") == ["x@x.test", "a@x.test [work]", "b@x.test [home]"])
        #expect(items(all[0], "organizations", "name") == ["Acme", ""])
    }

    @Test func severalValuesInACellAreSeveralItems() throws {
        let all = try bookContacts(
            """
            Name,Occupation,Organization 1 - Type,Organization 1 - Name,Organization 1 - Title,\
            IM 1 - Type,IM 1 - Service,IM 1 - Value,E-mail 1 - Type,E-mail 1 - Value
            A,R1 ::: R2,* Work,Org ::: Org2,T1 ::: T2,Home,Skype ::: ICQ,joe ::: 12,* Home,a@b ::: c@d
            """)
        let a = try #require(all.first)
        #expect(
            items(a, "organizations", "name") == ["Org *", "Org2"].map { $0 }
                || items(a, "organizations", "name") == ["Org [work] *", "Org2 [work]"]
                || items(a, "organizations", "name") == ["Org (Work) *", "Org2 (Work)"])
        #expect(items(a, "titles") == ["T1", "T2"])
        #expect(items(a, "roles") == ["R1", "R2"])
        #expect(items(a, "services", "user") == ["joe [home]", "12 [home]"])
        #expect(items(a, "services", "service") == ["Skype [home]", "ICQ [home]"])
        // One of them can be the preferred one.
        #expect(items(a, "emails") == ["a@b [home] *", "c@d [home]"])
    }

    @Test func onlyAddressesOfPhotosArePhotos() throws {
        let all = try bookContacts(
            "Name,Given Name,Photo\nA,A,https://x.test/a.png\nB,B,me.png\nC,C,data:image/png;base64,aGk=\n"
        )
        #expect(items(all[0], "photos", "uri") == ["https://x.test/a.png"])
        #expect(items(all[1], "photos", "uri").isEmpty)
        #expect(kept(all[1]) == ["Photo:me.png"])
        #expect((all[2]["photos"] as? [[String: Any]])?.count == 1)
    }

    // MARK: Names

    /// Columns of one language each; every one has a field of its own.
    @Test(arguments: [
        (
            "it",
            "Nome,Cognome,Suffisso,Coniuge,Telefono di casa 2,Telefono di Lavoro 2,Città Altro,Via Altro,CAP Postale Altro,Numero cercapersone,Telefono Principale,Telefono dell'Auto,Nome del Responsabile"
        ),
        (
            "it",
            "Nome,Cognome,Nome visualizzato,Soprannome,Email principale,Email secondaria,Numero cellulare,Indirizzo di casa 2,Nazione di residenza,Organizzazione,Pagina web 1,Anno di nascita"
        ),
        (
            "es",
            "Nombre,Apellidos,Otra calle,Otra calle 2,Otra ciudad,Otra provincia o estado,Otro código postal,Otro país o región,Otro fax,Nombre del director,Teléfono principal,Teléfono del trabajo 2"
        ),
        (
            "es",
            "Nombre,Apellidos,Nombre en pantalla,Apodo,Dirección de correo electrónico principal,Buscapersonas,Dirección personal,Código postal,País de residencia,Teléfono (Trabajo),Código postal (Trabajo)"
        ),
        (
            "pt",
            "Primeiro nome,Último nome,Outra Rua,Outra cidade,Outro Estado,Outro Código Postal,Outro País/Região,Outro Fone,Fone do carro,Nome do gerente,Nome do Assistente,Fone do Assistente,Fone Primario"
        ),
        (
            "fr",
            "Prénom,Nom,Rue (bureau),Rue (bureau) 3,Nom de l'assistant(e),Téléphone de l'assistant(e),Rappel,RNIS,Responsable,B.P. professionnelle"
        ),
        (
            "pl",
            "Imię,Nazwisko,Menadżer,Telefon główny,Asystent,Telefon asystenta,Telefon służbowy 2"
        ),
        (
            "de",
            "Vorname,Nachname,Telefon Assistent,Mobiltelefon 2,Weitere Straße 2,Weiteres/r Bundesland/Kanton,Empfohlen von"
        ),
        (
            "sk",
            "Krstné meno,Priezvisko,Ulica (práca),Telefón do práce,Telefón do práce 2,Mobilný telefón,E-mailová adresa,Meno manažéra"
        ),
        (
            "fi",
            "Etunimi,Sukunimi,Lempinimi,Työpuhelin,Matkapuhelinnumero,Ensisijainen sähköposti,Kotiosoite,Kodin postinumero,Syntymävuosi"
        ),
        (
            "ru",
            "Имя,Фамилия,Отображаемое имя,Рабочий телефон,Адрес,Город,Страна,Почтовый индекс,Адрес (раб.),Город (раб.)"
        ),
        (
            "roundcube",
            "Display Name,First Name,Last Name,Email Home,Email Work,Home Mobile,Phone Video,IM Aim,IM Skype,Website Blog,Work Company,Work Dept,Work Fax,Date of Birth"
        ),
        (
            "tine",
            "n_given,n_family,org_name,org_unit,role,tel_work,tel_cell,tel_cell_private,adr_one_street,adr_one_postalcode,adr_two_locality,email,email_home,bday"
        ),
    ])
    func columnsOfManyProgramsAreKnown(_ origin: String, _ header: String) throws {
        let names = header.split(separator: ",").map(String.init)
        let book = try #require(AddressBook(names, isAsked: false), "\(origin)")
        #expect(book.unknown.isEmpty, "\(origin): \(book.unknown.sorted().map { names[$0] })")
        let context = ExchangeContext()
        let row = names.indices.map { "v\($0)" }.joined(separator: ",")
        let one = try #require(bookContacts(header + "\n" + row + "\n", context).first)
        #expect(kept(one).isEmpty, "\(origin)")
        #expect(!context.report.items.contains { $0.code == "unknown-column" })
    }

    @Test func wordsWithoutAPlaceBelongToTheAddressBesideThem() throws {
        let header =
            "Prénom,Nom de famille,Nom à afficher,Surnom,Adresse électronique principale,"
            + "Adresse privée,Ville,Code postal,Région,Adresse professionnelle,Ville,Code postal,Région"
        let one = try #require(
            bookContacts(header + "\nA,B,AB,b,a@x.test,S1,V1,C1,R1,S2,V2,C2,R2\n").first)
        let addresses = one["addresses"] as? [[String: Any]] ?? []
        #expect(addresses.map { $0["types"] as? [String] } == [["home"], ["work"]])
        for (property, values) in [
            ("street", ["S1", "S2"]), ("locality", ["V1", "V2"]), ("postalCode", ["C1", "C2"]),
            ("country", ["R1", "R2"]),
        ] { #expect(addresses.map { $0[property] as? String } == values, "\(property)") }
    }

    @Test func tablesOfPlacesAreNoAddressBooks() {
        for header in [
            ["Ville", "Code postal", "Région"], ["Estado", "CEP"], ["Город", "Страна", "Адрес"],
            ["Info", "Foto"], ["Jour", "Mois"],
        ] { #expect(AddressBook(header, isAsked: false) == nil, "\(header)") }
    }

    @Test func columnsThatNobodyKnowsAreTold() throws {
        let context = ExchangeContext()
        let all = try bookContacts(
            "First Name,Last Name,E-mail Address,Shoe Size,Hobby\nA,B,a@x.test,42,Golf\nC,D,c@x.test,,\nE,F,e@x.test,7,\n",
            context)
        #expect(
            kept(all[0]) == ["Shoe Size:42", "Hobby:Golf"]
                || kept(all[0]) == ["Hobby:Golf", "Shoe Size:42"])
        let item = try #require(context.report.items.first { $0.code == "unknown-column" })
        #expect(item.property == "Shoe Size")
        #expect(item.count == 2)
        #expect(context.report.items.count == 1)
    }
}
