import Foundation
import TestSupport
import Testing

@testable import Formats

/// Contacts reduced to what the golden files say, so that both sides can be compared as text.
enum Golden {
    typealias Object = [String: Any]

    static func s(_ value: Any?) -> String {
        let text = (value as? String) ?? ""
        return text.replacingOccurrences(of: "\r\n", with: "\n")
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }
    static func list(_ value: Any?) -> [Any] { value as? [Any] ?? [] }
    static func object(_ value: Any?) -> Object { value as? Object ?? [:] }
    static func texts(_ value: Any?) -> [String] {
        list(value).map { $0 is String ? s($0) : s(object($0)["value"]) }.filter { !$0.isEmpty }
    }
    static func types(_ value: Any?) -> [String] {
        list(value).map { ($0 as? String ?? "").lowercased() }.filter { $0 != "pref" }.sorted()
    }
    static func number(_ value: Any?) -> Any { (value as? Int).map { $0 as Any } ?? NSNull() }

    static func typed(_ value: Any?, phone: Bool = false) -> [[Any]] {
        list(value).map(object).filter { !s($0["value"]).isEmpty }.map { x in
            [s(x["value"]), types(x["types"]), number(x["pref"] ?? x["preference"]), s(x["label"])]
                + (phone ? [s(x["uri"]), s(x["ext"] ?? x["extension"])] : [])
        }
    }
    static func when(_ value: Any?) -> Any {
        guard let d = value as? Object else { return NSNull() }
        if let text = d["text"] as? String, number(d["year"]) is NSNull,
            number(d["month"]) is NSNull, number(d["day"]) is NSNull
        {
            return ["text", s(text)]
        }
        return [number(d["year"]), number(d["month"]), number(d["day"]), s(d["time"])] as [Any]
    }
    static func sortAs(_ value: Any?) -> [String] {
        if let one = value as? String { return [one] }
        return list(value).map { s($0) }.filter { !$0.isEmpty }
    }
    static func names(_ n: Object, _ sort: Any?) -> [Any] {
        [s(n["family"]), s(n["given"])]
            + ["additional", "prefixes", "suffixes"].map { key in
                list(n[key]).map { s($0) }.filter { !$0.isEmpty }
            } + [sortAs(sort)]
    }

    static func expected(_ c: Object) -> Object {
        let n = object(c["n"])
        return [
            "version": s(c["version"]), "kind": s(c["kind"]).lowercased(), "fn": s(c["fn"]),
            "n": names(n, n["sort_as"]), "nickname": texts(c["nickname"]),
            "tel": typed(c["tel"], phone: true), "email": typed(c["email"]),
            "url": typed(c["url"]),
            "adr": list(c["adr"]).map(object).map { a in
                ["pobox", "extended", "street", "locality", "region", "code", "country"].map {
                    s(a[$0])
                } + [types(a["types"]), number(a["pref"]), s(a["label"]), s(a["formatted"])]
            },
            "org": list(c["org"]).map(object).map { o in
                [s(o["name"]), list(o["units"]).map { s($0) }, types(o["types"])] as [Any]
            },
            "title": texts(c["title"]), "role": texts(c["role"]), "note": texts(c["note"]),
            "categories": texts(c["categories"]), "bday": when(c["bday"]),
            "anniversary": when(c["anniversary"]),
            "photo": list(c["photo"]).map(object).map { p in
                [number(p["bytes"]), s(p["mediatype"]), s(p["uri"])]
            },
            "uid": s(c["uid"]), "rev": s(c["rev"]), "prodid": s(c["prodid"]),
            "labels": list(c["labels"]).map(object).map { [s($0["value"]), types($0["types"])] },
        ]
    }

