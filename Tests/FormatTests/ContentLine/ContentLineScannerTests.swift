import Testing

@testable import Formats

/// One line as plain values, for comparing.
struct PlainLine: Equatable, CustomStringConvertible {
    var group = ""
    var name = ""
    var parameters: [String] = []
    var value: [UInt8] = []

    var description: String {
        "\(group).\(name);\(parameters):\(String(decoding: value, as: UTF8.self))"
    }
}

func scan(_ bytes: [UInt8]) -> [PlainLine] {
    bytes.withUnsafeBytes { raw in
        var scanner = ContentLineScanner(raw)
        let lines = ContentLines()
        lines.begin(at: scanner.pointer(at: 0))
        while scanner.next(into: lines) {}
        return (0..<lines.count).map { i in
            let line = lines[i]
            return PlainLine(
                group: lines.string(line.group), name: lines.string(line.name),
                parameters: lines.parameterIndices(line).map { j in
                    let p = lines.parameters[j]
                    return p.isBare
                        ? lines.string(p.value)
                        : lines.string(p.name) + "=" + lines.string(p.value)
                },
                value: Array(lines.bytes(line.value)))
        }
    }
}

@Suite("content lines") struct ContentLineScannerTests {
    @Test(arguments: [
        ("A:b\r\nC:d\r\n", ["A:b", "C:d"]),
        ("A:b\nC:d", ["A:b", "C:d"]),
        ("A:b\rC:d\r", ["A:b", "C:d"]),
        ("A:b\r\r\nC:d\r\r\n", ["A:b", "C:d"]),
        ("\u{FEFF}A:b\n\n\n\u{FEFF}C:d", ["A:b", "C:d"]),
        ("A:b\r\n c\r\n\td\r\nE:f", ["A:bcd", "E:f"]),
        ("A:b\r\n  c", ["A:b c"]),
        ("A:b\n\n c\n\nE:f", ["A:bc", "E:f"]),
        ("ITEM1.Tel;HOME;TYPE=a,b:1", ["ITEM1.Tel;HOME;TYPE=a,b:1"]),
        ("A;X=\"b:c;d\":e", ["A;X=\"b:c;d\":e"]),
        ("A;X=\"b:e", ["A;X=\"b:e"]),
        ("A;TZID=(GMT+01:00) Bern;B=c:e", ["A;TZID=(GMT+01:00) Bern;B=c:e"]),
        ("A;TZID=(GMT+01:0\r\n 0) Bern:e", ["A;TZID=(GMT+01:00) Bern:e"]),
        ("A;TZID=(b:e\r\nC:d", ["A;TZID=(b:e", "C:d"]),
        ("A;;B;=:c", ["A;B;=:c"]),
        ("A;X=b\r\n c;Y=d:e\r\n f", ["A;X=bc;Y=d:ef"]),
        ("no colon\nA:b", ["|no colon", "A:b"]),
        (
            "A;ENCODING=QUOTED-PRINTABLE:b=\r\nc=\n\n d\nE:f",
            ["A;ENCODING=QUOTED-PRINTABLE:bc d", "E:f"]
        ),
        ("A;quoted-printable:b=\nEND:VCARD", ["A;quoted-printable:b=", "END:VCARD"]),
        ("A;QUOTED-PRINTABLE:=C3=\n =BC", ["A;QUOTED-PRINTABLE:=C3=BC"]),
        ("A;QUOTED-PRINTABLE:=20=\n =BC", ["A;QUOTED-PRINTABLE:=20 =BC"]),
        ("A;BASE64:\nAAAA\nBBBB\nC:d", ["A;BASE64:AAAABBBB", "C:d"]),
        ("A;BASE64:AA\n\nBBBB\nC:d", ["A;BASE64:AA", "|BBBB", "C:d"]),
        ("A:b\\\nc;d\nE:f", ["A:b\\\nc;d", "E:f"]),
        ("X-GOOGLE TALK:a", ["X-GOOGLE TALK:a"]),
        ("A:", ["A:"]),
        ("", []),
        ("\r\n\r\n", []),
    ])
    func shapesAreRead(_ text: String, _ expected: [String]) {
        let lines = scan(Array(text.utf8)).map { line in
            let head =
                (line.group.isEmpty ? "" : line.group + ".")
                + ([line.name] + line.parameters).joined(separator: ";")
            let value = String(decoding: line.value, as: UTF8.self)
            return line.name.isEmpty && line.parameters.isEmpty ? "|" + value : head + ":" + value
        }
        #expect(lines == expected)
    }

