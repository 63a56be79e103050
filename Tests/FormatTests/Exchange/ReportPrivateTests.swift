// Reports for others to see.

import Testing

@testable import Formats

@Suite("Reports without values") struct ReportPrivateTests {
    @Test func aHashStandsForEveryValue() throws {
        let report = Report()
        report.note(
            .setAside, "bad", record: 1, property: "p", value: "Ann Lee",
            action: "\"Ann Lee\" is not a number; use \"0\"")
        report.note(.setAside, "bad", record: 2, property: "p", value: "Bob")
        report.note(.lost, "gone", property: "q", value: "Bob", action: "it is \"cut")
        report.note(.changed, "other", count: 3)
        report.hideValues()
        let (ann, bob, zero) = (Report.hash("Ann Lee"), Report.hash("Bob"), Report.hash("0"))
        #expect(ann.utf8.count == 17 && ann.hasPrefix("#") && ann != bob)
        #expect(report.items.map(\.value) == [ann, bob, nil])
        #expect(report.items[0].others.map(\.value) == [bob])
        #expect(report.items[0].action == "\"\(ann)\" is not a number; use \"\(zero)\"")
        #expect(report.items[1].action == "it is \"cut")
        #expect(report.items.map(\.count) == [2, 1, 3])
        #expect(report.items.map(\.property) == ["p", "q", nil])
    }

    @Test func anErrorShowsWhereAndNotWhat() {
        let error = FormatError(
            .badValue, "\"x\" is no date", file: "a.csv", line: 3, column: 1, record: 2,
            recordName: "Ann Lee", property: "due", excerpt: "Ann Lee,x", excerptNote: "here"
        ).hidingValues
        let text = error.description
        #expect(!text.contains("Ann") && !text.contains("\"x\"") && !text.contains("here"))
        #expect(text.contains("a.csv:3:1") && text.contains("record 2 (#"))
        #expect(error.details.message == "\"\(Report.hash("x"))\" is no date")
    }
}
