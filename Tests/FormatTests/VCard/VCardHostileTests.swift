import Foundation
import Testing

@testable import Formats

/// Inputs nobody should write: the reader ends, keeps its memory, and what it read can be written.
@Suite("hostile cards") struct VCardHostileTests {
    static let seeds = VCardRoundTripTests.files.filter {
        ((try? Data(contentsOf: URL(fileURLWithPath: $0)).count) ?? 0) < 20_000
    }

    private func exercise(_ bytes: [UInt8]) throws {
        let count = try contacts(cardInput(bytes)).count
        let once = try PlainCard.converted(cardInput(bytes))
        let twice = try PlainCard.converted(cardInput(once))
        #expect(once == twice)
        for version in ["2.1", "3.0", "4.0"] {
            let out = try PlainCard.converted(cardInput(bytes), version: version)
            #expect(try contacts(cardInput(out)).count == count)
        }
        let through = try PlainCard.throughContacts(cardInput(bytes))
        #expect(try contacts(cardInput(through)).count == count)
    }

    @Test(
        arguments: Array(seeds.enumerated().map { $0 }.filter { $0.offset % 4 == 0 }.map(\.element))
    )
    func flippedAndCutBytesAreSurvived(_ path: String) throws {
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        var random = SeededGenerator(UInt64(bytes.count))
        let alphabet =
            Array("BEGIN:VCARD\r\nEND;=\\,\"^ \tN:\u{FEFF}".utf8) + [0, 0xFF, 0xC3, 0x81]
        for _ in 0..<4 {
            var copy = bytes
            for _ in 0..<8 where !copy.isEmpty {
                let at = Int(random.next() % UInt64(copy.count))
                copy[at] = alphabet[Int(random.next() % UInt64(alphabet.count))]
            }
            if random.next() % 2 == 0 {
                copy.removeLast(Int(random.next() % UInt64(copy.count + 1)))
            }
            _ = try contacts(cardInput(copy))
            _ = try PlainCard.throughContacts(cardInput(copy))
            for version in [nil, "2.1", "3.0", "4.0"] {
                _ = try PlainCard.converted(cardInput(copy), version: version)
            }
        }
    }

    @Test(arguments: [
        "BEGIN:VCARD", "BEGIN:VCARD\nEND:VCARD", "BEGIN:VCARD\nN", "BEGIN:VCARD\n:",
        "BEGIN:VCARD\n;:", "BEGIN:VCARD\n.:", "BEGIN:VCARD\nN;=:", "BEGIN:VCARD\nN;A=\"",
        "BEGIN:VCARD\nPHOTO:data:", "BEGIN:VCARD\nPHOTO:data:;base64,",
        "BEGIN:VCARD\nPHOTO;BASE64:=", "BEGIN:VCARD\nTEL:tel:", "BEGIN:VCARD\nTEL:tel:;ext=",
        "BEGIN:VCARD\nBDAY:T", "BEGIN:VCARD\nBDAY:-", "BEGIN:VCARD\nIMPP::", "BEGIN:VCARD\nN:\\",
        "BEGIN:VCARD\nAGENT:\nBEGIN:VCARD\n", "BEGIN:VCARD\nN;QUOTED-PRINTABLE:=",
        "BEGIN:VCARD\nGEO:geo:", "BEGIN:VCARD\nVERSION:4.0\nGEO:geo:,", "BEGIN:VCARD\nVERSION:",
        "BEGIN:VCARD\nVERSION:4.0\nGEO:;", "BEGIN:VCARD\nVERSION:4.0\nGEO:",
    ])
    func stumpsAreCards(_ text: String) throws {
        #expect(try contacts(cardInput(text)).count == 1)
        try exercise(Array(text.utf8))
    }

    @Test func aMissingEndDoesNotSwallowTheNextCards() throws {
        let card = "BEGIN:VCARD\nVERSION:3.0\nFN:a\n"
        let closed = card + "END:VCARD\n"
        #expect(try contacts(cardInput(card + closed + closed)).count == 3)
        #expect(try contacts(cardInput(String(repeating: card, count: 3000))).count == 3000)
        #expect(try contacts(cardInput(card + String(repeating: closed, count: 500))).count == 501)
    }

    @Test func nestedCardsBelongToTheirCard() throws {
        let text = """
            BEGIN:VCARD
            VERSION:2.1
            N:parent
            BEGIN:VCARD
            N:one
            END:VCARD
            BEGIN:VCARD
            N:two
            END:VCARD
            TEL:1
            END:VCARD
            """
        let all = try contacts(cardInput(text))
        #expect(all.count == 1)
        #expect(Golden.list(all.first?["agents"]).count == 2)
        #expect(Golden.list(all.first?["phones"]).count == 1)
        try exercise(Array(text.utf8))
    }

    @Test func manyPropertiesAreRead() throws {
        var text = "BEGIN:VCARD\nVERSION:3.0\nFN:a\n"
        for i in 0..<100_000 { text += "item\(i).TEL:\(i)\nitem\(i).X-ABLabel:l\n" }
        text += "END:VCARD\n"
        let all = try contacts(cardInput(text))
        #expect(Golden.list(all.first?["phones"]).count == 100_000)
    }

    @Test func aCardAboveTheLimitIsSetAside() throws {
        let context = ExchangeContext()
        var rejected = 0
        context.onReject = { bytes, error in
            rejected = bytes.count
            #expect(error.code == .limitExceeded)
        }
        var text = Array("BEGIN:VCARD\nNOTE:".utf8)
        text += [UInt8](repeating: 0x61, count: VCardReader.cardLimit)
        text += Array("\nEND:VCARD\nBEGIN:VCARD\nFN:next\nEND:VCARD\n".utf8)
        let all = try contacts(cardInput(text), context)
        #expect(all.map { $0["formattedName"] as? String } == ["next"])
        #expect(rejected > VCardReader.cardLimit)
        #expect(context.report.setAside == 1 && context.report.read == 2)
    }
}
