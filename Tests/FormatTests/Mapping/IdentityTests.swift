import Testing

@testable import Formats

@Suite("identity") struct IdentityTests {
    private func message(_ count: Int) -> [UInt8] { (0..<count).map { UInt8($0) } }

    /// The vectors its authors publish: key 00…0F, message 00, 01, ….
    @Test(arguments: [
        (0, 0x726f_db47_dd0e_0e31 as UInt64), (1, 0x74f8_39c5_93dc_67fd),
        (8, 0x93f5_f579_9a93_2462),
        (15, 0xa129_ca61_49be_45e5),
    ])
    func sipHashHasItsPublishedVectors(_ count: Int, _ expected: UInt64) {
        var hash = SipHash(key0: 0x0706_0504_0302_0100, key1: 0x0f0e_0d0c_0b0a_0908)
        message(count).withUnsafeBytes { hash.add($0) }
        #expect(hash.finish64() == expected)
    }

    @Test(arguments: [
        (0, 0xe6a8_25ba_047f_81a3 as UInt64, 0x9302_55c7_1472_f66d as UInt64),
        (1, 0x44af_996b_d8c1_87da, 0x45fc_229b_1159_7634),
    ])
    func wideSipHashHasItsPublishedVectors(_ count: Int, _ low: UInt64, _ high: UInt64) {
        var hash = SipHash(key0: 0x0706_0504_0302_0100, key1: 0x0f0e_0d0c_0b0a_0908, wide: true)
        message(count).withUnsafeBytes { hash.add($0) }
        let result = hash.finish128()
        #expect(result == (low, high))
    }

    @Test func piecesDoNotMatter() {
        var one = SipHash(key0: 1, key1: 2)
        var two = one
        message(100).withUnsafeBytes { one.add($0) }
        for byte in message(100) { two.add(byte) }
        #expect(one.finish64() == two.finish64())
        for first in 0...17 {
            for second in 0...17 {
                var pieces = SipHash(key0: 1, key1: 2, wide: true)
                var bytes = pieces
                var last = pieces
                message(first).withUnsafeBytes { pieces.add($0) }
                message(first).withUnsafeBytes { last.add($0) }
                let sum = message(second).withUnsafeBytes { last.finish128(adding: $0) }
                message(second).withUnsafeBytes { pieces.add($0) }
                for byte in message(first) + message(second) { bytes.add(byte) }
                let expected = bytes.finish128()
                #expect(pieces.finish128() == expected)
                #expect(sum == expected)
            }
        }
    }

    private func ids(_ text: String) throws -> [String] {
        try contacts(cardInput(text)).compactMap { $0["_id"] as? String }
    }
    private func card(_ lines: String) -> String {
        "BEGIN:VCARD\nVERSION:3.0\nFN:a\n" + lines + "END:VCARD\n"
    }

    @Test func aUIDOf24HexDigitsIsTheID() throws {
        #expect(
            try ids(card("UID:570f4b9d5a3c2e0001a1b2c3\n")) == ["570f4b9d5a3c2e0001a1b2c3"])
    }

    @Test func idsAreTheSameEachTimeAndDifferInAFile() throws {
        let text = card("UID:x\n") + card("UID:y\n") + card("") + card("") + card("UID:x\n")
        let once = try ids(text)
        #expect(once == (try ids(text)))
        #expect(Set(once).count == 5)
    }

    @Test func revisionAndProgramDoNotCount() throws {
        #expect(try ids(card("REV:1\nPRODID:a\n")) == (try ids(card("REV:2\n"))))
        #expect(try ids(card("NOTE:1\n")) != (try ids(card("NOTE:2\n"))))
    }

    /// The same contact in another spelling, version or program.
    @Test(arguments: [
        (
            "VERSION:3.0\nN:B;A;;;\nFN:A B\nEMAIL;TYPE=INTERNET;TYPE=WORK:a@x\nBDAY:1980-01-02\n",
            "VERSION:4.0\nFN:A B\nEMAIL;TYPE=work:a@x\nBDAY:19800102\n"
        ),
        (
            "VERSION:3.0\nN:B;A;;;\nNOTE:a, b\n",
            "VERSION:3.0\nN:B;A;;;\nNOTE:a\\, b\nFN:A B\n"
        ),
        (
            "VERSION:3.0\nFN:A\nTEL;VALUE=uri:tel:+1;ext=5\nORG:O;\n",
            "VERSION:3.0\nFN:A\nTEL;TYPE=WORK:+1\\;ext=5\nORG:O\nADR:;;;;;;\n"
        ),
        (
            "VERSION:3.0\nFN:A\nX-SKYPE;type=home;type=pref:a\n",
            "VERSION:3.0\nX-SKYPE;TYPE=HOME,PREF:a\nFN:A\nN:A;;;;\nREV:1\n"
        ),
    ])
    func spellingsDoNotCount(_ a: String, _ b: String) throws {
        func id(_ lines: String) throws -> [String] {
            try ids("BEGIN:VCARD\n" + lines + "END:VCARD\n")
        }
        #expect(try id(a) == (try id(b)))
    }

    @Test func aNameAloneIsNotEnough() throws {
        #expect(try ids(card("X-ICQ:1\n")) != (try ids(card("X-ICQ:2\n"))))
        #expect(try ids(card("EMAIL:a@x\n")) != (try ids(card("EMAIL:b@x\n"))))
    }
}
