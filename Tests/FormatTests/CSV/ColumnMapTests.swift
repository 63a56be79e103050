// What people say about columns: lines `column = field`, proposed and taken back.

import Foundation
import Testing

@testable import Formats

/// A folder for the files of a test.
private func temporaryFolder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("rtool-columns-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
}

@Suite("Column maps") struct ColumnMapTests {
    /// A CSV file with a column map as vCard lines, each card after the other.
    private func cards(
        _ csv: String, _ map: String?, _ context: ExchangeContext = ExchangeContext()
    ) throws -> [String] {
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let input = folder.appendingPathComponent("odd.csv").path
        let output = folder.appendingPathComponent("odd.vcf").path
        try csv.write(toFile: input, atomically: true, encoding: .utf8)
        var job = Conversion(from: input, to: output, context: context)
        if let map {
            job.map = folder.appendingPathComponent("odd.map").path
            try map.write(toFile: job.map ?? "", atomically: true, encoding: .utf8)
        }
        try job.run()
        return try String(contentsOfFile: output, encoding: .utf8)
            .replacingOccurrences(of: "\r\n ", with: "").components(separatedBy: "\r\n")
    }

    /// The code of the error a piece of work ends with.
    private func code(_ body: () throws -> Void) -> FormatErrorCode? {
        do { try body() } catch { return (error as? FormatError)?.code }
        return nil
    }

    @Test func unknownColumnsBecomeContacts() throws {
        let csv = "Who,Nr,\"Fax, old\",Met,Rubbish,Odd\nAnn Lee,123,456,2001-02-03,x,y\n"
        let map = """
            # columns of an odd file
            Who = name
            Nr = phone work cell   # the mobile one
            "Fax, old" = phone home fax
            met = date "First met"
            Rubbish = -
            """
        let context = ExchangeContext()
        let lines = try cards(csv, map, context)
        #expect(lines.contains("FN:Ann Lee"))
        #expect(lines.contains("TEL;TYPE=WORK,CELL:123"))
        #expect(lines.contains("TEL;TYPE=HOME,FAX:456"))
        #expect(lines.contains { $0.hasSuffix("X-ABDATE:2001-02-03") })
        #expect(lines.contains { $0.hasSuffix("X-ABLabel:First met") })
        #expect(lines.contains("X-CSV-FIELD;LABEL=Odd:y"))
        #expect(!lines.contains { $0.contains("LABEL=Rubbish") })
        #expect(context.report.items.contains { $0.code == "column-left-out" })
    }

    @Test func columnsWithoutNamesAreNumbered() throws {
        let csv = "Ann,Lee,ann@x.test\nBob,Ray,bob@x.test\n"
        #expect(code { _ = try cards(csv, nil) } == .usage)
        let lines = try cards(
            csv, "column 1 = givenName\ncolumn 2 = familyName\ncolumn 3 = email\n")
        #expect(lines.contains("N:Lee;Ann;;;"))
        #expect(lines.contains("EMAIL:bob@x.test"))
    }

    @Test func aMapOfPlacesSaysThereAreNoNames() throws {
        let lines = try cards("A B,123\nC,a@b\n", "column 1 = name\ncolumn 2 = phone\n")
        #expect(lines.contains("FN:A B"))
        #expect(lines.contains("TEL:123"))
        let named = try cards("First Name,Last Name\nA,B\n", "column 1 = givenName\n")
        #expect(named.contains("N:B;A;;;"))
        #expect(!named.contains { $0.contains("First Name") })
    }

    @Test(arguments: ["_id = _id\nformattedName = formattedName", "_id = keep"])
    func ourOwnRowsComeBackByTheMapProposedForThem(_ map: String) throws {
        let csv = "_id,uid,formattedName,kind\n0123456789abcdef01234567,u1,Ann Lee,individual\n"
        let lines = try cards(csv, map)
        #expect(lines.contains("FN:Ann Lee"))
        #expect(lines.contains("UID:u1"))
        #expect(!lines.contains { $0.contains("X-CSV-FIELD") })
    }

    @Test func aFieldOfTwoColumnsIsSaid() throws {
        let context = ExchangeContext()
        let lines = try cards("Who,Nr\nAnn,123\n", "Who = name\nNr = name\n", context)
        #expect(lines.contains("FN:Ann"))
        #expect(lines.contains("X-CSV-FIELD;LABEL=Nr:123"))
        #expect(context.report.items.first { $0.code == "field-taken" }?.property == "Nr")
        #expect(context.report.columns.map(\.field) == ["name", "keep"])
        let csv = "_id,uid,formattedName,kind\n0123456789abcdef01234567,u1,Ann Lee,individual\n"
        #expect(code { _ = try cards(csv, "uid = kind\nkind = kind\n") } == .malformed)
    }

    @Test func aMapChangesOnlyWhatItNames() throws {
        let lines = try cards(
            "First Name,Last Name,Mobile Phone,Extra\nA,B,1,2\n", "Extra = phone work")
        #expect(lines.contains("N:B;A;;;"))
        #expect(lines.contains("TEL;TYPE=CELL:1"))
        #expect(lines.contains("TEL;TYPE=WORK:2"))
    }

    @Test(arguments: [
        ("Nobody = name", FormatErrorCode.unknownName), ("Who = nmae", .unknownName),
        ("Who = phone shop", .unknownName), ("Who = name home", .unknownName),
        ("Who", .malformed), ("Who =", .malformed), ("Who = name\nWho = note", .malformed),
        ("\"Who = name", .malformed),
    ])
    func slipsAreNamed(_ map: String, _ expected: FormatErrorCode) {
        #expect(code { _ = try cards("Who,Nr\na,1\n", map) } == expected)
    }