    /// The slow obvious way: join folds byte by byte, then cut at the first colon outside quotes.
    static func slowly(_ bytes: [UInt8]) -> [PlainLine] {
        var physical: [[UInt8]] = [[]]
        var i = 0
        while i < bytes.count {
            if bytes[i] == 10 {
                physical.append([])
            } else if bytes[i] == 13 {
                var j = i
                while j < bytes.count, bytes[j] == 13 { j += 1 }
                if j < bytes.count, bytes[j] == 10 { i = j }
                physical.append([])
            } else {
                physical[physical.count - 1].append(bytes[i])
            }
            i += 1
        }
        var logical: [[UInt8]] = []
        for line in physical where !line.isEmpty {
            if let first = line.first, first == 32 || first == 9, !logical.isEmpty {
                logical[logical.count - 1] += line.dropFirst()
            } else {
                logical.append(line)
            }
        }
        return logical.map { bytes in
            for quotes in [true, false] {
                var inQuotes = false
                var colon: Int?
                var pastName = false
                for (i, c) in bytes.enumerated() {
                    if c == 0x3B && !inQuotes { pastName = true }
                    if c == 0x22 && quotes && pastName {
                        // Quotes count in parameter values only.
                        let head = bytes[..<i]
                        let semicolon = head.lastIndex(of: 0x3B) ?? 0
                        if inQuotes || head[semicolon...].contains(0x3D) { inQuotes.toggle() }
                    }
                    if c == 0x3A && !inQuotes {
                        colon = i
                        break
                    }
                }
                if let colon {
                    return PlainLine(name: "?", value: Array(bytes[(colon + 1)...]))
                }
            }
            return PlainLine(value: bytes)
        }
    }

    @Test func joiningEqualsItsSlowTwin() {
        var random = SeededGenerator(7)
        let alphabet = Array("AC.:;=\" \t\r\n\r\nxyzüé,".utf8)
        for round in 0..<4000 {
            let bytes = (0..<Int(random.next() % 60)).map { _ in
                alphabet[Int(random.next() % UInt64(alphabet.count))]
            }
            let fast = scan(bytes).map {
                $0.name.isEmpty && $0.parameters.isEmpty && $0.group.isEmpty
                    ? PlainLine(value: $0.value) : PlainLine(name: "?", value: $0.value)
            }
            let slow = ContentLineScannerTests.slowly(bytes)
            #expect(
                fast.map(\.value) == slow.map(\.value),
                "round \(round): \(String(decoding: bytes, as: UTF8.self).debugDescription)")
        }
    }

    @Test func keysAreSpelledRight() {
        for (name, key) in [
            ("BEGIN", NameKey.begin), ("END", NameKey.end), ("ENCODING", NameKey.encoding),
            ("CHARSET", NameKey.charset), ("BASE64", NameKey.base64), ("B", NameKey.b),
            ("TYPE", NameKey.type), ("VALUE", NameKey.value), ("PREF", NameKey.pref),
            ("LANGUAGE", NameKey.language),
        ] {
            #expect(NameKey.of(name) == key)
            #expect(NameKey.of(name.lowercased()) == key)
        }
    }

    @Test(arguments: ["END", "BEGIN", "CHARSET", "ENCODING", "B", "TYPE", "QUOTED-PRINTABLE"])
    func noLongerNameHasTheKeyOfAnother(_ name: String) {
        let filler = String(repeating: "-", count: 16)
        for longer in [
            filler + name, name + filler, name.prefix(1) + filler + name.dropFirst(),
            filler + filler + name,
        ] {
            #expect(NameKey.of(String(longer)) != NameKey.of(name), "\(longer)")
        }
        #expect(NameKey.of("AAAAAAAAAAAAAAAAX") != NameKey.of("BBBBBBBBBBBBBBBBX"))
    }
}
