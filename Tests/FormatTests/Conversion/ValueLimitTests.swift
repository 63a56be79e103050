// Values larger than a store can hold: the record is set aside whole, and only on its way to a store.

import Foundation
import Testing

@testable import Formats

@Suite("Values too large for a store") struct ValueLimitTests {
    /// One format: the record with room for a value, what stands before it, and its good neighbour.
    struct Sample: Sendable, CustomTestStringConvertible {
        var ending: String
        var head: String
        var large: (String, String)
        var between: String
        var good: String
        var tail: String
        var testDescription: String { ending }
    }

    private static let samples = [
        Sample(
            ending: "vcf", head: "",
            large: ("BEGIN:VCARD\r\nVERSION:3.0\r\nUID:u1\r\nFN:Big\r\nNOTE:", "\r\nEND:VCARD\r\n"),
            between: "", good: "BEGIN:VCARD\r\nVERSION:3.0\r\nUID:u2\r\nFN:Small\r\nEND:VCARD\r\n",
            tail: ""),
        Sample(
            ending: "ics", head: "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n",
            large: ("BEGIN:VTODO\r\nUID:u1\r\nDESCRIPTION:", "\r\nEND:VTODO\r\n"), between: "",
            good: "BEGIN:VTODO\r\nUID:u2\r\nSUMMARY:Small\r\nEND:VTODO\r\n",
            tail: "END:VCALENDAR\r\n"),
        Sample(
            ending: "csv", head: "First Name,Last Name,E-mail 1 - Value,Notes\r\n",
            large: ("Big,B,b@x,", "\r\n"), between: "", good: "Small,S,s@x,n\r\n", tail: ""),
        Sample(
            ending: "json", head: "[", large: (#"{"fn":"Big","note":""#, #""}"#), between: ",",
            good: #"{"fn":"Small"}"#, tail: "]"),
    ]

    private static let value = String(repeating: "x", count: ValueLimit.bytes + 1)

    @Test(arguments: samples)
    func theRecordIsSetAsideWhole(_ sample: Sample) throws {
        let place = try ImportPlace()
        let record = sample.large.0 + Self.value + sample.large.1
        let text = sample.head + record + sample.between + sample.good + sample.tail
        let path = try place.write("in." + sample.ending, text)
        var rejects: [UInt8] = []
        var heading: [UInt8] = []
        let context = ExchangeContext()
        context.onReject = { bytes, _ in rejects += bytes }
        context.onRejectHeading = { heading = Array($0) }
        try Import([path], into: place.path("out.realm"), context: context).run()
        let report = context.report
        #expect(report.read == 2 && report.written == 1 && report.setAside == 1)
        let isSame = rejects == Array(record.utf8)
        #expect(isSame)
        // A mended record can be imported.
        let mended = sample.large.0 + "short" + sample.large.1
        let again = try place.write(
            "again." + sample.ending,
            (sample.ending == "json" ? "" : String(decoding: heading, as: UTF8.self)) + mended)
        let second = try place.importing([again], into: "second.realm")
        #expect(second.written == 1, "\(second.items)")
    }

    @Test func otherTargetsHaveNoSuchLimit() throws {
        let place = try ImportPlace()
        let sample = try #require(Self.samples.first)
        let text = sample.head + sample.large.0 + Self.value + sample.large.1
        let path = try place.write("in." + sample.ending, text)
        let report = try place.convert(path, to: "out.json") { $0.map = "addressbook" }
        #expect(report.written == 1 && report.setAside == 0)
        #expect(try place.text("out.json").utf8.count > ValueLimit.bytes)
    }
}
