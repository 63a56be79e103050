// JSON laid out for people: what breaks a line and what does not, wherever the text is cut.

import Testing

@testable import Formats

@Suite("Indented JSON") struct PrettyJSONTests {
    /// Lays out a text that comes in pieces.
    private func layout(_ text: String, piece: Int) -> String {
        let bytes = Array(text.utf8)
        let out = RawVector<UInt8>()
        defer { out.destroy() }
        var layout = JSONLayout()
        var at = 0
        while at < bytes.count {
            let end = min(at + piece, bytes.count)
            bytes.withUnsafeBytes {
                layout.take(UnsafeRawBufferPointer(rebasing: $0[at..<end]), into: out)
            }
            at = end
        }
        layout.end(into: out)
        return String(decoding: out.elements, as: UTF8.self)
    }

    @Test(arguments: [
        ("", ""), ("[]", "[]\n"), ("[\n]\n", "[]\n"), ("{ }", "{}\n"), (" 1\n", "1\n"),
        ("[1,[],{}]", "[\n  1,\n  [],\n  {}\n]\n"),
        (
            #"{"a":{"$oid":"x"},"b":[{"$date":{"seconds":1,"n":[2,3]}}]}"#,
            """
            {
              "a": {"$oid": "x"},
              "b": [
                {"$date": {"seconds": 1, "n": [2, 3]}}
              ]
            }

            """
        ),
        (
            #"[{"$key":0,"s":"a\"{,}:b\\"},{"o":{"p":{"q":null}}}]"#,
            #"""
            [
              {
                "$key": 0,
                "s": "a\"{,}:b\\"
              },
              {
                "o": {
                  "p": {
                    "q": null
                  }
                }
              }
            ]

            """#
        ),
        (#"{"$numberDecimals":1}"#, "{\n  \"$numberDecimals\": 1\n}\n"),
        (#"{"$numberDecimal":"1"}"#, "{\"$numberDecimal\": \"1\"}\n"),
        (#"{"\u0024oid":1}"#, "{\n  \"\\u0024oid\": 1\n}\n"),
        (#"{"":""}"#, "{\n  \"\": \"\"\n}\n"),
    ])
    func membersAndElementsHaveLinesAndValuesDoNot(_ text: String, _ expected: String) {
        for piece in [1, 2, 3, 1 << 20] { #expect(layout(text, piece: piece) == expected) }
    }

    @Test func whatWasLaidOutIsNotChangedByDoingItAgain() {
        let text = #"{"a":[1,{"$ref":"A","$key":2}],"b":{"c":"d"},"e":[]}"#
        let once = layout(text, piece: 7)
        #expect(layout(once, piece: 5) == once)
    }

    @Test func theOutputReadsBackAsTheSameRows() throws {
        let json = #"[{"a":1,"b":{"$oid":"570f4b9d5a3c2e0001a1b2c3"}},{"c":[]}]"#
        let pretty = try JSONTextToTextTests.convert(
            json, "json", "json",
            {
                $0.extra["pretty"] = ""
            })
        #expect(
            pretty.text == """
                [
                  {
                    "a": 1,
                    "b": {"$oid": "570f4b9d5a3c2e0001a1b2c3"}
                  },
                  {
                    "c": []
                  }
                ]

                """)
        let back = try JSONTextToTextTests.convert(pretty.text, "json", "json").text
        #expect(back == (try JSONTextToTextTests.convert(json, "json", "json").text))
    }

    @Test func jCardsTakeItToo() throws {
        let card = "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:A\r\nEND:VCARD\r\n"
        let text = try JSONTextToTextTests.convert(
            card, "vcf", "jcard",
            {
                $0.extra["pretty"] = ""
            }
        ).text
        #expect(text.hasPrefix("[\n  \"vcard\",\n  [\n    [\n"), "\(text)")
    }

    @Test(arguments: ["ndjson", "csv"])
    func linesAndTablesDoNot(_ target: String) {
        #expect(throws: FormatError(.usage, "")) {
            _ = try JSONTextToTextTests.convert(
                "[{\"a\":1}]", "json", target,
                {
                    $0.extra["pretty"] = ""
                })
        }
    }
}
