// Birthdays and events without a year, from 2.1 to 3.0.

import Foundation
import Testing

@testable import Formats

@Suite("Dates without a year in cards of 3.0") struct VCardNoYearTests {
    @Test func datesWithoutAYearAreWrittenInApplesWay() throws {
        let kind = "X-ANDROID-CUSTOM:vnd.android.cursor.item/contact_event;"
        let card =
            "BEGIN:VCARD\r\nVERSION:2.1\r\nN:B;A\r\nBDAY:--0509\r\n"
            + kind + "--05-06;0;Name;;;;;;;;;;;;\r\n" + kind
            + "1980-05-09;3;;;;;;;;;;;;;\r\nEND:VCARD\r\n"
        let (text, report) = try JSONTextToTextTests.convert(card, "vcf", "vcf") {
            $0.extra["vcard-version"] = "3.0"
        }
        let lines = text.components(separatedBy: "\r\n")
        #expect(lines.filter { $0.contains("BDAY") } == ["BDAY;X-APPLE-OMIT-YEAR=1604:1604-05-09"])
        for line in [
            "X-ABDATE;X-APPLE-OMIT-YEAR=1604:1604-05-06", "X-ABDATE:1980-05-09",
            "X-ABLabel:Birthday",
        ] {
            #expect(lines.contains { $0.hasSuffix("." + line) }, "\(line): \(text)")
        }
        #expect(report.items.contains { $0.code == "bday-no-year" })
    }
}
