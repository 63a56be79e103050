import Foundation
import TestSupport
import Testing

@testable import Formats

@Suite("vCard round trips") struct VCardRoundTripTests {
    static let files =
        Shared.files("corpus/interchange/vcard", ".vcf")
        + Shared.files("corpus/interchange/bugs", ".vcf")

    private func compare(_ path: String, _ written: [UInt8]) throws {
        let before = try PlainCard.cards(try InputBytes.open(path))
        let after = try PlainCard.cards(cardInput(written))
        #expect(before.count == after.count, "\(path)")
        for (a, b) in zip(before, after) where a.lines != b.lines {
            let lost = a.lines.filter { !b.lines.contains($0) }.map { String($0.prefix(300)) }
            let made = b.lines.filter { !a.lines.contains($0) }.map { String($0.prefix(300)) }
            // A card without a version is written as 3.0.
            if made == [". VERSION:  : 3.0"] || made == [".VERSION  : 3.0"], lost.isEmpty {
                continue
            }
            Issue.record("\(path)\nlost \(lost)\nmade \(made)")
        }
    }

    @Test(arguments: files)
    func sameVersionIsEqualPropertyByProperty(_ path: String) throws {
        try compare(path, try PlainCard.converted(try InputBytes.open(path)))
    }

    @Test(arguments: files)
    func contactsLoseNothing(_ path: String) throws {
        try compare(path, try PlainCard.throughContacts(try InputBytes.open(path)))
    }

    @Test(arguments: files)
    func writingIsStable(_ path: String) throws {
        let once = try PlainCard.converted(try InputBytes.open(path))
        #expect(try PlainCard.converted(cardInput(once)) == once)
    }
}
