// jCards against RFC 7095: the examples of its rules, and cards there and back.

import Foundation
import Testing

@testable import Formats

@Suite("jCard") struct JCardTests {
    private func converted(_ text: String, from: String, to: String) throws -> String {
        let input = NSTemporaryDirectory() + "rtool-test-\(UUID().uuidString).\(from)"
        let out = input + "." + to
        defer {
            try? FileManager.default.removeItem(atPath: input)
            try? FileManager.default.removeItem(atPath: out)
        }
        try Data(text.utf8).write(to: URL(fileURLWithPath: input))
        try Conversion(from: input, to: out, context: ExchangeContext()).run()
        return try String(contentsOfFile: out, encoding: .utf8)
    }

    /// Lines of a 4.0 card and the properties of its jCard.
    static let pairs: [(String, String)] = [
        ("FN:J. Doe\\, Esq.", #"["fn", {}, "text", "J. Doe, Esq."]"#),
        (
            "N:Perreault;Simon;;;ing. jr,M.Sc.",
            #"["n", {}, "text", ["Perreault", "Simon", "", "", ["ing. jr", "M.Sc."]]]"#
        ),
        ("NICKNAME:Jim,Jimmie", #"["nickname", {}, "text", "Jim", "Jimmie"]"#),
        ("ORG:Acme\\; Co;Sales", #"["org", {}, "text", ["Acme; Co", "Sales"]]"#),
        ("ORG:Acme", #"["org", {}, "text", "Acme"]"#),
        ("GENDER:O;other", #"["gender", {}, "text", ["O", "other"]]"#),
        ("BDAY:19850412", #"["bday", {}, "date-and-or-time", "1985-04-12"]"#),
        ("BDAY:1985-04", #"["bday", {}, "date-and-or-time", "1985-04"]"#),
        ("BDAY:1985", #"["bday", {}, "date-and-or-time", "1985"]"#),
        ("BDAY:--0412", #"["bday", {}, "date-and-or-time", "--04-12"]"#),
        ("BDAY:---12", #"["bday", {}, "date-and-or-time", "---12"]"#),
        (
            "ANNIVERSARY:20090808T143000-0500",
            #"["anniversary", {}, "date-and-or-time", "2009-08-08T14:30:00-05:00"]"#
        ),
        ("BDAY;VALUE=text:circa 1800", #"["bday", {}, "text", "circa 1800"]"#),
        ("REV:19951031T222710Z", #"["rev", {}, "timestamp", "1995-10-31T22:27:10Z"]"#),
        ("TZ;VALUE=utc-offset:-0500", #"["tz", {}, "utc-offset", "-05:00"]"#),
        ("LANG;PREF=1:fr", #"["lang", {"pref": "1"}, "language-tag", "fr"]"#),
        (
            "TEL;TYPE=work,voice;VALUE=uri:tel:+1-418;ext=102",
            #"["tel", {"type": ["work", "voice"]}, "uri", "tel:+1-418;ext=102"]"#
        ),
        (
            "TEL;VALUE=uri:sip:a;b,c@x.example",
            #"["tel", {}, "uri", "sip:a;b,c@x.example"]"#
        ),
        ("UID:urn:x:a;b,c", #"["uid", {}, "uri", "urn:x:a;b,c"]"#),
        ("TZ;VALUE=uri:http://tz.example/a;b", #"["tz", {}, "uri", "http://tz.example/a;b"]"#),
        (
            "item1.EMAIL;TYPE=work:a@x.example",
            #"["email", {"group": "item1", "type": "work"}, "text", "a@x.example"]"#
        ),
        (
            "ADR;LABEL=\"A, B^nC\":;;;;;;",
            #"["adr", {"label": "A, B\nC"}, "text", ["", "", "", "", "", "", ""]]"#
        ),
        ("X-FOO:a\\,b", #"["x-foo", {}, "unknown", "a\\,b"]"#),
        ("X-BAR;VALUE=text:a\\,b", #"["x-bar", {}, "text", "a,b"]"#),
        ("X-N;VALUE=integer:42", #"["x-n", {}, "integer", 42]"#),
        (
            "PHOTO:data:image/png;base64,AAAA",
            #"["photo", {}, "uri", "data:image/png;base64,AAAA"]"#
        ),
        ("NOTE:two\\nlines", #"["note", {}, "text", "two\nlines"]"#),
    ]

    private static func card(_ line: String) -> String {
        "BEGIN:VCARD\r\nVERSION:4.0\r\n" + line + "\r\nEND:VCARD\r\n"
    }

    private static func jCard(_ property: String) -> String {
        "[\"vcard\", [\n  [\"version\", {}, \"text\", \"4.0\"],\n  " + property + "\n]]\n"
    }

    @Test(arguments: pairs)
    func aLineIsAProperty(_ line: String, _ property: String) throws {
        #expect(
            try converted(Self.card(line), from: "vcf", to: "jcard") == Self.jCard(property))
    }

    @Test(arguments: pairs)
    func aPropertyIsALine(_ line: String, _ property: String) throws {
        #expect(
            try converted(Self.jCard(property), from: "json", to: "vcf") == Self.card(line))
    }

    @Test func severalCardsAreAnArray() throws {
        let two = Self.card("FN:a") + Self.card("FN:b")
        let json = try converted(two, from: "vcf", to: "jcard")
        let all = try #require(
            JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[Any]])
        #expect(all.count == 2)
        #expect(try converted(json, from: "json", to: "vcf") == two)
    }

    @Test func cardsInsideAnAnswerAreFound() throws {
        let json = """
            {"entities": [{"vcardArray": ["vcard", [[["version", {}, "text", "4.0"],
              ["fn", {}, "text", "Reg"]]]]}], "vcardArray": ["vcard",
              [["version", {}, "text", "4.0"], ["fn", {}, "text", "Own"]]]}
            """
        #expect(
            try converted(json, from: "json", to: "vcf") == Self.card("FN:Reg")
                + Self.card("FN:Own"))
    }

    @Test(arguments: [
        "[\"vcard\"]", "[\"vcard\", 1]", "[\"vcard\", []]", "[\"vcard\", [[]]]",
        "[\"vcard\", [[\"fn\"]]]", "[\"vcard\", [[\"fn\", 1, 2, 3]]]",
        "[\"vcard\", [[\"fn\", {\"type\": {}}, \"text\", null]]]",
        "[\"vcard\", [[\"n\", {}, \"text\", [[[[\"a\"]]]]]]]",
        "[[\"vcard\", []], 1, {}]", "[[\"vcard\", [[\"\", {}, \"text\", \"a\"]]]]",
    ])
    func oddCardsAreSurvived(_ text: String) throws {
        let out = try converted(text, from: "json", to: "vcf")
        _ = try converted(Self.card("FN:a") + out, from: "vcf", to: "jcard")
    }

    /// Only names and addresses have lists in their components.
    @Test(arguments: [
        #"["gender", {}, "text", "a,b"]"#, #"["gender", {}, "text", ["", "a,b"]]"#,
        #"["gender", {}, "text", ["a,b", "c;d,e"]]"#, #"["org", {}, "text", ["A, Inc.", "B, C"]]"#,
        #"["n", {}, "text", ["A,B", ["C", "D,E"], "", "", ""]]"#,
    ])
    func commasAreTextWhereThereAreNoLists(_ property: String) throws {
        for version in ["[\"version\", {}, \"text\", \"4.0\"],", ""] {
            let card = "[\"vcard\", [\(version) [\"fn\", {}, \"text\", \"x\"], \(property)]]"
            let once = try converted(card, from: "json", to: "jcard")
            #expect(once.contains(property), "\(once)")
            #expect(try converted(once, from: "jcard", to: "jcard") == once)
        }
    }

    @Test func commasOfACardAreTextToo() throws {
        let card = Self.card("GENDER:O;a, b\r\nORG:A, Inc.;B")
        let json = try converted(card, from: "vcf", to: "jcard")
        #expect(json.contains(#"["gender", {}, "text", ["O", "a, b"]]"#))
        #expect(json.contains(#"["org", {}, "text", ["A, Inc.", "B"]]"#))
    }
}
