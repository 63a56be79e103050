// Values of MongoDB that stores have no type for, in rows that go from JSON to JSON.

import Testing

@testable import Formats

@Suite("Values of MongoDB, spelled anew") struct JSONWrapperSpellingTests {
    @Test(arguments: ["canonical", "relaxed"])
    func valuesWithoutATypeKeepTheirNames(_ spelling: String) throws {
        let values = [
            #"{"$timestamp":{"t":1,"i":2}}"#, #"{"$minKey":1}"#, #"{"$maxKey":1}"#,
            #"{"$regularExpression":{"pattern":"a","options":"i"}}"#,
        ]
        for value in values {
            let row = "[{\"a\":\(value),\"b\":[\(value)],\"c\":{\"$$own\":\"x\"}}]"
            let (text, _) = try JSONTextToTextTests.convert(row, "json", "ndjson") {
                $0.extra["ejson"] = spelling
            }
            #expect(
                text == "{\"a\":\(value),\"b\":[\(value)],\"c\":{\"$$own\":\"x\"}}\n", "\(text)")
        }
    }
}
