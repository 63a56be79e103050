// Phone numbers in one form, and what is left alone.

import Testing

@testable import Formats

@Suite("Phone numbers in one form") struct PhoneNumberTests {
    @Test(arguments: [
        ("DE", "030 1234567", "+49301234567"), ("DE", "(030) 12 34-567", "+49301234567"),
        ("DE", "+49 (0)30 1234567", "+49301234567"),
        ("DE", "00 49 ( 0 ) 30/1234567", "+49301234567"),
        ("DE", "0049 30 1234567", "+49301234567"), ("de", "+49301234567", "+49301234567"),
        ("DE", "\u{202A}+49\u{A0}30\u{2011}1234567\u{202C}", "+49301234567"),
        ("DE", "＋４９３０１２３４５６７", "+49301234567"), ("DE", "+1 (555) 123-4567", "+15551234567"),
        ("DE", "(+49) 30 1234567", "+49301234567"),
        ("US", "(415) 555-2671", "+14155552671"), ("US", "1-415-555-2671", "+14155552671"),
        ("US", "011 49 30 1234567", "+49301234567"), ("CA", "+1.415.555.2671", "+14155552671"),
        ("IT", "06 1234 5678", "+390612345678"), ("DE", "+39 06 12345678", "+390612345678"),
        ("FR", "06 12 34 56 78", "+33612345678"), ("GB", "07700 900123", "+447700900123"),
        ("RU", "8 (912) 345-67-89", "+79123456789"), ("RU", "800 555 35 35", "+78005553535"),
        ("ES", "912 34 56 78", "+34912345678"), ("HU", "06 30 123 4567", "+36301234567"),
        ("AU", "0011 49 30 1234567", "+49301234567"), ("AU", "0412 345 678", "+61412345678"),
        ("JP", "03-1234-5678", "+81312345678"), ("JP", "090-1234-5678", "+819012345678"),
        ("BR", "(11) 91234-5678", "+5511912345678"), ("BY", "8 029 123-45-67", "+375291234567"),
        ("CN", "138 1234 5678", "+8613812345678"), ("CN", "010 1234 5678", "+861012345678"),
        ("AT", "+420 123 456 789", "+420123456789"),
        ("DE", "+39 (0)2 1234567", "+39021234567"), ("DE", "+378 (0)549 123456", "+3780549123456"),
        ("DE", "+225 (0)1 23 45 67 89", "+2250123456789"),
        ("DE", "+7 (8) 495 1234567", "+74951234567"), ("DE", "+7 (812) 123-45-67", "+78121234567"),
        ("DE", "+36 (06) 1 234 5678", "+3612345678"), ("DE", "+36 (1) 234 5678", "+3612345678"),
        ("DE", "+370 (8 5) 212 3456", "+37052123456"), ("DE", "+370 (5) 212 3456", "+37052123456"),
        ("DE", "+375 (8) 17 123 45 67", "+375171234567"),
        ("DE", "+375 (80) 17 123 45 67", "+375171234567"),
        ("US", "011 39 (0)2 1234567", "+39021234567"), ("IT", "333 123 4567", "+393331234567"),
        ("IT", "800 123456", "+39800123456"),
    ])
    func aWholeNumberGetsItsCountrysCode(_ region: String, _ text: String, _ number: String) throws
    {
        let plan = try #require(CallingCodes.plan(region))
        #expect(PhoneNumber.e164(text, plan) == number)
    }

    @Test(arguments: [
        ("DE", "1234567"), ("DE", "110"), ("DE", "030 1234567 ext 5"), ("DE", "p1234"),
        ("DE", "030 1234567,,5"), ("DE", "*100#"), ("DE", ""), ("DE", "+"), ("DE", "+49"),
        ("DE", "+49 030 1234567"), ("DE", "+999 12345678"), ("DE", "030+1234567"),
        ("DE", "+49 1234567890123456"), ("US", "555-2671"), ("US", "1-800-FLOWERS"),
        ("US", "(115) 555-2671"), ("DE", "+1 555 1234"), ("DE", "٠٣٠١٢٣٤٥٦٧"),
        ("DE", "030 1234567 030 1234567 030"), ("IT", "5551234"), ("IT", "1234567"),
        ("IT", "116117"), ("DE", "+61 (02) 1234 5678"), ("DE", "+7 (8) 495 12345"),
    ])
    func whatIsNoneStays(_ region: String, _ text: String) throws {
        let plan = try #require(CallingCodes.plan(region))
        #expect(PhoneNumber.e164(text, plan) == nil)
    }

    @Test func regionsAreLettersOfCountries() {
        for region in ["", "ZZ", "DEU", "D"] { #expect(CallingCodes.plan(region) == nil) }
        #expect(CallingCodes.plan("gb")?.code == Array("44".utf8))
    }

    private static let card = [
        "BEGIN:VCARD", "VERSION:4.0", "FN:A", "TEL:030 1234567", "TEL;TYPE=cell:call me",
        "TEL;VALUE=uri:tel:+49-30-1234567;ext=5", "TEL:+49301234567", "END:VCARD", "",
    ].joined(separator: "\r\n")

    @Test func cardsAreWrittenWithThem() throws {
        let made = try JSONTextToTextTests.convert(
            Self.card, "vcf", "vcf",
            {
                $0.extra["phone-format"] = "e164"
                $0.extra["region"] = "DE"
            })
        #expect(
            made.text.split(separator: "\r\n").filter { $0.hasPrefix("TEL") } == [
                "TEL:+49301234567", "TEL;TYPE=cell:call me",
                "TEL;VALUE=uri:tel:+49301234567;ext=5", "TEL:+49301234567",
            ])
        #expect(made.report.items.map(\.code) == ["phone-format", "phone-kept"])
        #expect(made.report.items.map(\.count) == [2, 1])
        #expect(made.report.items.map(\.value) == ["030 1234567", "call me"])
    }

    @Test(arguments: [
        ["phone-format": "e164"], ["region": "DE"], ["phone-format": "e164", "region": "ZZ"],
        ["phone-format": "national", "region": "DE"],
    ])
    func bothOptionsAreNeeded(_ options: [String: String]) {
        #expect(throws: FormatError(.usage, "")) {
            _ = try JSONTextToTextTests.convert(Self.card, "vcf", "json", { $0.extra = options })
        }
    }

    @Test func rowsWithoutContactsRefuseIt() {
        #expect(throws: FormatError(.usage, "")) {
            _ = try JSONTextToTextTests.convert(
                "[{\"phone\":\"030 1234567\"}]", "json", "csv",
                { $0.extra = ["phone-format": "e164", "region": "DE"] })
        }
    }
}