    static func ours(_ c: Object) -> Object {
        let n = object(list(c["names"]).first)
        func date(_ kind: String) -> Any {
            when(list(c["dates"]).map(object).first { $0["kind"] as? String == kind })
        }
        return [
            "version": s(c["version"]), "kind": s(c["kind"]).lowercased(),
            "fn": s(c["formattedName"]), "n": names(n, n["sortAs"]),
            "nickname": texts(c["nicknames"]), "tel": typed(c["phones"], phone: true),
            "email": typed(c["emails"]), "url": typed(c["urls"]),
            "adr": list(c["addresses"]).map(object).map { a in
                [
                    "poBox", "extended", "street", "locality", "region", "postalCode", "country",
                ].map { s(a[$0]) }
                    + [
                        types(a["types"]), number(a["preference"]), s(a["label"]),
                        s(a["formatted"]),
                    ]
            },
            "org": list(c["organizations"]).map(object).map { o in
                [s(o["name"]), list(o["units"]).map { s($0) }, types(o["types"])] as [Any]
            },
            "title": texts(c["titles"]), "role": texts(c["roles"]), "note": texts(c["notes"]),
            "categories": texts(c["categories"]), "bday": date("birthday"),
            "anniversary": date("anniversary"),
            "photo": list(c["photos"]).map(object).map { p in
                [
                    number((p["data"] as? String).flatMap { Data(base64Encoded: $0)?.count }),
                    s(p["mediaType"]), s(p["uri"]),
                ]
            },
            "uid": s(c["uid"]), "rev": s(object(c["revision"])["text"]),
            "prodid": s(c["productID"]),
            "labels": list(c["labels"]).map(object).map { [s($0["value"]), types($0["types"])] },
        ]
    }

    static func differences(_ a: Object, _ b: Object) -> [String] {
        a.keys.sorted().compactMap { key in
            let x = text(a[key])
            let y = text(b[key])
            return x == y ? nil : "\(key): \(y) instead of \(x)"
        }
    }
    private static func text(_ value: Any?) -> String {
        guard let value,
            let data = try? JSONSerialization.data(
                withJSONObject: value, options: [.fragmentsAllowed, .sortedKeys])
        else { return "nothing" }
        return String(decoding: data, as: UTF8.self)
    }
}

@Suite("golden contacts") struct VCardGoldenTests {
    @Test(arguments: Shared.files("corpus/interchange/expected", ".json"))
    func goldenFileIsReproduced(_ path: String) throws {
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        let golden = Golden.object(try JSONSerialization.jsonObject(with: data))
        let folder = try #require(Shared.folder) + "/corpus/interchange/"
        let source = try InputBytes.open(folder + Golden.s(golden["file"]))
        let want = Golden.list(golden["cards"]).map { Golden.expected(Golden.object($0)) }
        let have = try contacts(source).map { Golden.ours($0) }
        #expect(want.count == have.count)
        for (i, (a, b)) in zip(want, have).enumerated() {
            #expect(Golden.differences(a, b) == [], "card \(i)")
        }
    }

    @Test(arguments: Shared.files("corpus/interchange/bugs", ".vcf"))
    func publicBugHasTheRightResult(_ path: String) throws {
        let text = try String(
            contentsOfFile: String(path.dropLast(4)) + ".expected.md", encoding: .utf8)
        let start = try #require(text.range(of: "```json"))
        let end = try #require(text.range(of: "```", range: start.upperBound..<text.endIndex))
        let json = Data(text[start.upperBound..<end.lowerBound].utf8)
        let cards = Golden.list(try JSONSerialization.jsonObject(with: json)).map(Golden.object)
        let have = try contacts(try InputBytes.open(path)).map { Golden.ours($0) }
        #expect(cards.count == have.count)
        for (card, ours) in zip(cards, have) {
            // The stated members only.
            let want = Golden.expected(card)
            let keys = Set(card.keys)
            #expect(
                Golden.differences(want.filter { keys.contains($0.key) }, ours) == [],
                "\(path)")
        }
    }

    @Test func manifestFactsHold() throws {
        guard let folder = Shared.folder else { return print("skipped: no shared data") }
        let base = folder + "/corpus/interchange/"
        let manifest = try String(contentsOfFile: base + "MANIFEST.tsv", encoding: .utf8)
        var checked = 0
        for row in manifest.split(separator: "\n") where row.hasPrefix("vcard/") {
            let cells = row.components(separatedBy: "\t")
            let facts = cells[7]
            guard let count = facts.firstMatch(of: #/cards=(\d+)/#).flatMap({ Int($0.1) }),
                FileManager.default.fileExists(atPath: base + cells[0])
            else { continue }
            let have = try contacts(try InputBytes.open(base + cells[0]))
            #expect(have.count == count, "\(cells[0])")
            if let name = facts.firstMatch(of: #/FN\[0\]="(.*?)"(?:;|$)/#)?.1,
                let first = have.first
            {
                // Its only CHARSET parameter says windows-1251, which the manifest's reader ignored.
                if cells[0].hasSuffix("folkerkinzel-Ukrainian.vcf") { continue }
                #expect(
                    Golden.s(first["formattedName"]) == Golden.s(String(name)), "\(cells[0])")
            }
            checked += 1
        }
        print("\(checked) files of the manifest checked")
    }
}
