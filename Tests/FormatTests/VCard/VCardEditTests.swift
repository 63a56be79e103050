// What a person edits in the contacts of a card reaches the card, also where the card says it twice.

import Foundation
import Testing

@testable import Formats

@Suite("Edited contacts") struct VCardEditTests {
    /// The lines of a card whose contact, as JSON, was edited.
    private func edited(
        _ version: String, _ lines: [String], _ edits: [(String, String)]
    ) throws -> [String] {
        let card = (["BEGIN:VCARD", "VERSION:" + version] + lines + ["END:VCARD", ""])
            .joined(separator: "\r\n")
        var json = try JSONTextToTextTests.convert(card, "vcf", "json").text
        for (old, new) in edits {
            #expect(json.contains(old), "\(json)")
            json = json.replacingOccurrences(of: old, with: new)
        }
        return try JSONTextToTextTests.convert(json, "json", "vcf").text
            .replacingOccurrences(of: "\r\n ", with: "").components(separatedBy: "\r\n")
    }

    @Test(arguments: [
        ("TEL;VALUE=uri:tel:+1;ext=5", #""+1""#, #""+777""#, "TEL;VALUE=uri:tel:+777;ext=5"),
        ("TEL;VALUE=uri:tel:+1;ext=5", #""5""#, #""66""#, "TEL;VALUE=uri:tel:+1;ext=66"),
        ("TEL;VALUE=uri:tel:+1", #""+1""#, #""+1 (a) 2""#, "TEL:+1 (a) 2"),
        (
            "IMPP;X-SERVICE-TYPE=Skype:skype:sk", #""sk""#, #""new""#,
            "IMPP;X-SERVICE-TYPE=Skype:skype:new"
        ),
        (
            "IMPP;X-SERVICE-TYPE=Skype:skype:sk", #""service":"Skype""#, #""service":"Other""#,
            "IMPP;X-SERVICE-TYPE=Other:skype:sk"
        ),
        ("IMPP:xmpp:a@b", #""a@b""#, #""c@d""#, "IMPP:xmpp:c@d"),
        (
            "X-SOCIALPROFILE;type=twitter;x-user=joe:http://twitter.com/joe", #""joe""#, #""ann""#,
            "X-SOCIALPROFILE;TYPE=TWITTER;x-user=ann:http://twitter.com/ann"
        ),
        (
            "X-SOCIALPROFILE;type=twitter;x-user=joe:http://twitter.com/joe",
            #""service":"twitter""#, #""service":"other""#,
            "X-SOCIALPROFILE;TYPE=OTHER;x-user=joe:http://twitter.com/joe"
        ),
        ("X-PHONETIC-FIRST-NAME:pf", #""pf""#, #""new""#, "X-PHONETIC-FIRST-NAME:new"),
        ("SOUND;TYPE=X-IRMC-N:ya;ta;;;", #""ta""#, #""to""#, "SOUND;TYPE=X-IRMC-N:ya;to;;;"),
        ("BDAY:19700101T000000Z", "1970,", "1999,", "BDAY:19990101T000000Z"),
        ("BDAY:1970-01-01T00:00:00Z", "1970,", "1999,", "BDAY:1999-01-01T00:00:00Z"),
        (
            "REV:20200101T000000Z", "2020-01-01T00:00:00Z", "2021-02-03T04:05:06Z",
            "REV:2021-02-03T04:05:06Z"
        ),
    ])
    func anEditReachesItsLine(_ line: String, _ old: String, _ new: String, _ expected: String)
        throws
    {
        let head = ["N:B;A;;;", "FN:A B"]
        #expect(try edited("3.0", head + [line], []).contains(line))
        let lines = try edited("3.0", head + [line], [(old, new)])
        #expect(lines.contains(expected), "\(lines)")
    }

    @Test func aSoundThatHadNoLineGetsOne() throws {
        let lines = try edited(
            "3.0", ["N:B;A;;;", "FN:A B"],
            [(#""family":"B","#, #""family":"B","phoneticFamily":"Be","#)])
        #expect(lines.contains("X-PHONETIC-LAST-NAME:Be"), "\(lines)")
    }

    @Test(arguments: [
        ["SOUND;X-IRMC-N:ya;ta;;;"], ["SOUND;TYPE=X-IRMC-N:;;;;"],
        ["SOUND;X-IRMC-N:ya;ta;;;", "X-PHONETIC-LAST-NAME:other"],
        ["SOUND;X-IRMC-N=:ya;ta"], ["X-PHONETIC-FIRST-NAME:a\\,b", "X-PHONETIC-MIDDLE-NAME:"],
    ])
    func soundsComeBackAsTheyWere(_ lines: [String]) throws {
        let text = (["BEGIN:VCARD", "VERSION:2.1", "N:B;A"] + lines + ["END:VCARD", ""])
            .joined(separator: "\r\n")
        let again = try PlainCard.throughContacts(cardInput(text))
        #expect(
            try PlainCard.cards(cardInput(again))[0].lines
                == PlainCard.cards(cardInput(text))[0].lines)
    }

    @Test func aPhoneticSoundIsThatOfTheName() throws {
        let text = "BEGIN:VCARD\r\nVERSION:2.1\r\nN:B;A\r\nSOUND;X-IRMC-N:ya;ta;;;\r\nEND:VCARD\r\n"
        let names = try #require(contacts(cardInput(text)).first?["names"] as? [[String: Any]])
        #expect(names.first?["phoneticFamily"] as? String == "ya")
        #expect(names.first?["phoneticGiven"] as? String == "ta")
        #expect(names.first?["phoneticMiddle"] == nil)
    }
}
