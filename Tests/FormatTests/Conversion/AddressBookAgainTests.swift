// A store's own address books come back: what was not edited changes nothing, however the card behind
// a row is spelled and whatever of it the columns cannot say; what was edited changes that alone.

import Foundation
import Testing

@testable import Formats

private let profiles = ["google", "google-old", "outlook", "thunderbird"]

private func card(_ lines: [String], version: String = "3.0") -> String {
    (["BEGIN:VCARD", "VERSION:\(version)"] + lines + ["END:VCARD", ""]).joined(separator: "\r\n")
}

/// Everything that the class has a list for.
private let typed = [
    "UID:rich", "FN:Dr. Ann Q. Lee Jr.", "N:Lee;Ann;Q.;Dr.;Jr.", "NICKNAME:Nan,Annie",
    "EMAIL;TYPE=HOME:ann@x.example", "EMAIL;TYPE=WORK,pref;X-K=1:ann@work.example",
    "EMAIL:c@x.example", "EMAIL:d@x.example", "EMAIL:e@x.example", "EMAIL:f@x.example",
    "TEL;TYPE=CELL,pref;X-Q=7:+49 30 1", "TEL;TYPE=WORK,FAX:77", "TEL;TYPE=HOME:1",
    "TEL;TYPE=HOME:2", "TEL;TYPE=HOME:3", "item1.TEL:+49 30 1234", "item1.X-ABLabel:Summer house",
    "ADR;TYPE=HOME;X-P=1:po;ext;St 1;City;Reg;123;DE", "ADR;TYPE=HOME:;;St 2;City2;;456;DE",
    "item2.ADR:;;Hut 3\\nBack;City3;;;", "item2.X-ABLabel:Hut",
    "LABEL;TYPE=WORK:Label alone", "ORG:Acme;Dep;Sub", "ORG:Second;X", "TITLE:T1", "TITLE:T2",
    "ROLE:R1", "ROLE:R2", "URL:http://1.example", "URL;TYPE=WORK:http://2.example",
    "BDAY:1980-01-02", "NOTE;LANGUAGE=de:a note\\nline 2", "NOTE:second note",
    "CATEGORIES:Foo,Bar", "CATEGORIES:Third", "GEO:1.5;2.5", "TZ:-05:00",
    "IMPP:xmpp:me@x.example", "IMPP;X-SERVICE-TYPE=Skype;TYPE=work:skype:me.too",
    "KEY;ENCODING=b:AAECAwQ=", "LOGO;VALUE=uri:http://x.example/l.png",
    "PHOTO;VALUE=uri:http://x.example/p.jpg", "SOUND;VALUE=uri:http://x.example/s.ogg",
    "AGENT;VALUE=uri:http://x.example/agent", "CLASS:PRIVATE", "SORT-STRING:lee",
    "REV:2020-01-01T00:00:00Z", "PRODID:-//x//y", "X-FOO;TYPE=home:bar\\nbaz",
]