    @Test func aColumnMapIsForTables() throws {
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let input = folder.appendingPathComponent("a.vcf").path
        try "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:a\r\nN:a;;;;\r\nEND:VCARD\r\n".write(
            toFile: input, atomically: true, encoding: .utf8)
        let map = folder.appendingPathComponent("a.map").path
        try "Who = name\n".write(toFile: map, atomically: true, encoding: .utf8)
        #expect(ColumnMap.isOne(map))
        #expect(!ColumnMap.isOne(input + ".none"))
        var job = Conversion(
            from: input, to: folder.appendingPathComponent("b.csv").path,
            context: ExchangeContext())
        job.columns = map
        #expect(code { try job.run() } == .usage)
    }

    /// What is proposed for a header reads back as the same columns.
    @Test(arguments: [
        "First Name,Middle Name,Last Name,Title,Suffix,Company,Department,Job Title,"
            + "Business Street,Business Street 2,Business City,Home Postal Code,Other Country,"
            + "Assistant's Phone,Business Fax,Home Phone,Home Phone 2,Company Main Phone,"
            + "E-mail Address,E-mail Type,E-mail 2 Address,Anniversary,Birthday,Categories,"
            + "Children,Gender,Manager's Name,Notes,Hobby,Web Page,Strange",
        "Name,Given Name,Group Membership,E-mail 1 - Type,E-mail 1 - Value,E-mail 2 - Type,"
            + "E-mail 2 - Value,IM 1 - Type,IM 1 - Service,IM 1 - Value,Phone 1 - Type,"
            + "Phone 1 - Value,Address 1 - Type,Address 1 - Formatted,Address 1 - Street,"
            + "Address 1 - PO Box,Organization 1 - Type,Organization 1 - Name,"
            + "Organization 1 - Title,Relation 1 - Type,Relation 1 - Value,Event 1 - Type,"
            + "Event 1 - Value,Custom Field 1 - Type,Custom Field 1 - Value",
        "First Name,Last Name,Display Name,Primary Email,Secondary Email,Screen Name,Fax Number,"
            + "Home ZipCode,Birth Year,Birth Month,Birth Day,Custom 1,Web Page 1,\"a=b\",#x",
        "Vorname,Vorname,Nachname,,E-Mail-Adresse,Straße geschäftlich,Titre",
    ])
    func proposalsReadBack(_ header: String) throws {
        func use(_ map: String?) throws -> [(String, String)] {
            let folder = try temporaryFolder()
            defer { try? FileManager.default.removeItem(at: folder) }
            let input = folder.appendingPathComponent("odd.csv").path
            try (header + "\n" + "1,").write(toFile: input, atomically: true, encoding: .utf8)
            let context = ExchangeContext()
            var job = Import(
                [input], into: folder.appendingPathComponent("x.realm").path, context: context)
            job.isDryRun = true
            if let map {
                job.map = folder.appendingPathComponent("odd.map").path
                try map.write(toFile: job.map ?? "", atomically: true, encoding: .utf8)
            }
            try job.run()
            return context.report.columns.map { ($0.column, $0.field) }
        }
        let proposed = try use(nil)
        #expect(
            proposed.count == header.split(separator: ",", omittingEmptySubsequences: false).count)
        let text = proposed.map { ColumnMap.line(column: $0.0, field: $0.1) }
        let again = try use(text.joined(separator: "\n"))
        #expect(again.map(\.0) == proposed.map(\.0))
        #expect(again.map(\.1) == proposed.map(\.1))
    }

    @Test func wordsOfTwoMeaningsAreShown() throws {
        let french = try #require(
            AddressBook(["Prénom", "Nom", "Anniversaire", "Société"], isAsked: false))
        #expect(french.meanings[2]?.field == .birthday)
        #expect(french.doubts[2] != nil)
        let twice = try #require(
            AddressBook(["Prénom", "Nom", "Anniversaire", "Anniversaire"], isAsked: false))
        #expect(twice.meanings.compactMap { $0?.field }.suffix(2) == [.anniversary, .birthday])
        let context = ExchangeContext()
        _ = try bookContacts("Prénom,Nom,Anniversaire\nA,B,22/03/1980\n", context)
        #expect(context.report.items.contains { $0.code == "column-choice" })
        #expect(context.report.columns.last?.remark != nil)
    }

    @Test func rowsOfAClassAreMappedByProperty() throws {
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let input = folder.appendingPathComponent("odd.csv").path
        try "Who,Nr,Pal,name\nAnn,1,yes,old\n".write(
            toFile: input, atomically: true, encoding: .utf8)
        let map = folder.appendingPathComponent("odd.map").path
        try "Who = name\nNr = phone\nPal = isBuddy\nname = -\n".write(
            toFile: map, atomically: true, encoding: .utf8)
        let output = folder.appendingPathComponent("out.json").path
        let context = ExchangeContext()
        var job = Conversion(from: input, to: output, context: context)
        job.map = "mycontacts"
        job.columns = map
        try job.run()
        let text = try String(contentsOfFile: output, encoding: .utf8)
        #expect(text.contains("\"name\":\"Ann\",\"phone\":\"1\",\"isBuddy\":true"))
        #expect(!context.report.hasLoss)
    }
}
