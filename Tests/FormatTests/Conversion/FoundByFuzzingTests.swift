// What fuzzing has found stays fixed: the inputs of Fuzz/Regressions, by the laws that need no
// fuzzer.

import Foundation
import Testing

@testable import Formats

@Suite("Found by fuzzing") struct FoundByFuzzingTests {
    private static func files(_ target: String) -> [String] {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        let folder = root.appendingPathComponent("Fuzz/Regressions/\(target)").path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.sorted().map { "\(folder)/\($0)" }
    }

    @Test func theInputsAreThere() {
        #expect(Self.files("vcard").count > 5 && Self.files("ical").count > 5)
    }

    @Test(arguments: files("vcard"))
    func cardsWrittenTwiceAreEqual(_ path: String) throws {
        let once = try PlainCard.converted(try InputBytes.open(path))
        #expect(try PlainCard.converted(cardInput(once)) == once)
    }

    @Test(arguments: files("contacts") + files("contact-versions") + files("vcard"))
    func contactsWrittenTwiceAreEqual(_ path: String) throws {
        let once = try PlainCard.throughContacts(try InputBytes.open(path))
        let twice = try PlainCard.throughContacts(cardInput(once))
        // What was read tolerantly may be spelled once more; then it stays.
        #expect(try twice == once || PlainCard.throughContacts(cardInput(twice)) == twice)
    }

    @Test(arguments: files("ical") + files("todos"))
    func calendarsWrittenTwiceAreEqual(_ path: String) throws {
        let once = try Todos.converted(try InputBytes.open(path))
        #expect(try Todos.converted(cardInput(once)) == once)
    }
}