/// What other programs call the same things.
private let spelled = [
    "X-PHONETIC-FIRST-NAME:ae", "X-PHONETIC-MIDDLE-NAME:q", "X-PHONETIC-LAST-NAME:li",
    "item3.X-ABRELATEDNAMES:Jane", "item3.X-ABLabel:_$!<Spouse>!$_",
    "item4.X-ABRELATEDNAMES:Kid", "item4.X-ABLabel:_$!<Child>!$_",
    "item5.X-ABDATE:2001-02-03", "item5.X-ABLabel:_$!<Anniversary>!$_",
    "item6.X-ABDATE:2001-02-04", "item6.X-ABLabel:First met", "X-ABShowAs:COMPANY",
    "X-GENDER:F", "X-SPOUSE:Jo", "X-EVOLUTION-SPOUSE:Joe", "X-KADDRESSBOOK-X-SpousesName:Jon",
    "X-MS-SPOUSE:Jona", "X-MANAGER:Max", "X-EVOLUTION-MANAGER:Moe",
    "X-KADDRESSBOOK-X-ManagersName:Mo", "X-MS-MANAGER:Mia", "X-ASSISTANT:Al",
    "X-EVOLUTION-ASSISTANT:Abe", "X-KADDRESSBOOK-X-AssistantsName:Amy", "X-MS-ASSISTANT:Ava",
    "X-MS-CHILD:Cleo", "X-ANNIVERSARY:2001-02-05", "X-EVOLUTION-ANNIVERSARY:2001-02-06",
    "X-KADDRESSBOOK-X-Anniversary:2001-02-07", "X-MS-ANNIVERSARY:2001-02-08",
    "X-BDAY:1980-01-02", "X-DEATHDATE:2050-01-01", "X-ALTBDAY:1980-01-03",
    "X-MAIDENNAME:Smith", "X-FILE-AS:Lee\\, Ann", "X-EVOLUTION-FILE-AS:Lee Ann",
    "X-CATEGORIES:Old", "X-ABUID:1:ABPerson", "X-SAMSUNGADR;TYPE=HOME:;;Sam 1;Seoul;;1;KR",
    "X-MS-TEL;TYPE=HOME:555", "X-GROUP-MEMBERSHIP:Choir", "X-SORT-STRING:lee ann",
    "X-ANDROID-CUSTOM:vnd.android.cursor.item/nickname;Droid;1;;;;;;;;;;;;;",
    "X-ANDROID-CUSTOM:vnd.android.cursor.item/contact_event;2002-03-04;0;Moved;;;;;;;;;;;;",
    "X-ANDROID-CUSTOM:vnd.android.cursor.item/relation;Rel;14;;;;;;;;;;;;;",
    "X-SOCIALPROFILE;TYPE=twitter:http://twitter.com/me",
    "X-SOCIALPROFILE;TYPE=mastodon;x-user=u:http://t.example/u",
    "X-AIM:aim1", "X-ICQ:123", "X-JABBER;TYPE=HOME:j@x.example", "X-MSN:m@x.example", "X-YAHOO:y",
    "X-SKYPE:sk", "X-SKYPE-USERNAME:sku", "X-QQ:99", "X-GOOGLE-TALK:g@x.example", "X-GTALK:gt",
    "X-GADUGADU:77", "X-GROUPWISE:gw", "X-TWITTER:tw", "X-MATRIX:@a:x.example",
    "X-MS-IMADDRESS:im@x.example", "X-CSV-FIELD;LABEL=User 4:kept", "X-CSV-FIELD;LABEL=Own:too",
]

private let modern = [
    "UID:new", "N;SORT-AS=\"flow,over\";LANGUAGE=de:Flow;Over;;;", "FN;LANGUAGE=de:Over Flow",
    "EMAIL;PREF=1;TYPE=work;X-K=1:o@x.example", "TEL;TYPE=cell;PREF=2;X-Q=7:+49 30 1",
    "TEL;VALUE=uri;TYPE=\"voice,home\":tel:+49-30-2;ext=5", "ORG;SORT-AS=acm;TYPE=work:Acme",
    "ADR;GEO=\"geo:1,2\";TZ=Europe/Berlin;TYPE=home;LABEL=\"S 1\\nC\":;;S 1;C;;1;D",
    "NOTE;LANGUAGE=de:n", "IMPP:xmpp:me@x.example", "CATEGORIES:q", "GENDER:O;it's complicated",
    "ANNIVERSARY:20010203", "BDAY:--0509", "RELATED;TYPE=friend;VALUE=text:Fred",
    "RELATED;TYPE=spouse:urn:uuid:nobody", "LANG;PREF=1:de", "DEATHDATE:2050",
    "SOCIALPROFILE;SERVICE-TYPE=Mastodon:https://m.example/@o", "KIND:individual",
]

@Suite("Address books that come back") struct AddressBookAgainTests {
    private func export(_ place: ImportPlace, _ profile: String, _ overflows: Bool = false) throws {
        var options = ExchangeOptions()
        options.force = true
        options.extra["profile"] = profile
        if overflows { options.extra["overflow"] = "notes" }
        try Conversion(
            from: place.path("c.realm"), to: place.path("a.csv"),
            context: ExchangeContext(options: options)
        ).run()
    }

    private func back(_ place: ImportPlace) throws -> Report {
        try place.importing([place.path("a.csv")], into: "c.realm") {
            try $0.options.setMatch("email")
        }
    }

    /// Exports and imports three times; nothing may change.
    private func expectNoChange(
        _ cards: String, _ profile: String, overflows: Bool = false, count: Int = 1
    ) throws {
        let place = try ImportPlace()
        try place.importing([place.write("a.vcf", cards)], into: "c.realm")
        let before = try place.rows("c.realm", "Contact")
        for round in 1...3 {
            try export(place, profile, overflows)
            let report = try back(place)
            #expect(report.skipped == count, "\(profile) \(round)")
            #expect(report.merged == 0 && report.written == 0, "\(profile) \(round)")
            let items = report.items.filter {
                $0.kind == .lost || $0.kind == .setAside || $0.code.hasSuffix("replaced")
            }
            #expect(items.isEmpty, "\(profile) \(round): \(items)")
            #expect(try place.rows("c.realm", "Contact") == before, "\(profile) \(round)")
        }
    }

    @Test(arguments: profiles, [false, true])
    func aRichCardStays(_ profile: String, _ overflows: Bool) throws {
        try expectNoChange(card(typed + spelled), profile, overflows: overflows)
        try expectNoChange(card(modern, version: "4.0"), profile, overflows: overflows)
    }

    /// Each line alone, so that none hides behind another.
    @Test(arguments: profiles) func everySpellingStays(_ profile: String) throws {
        var cards = ""
        var count = 0
        var group: [String] = []
        for line in typed.filter({ !$0.hasPrefix("UID") && !$0.hasPrefix("N:") }) + spelled {
            group.append(line)
            // A labelled line and its label belong together.
            if line.hasPrefix("item"), !line.contains("X-ABLabel") { continue }
            count += 1
            cards += card(
                ["FN:P \(count)", "N:P;\(count);;;", "EMAIL:p\(count)@y.example"] + group)
            group = []
        }
        try expectNoChange(cards, profile, count: count)
    }

    @Test(arguments: profiles) func groupsAndLinksStay(_ profile: String) throws {
        let cards =
            card(["UID:a", "FN:Ann", "N:;Ann;;;", "EMAIL:ann@x", "CATEGORIES:Own"], version: "4.0")
            + card(
                [
                    "UID:b", "FN:Bob", "N:;Bob;;;", "EMAIL:bob@x",
                    "RELATED;TYPE=friend:urn:uuid:a",
                ], version: "4.0")
            + card(["UID:g", "KIND:group", "FN:Choir", "MEMBER:urn:uuid:a"], version: "4.0")
        try expectNoChange(cards, profile, count: 2)
    }

    // MARK: Edits

    private let apple = card([
        "UID:a1", "FN:A B", "N:B;A;;;", "EMAIL;PREF=1;X-K=1:a@x", "item1.X-ABRELATEDNAMES:Jane",
        "item1.X-ABLabel:_$!<Spouse>!$_", "item2.X-ABDATE:2001-02-03",
        "item2.X-ABLabel:_$!<Anniversary>!$_", "IMPP:xmpp:me@x",
        "X-SOCIALPROFILE;TYPE=twitter:http://twitter.com/me", "TEL;TYPE=CELL;X-Q=7:+49 30 1",
        "TEL;TYPE=HOME:22",
    ])

    private func edited(
        _ cards: String, _ profile: String, _ old: String, _ new: String
    ) throws -> (text: String, report: Report) {
        let place = try ImportPlace()
        // Behind another contact, whose row is as it was.
        let other = card(["UID:o", "FN:O", "N:O;;;;", "EMAIL:o@x", "TEL:00", "X-SPOUSE:Pat"])
        try place.importing([place.write("o.vcf", other)], into: "c.realm")
        try place.importing([place.write("a.vcf", cards)], into: "c.realm")
        try export(place, profile)
        let table = try place.text("a.csv")
        #expect(table.contains(old), "\(old)")
        _ = try place.write("a.csv", table.replacingOccurrences(of: old, with: new))
        let report = try back(place)
        #expect(report.merged == 1 && report.skipped == 1)
        let again = try back(place)
        #expect(again.skipped == 2 && again.merged == 0, "the edited table again")
        try export(place, profile)
        #expect(try back(place).skipped == 2, "a new export")
        try place.convert(place.path("c.realm"), to: "b.vcf")
        return (try place.text("b.vcf"), report)
    }

    @Test(arguments: [
        ("Spouse,Jane", "Spouse,Joan", "Joan", "Jane"),
        ("Anniversary,2001-02-03", "Anniversary,2001-02-04", "2001-02-04", "2001-02-03"),
        ("+49 30 1", "+49 30 9", "+49 30 9", "+49 30 1\r"),
        ("A,,B,,", "A,,C,,", "N:C;A;;;", "N:B;A"),
    ])
    func whatWasEditedTakesThePlaceOfTheOldAlone(
        _ old: String, _ new: String, _ there: String, _ gone: String
    ) throws {
        let (text, report) = try edited(apple, "google", old, new)
        #expect(text.contains(there), "\(text)")
        #expect(!text.contains(gone), "\(text)")
        for line in [
            "IMPP:xmpp:me@x", "X-SOCIALPROFILE;TYPE=twitter:http://twitter.com/me", "X-K=1",
            "TEL;TYPE=HOME:22", "X-Q=7",
        ] { #expect(text.contains(line), "\(line): \(text)") }
        // A name is not told: it is what the update is for.
        let lost = report.items.filter { $0.kind == .lost }
        #expect(lost.count == (old.hasPrefix("A,") ? 0 : 1), "\(report.items)")
        if let value = lost.first?.value { #expect(old.hasSuffix(value), "\(value)") }
    }

    /// Messengers stand in columns for anything where there are no others.
    @Test(arguments: [
        ("google", "xmpp,me@x", "xmpp,you@x"), ("outlook", "xmpp:me@x", "xmpp:you@x"),
        ("thunderbird", "xmpp:me@x", "xmpp:you@x"),
    ])
    func anEditedMessengerStaysOne(_ profile: String, _ old: String, _ new: String) throws {
        let (text, _) = try edited(apple, profile, old, new)
        #expect(text.contains("IMPP:xmpp:you@x\r\n"), "\(text)")
        #expect(!text.contains("me@x") && !text.contains("X-CSV-FIELD"), "\(text)")
    }

    @Test func anotherKindKeepsWhatTheTableCannotSay() throws {
        let (text, report) = try edited(apple, "google", "Mobile,+49 30 1", "Work,+49 30 1")
        let line = text.lowercased().split(whereSeparator: \.isNewline).first {
            $0.hasSuffix(":+49 30 1")
        }
        #expect(line?.contains("x-q=7") == true && line?.contains("work") == true, "\(text)")
        #expect(!report.items.contains { $0.kind == .lost }, "\(report.items)")
    }

    /// Columns of another program say less, and no more than is known.
    @Test func aTableWithFewColumnsChangesNothing() throws {
        let place = try ImportPlace()
        try place.importing([place.write("a.vcf", apple)], into: "c.realm")
        let before = try place.rows("c.realm", "Contact")
        let table = try place.write(
            "t.csv",
            "First Name,Last Name,E-mail Address,Mobile Phone,Home Phone\nA,B,a@x,+49 30 1,22\n")
        let report = try place.importing([table], into: "c.realm") {
            try $0.options.setMatch("email")
        }
        #expect(report.skipped == 1 && report.merged == 0)
        #expect(try place.rows("c.realm", "Contact") == before)
    }

    @Test func anEditedNoteKeepsTheLinesOfOverflowOut() throws {
        let place = try ImportPlace()
        let cards = card(["UID:n", "FN:A B", "N:B;A;;;", "EMAIL:a@x", "NOTE:Own", "X-FOO:bar"])
        try place.importing([place.write("a.vcf", cards)], into: "c.realm")
        try export(place, "outlook", true)
        let table = try place.text("a.csv")
        #expect(table.contains("X-FOO: bar"))
        _ = try place.write("a.csv", table.replacingOccurrences(of: "Own", with: "Edited"))
        #expect(try back(place).merged == 1)
        try place.convert(place.path("c.realm"), to: "b.vcf")
        let text = try place.text("b.vcf")
        #expect(text.contains("NOTE:Edited\r\n") && text.contains("X-FOO:bar\r\n"), "\(text)")
    }
}
