import Foundation
import Testing

@testable import Formats

@Suite("Extended JSON vectors") struct EJSONVectorTests {
    /// The document as one row of a class with one `mixed` property `a`.
    static func value(_ text: String) throws -> Value? {
        let schema = Schema(classes: [
            ClassSchema(
                "T",
                properties: [
                    Property("a", .mixed, isOptional: true),
                    Property("d", .mixed, isOptional: true),
                    Property("x", .mixed, isOptional: true),
                ])
        ])
        let reader = try JSONRowsReader(
            input: jsonInput(text), className: "T", target: (schema, 0), context: ExchangeContext())
        return try ReadRows(reader).rows["T"]?.first?.first { $0 != .null }
    }

    @Test(arguments: ["binary", "boolean", "datetime", "decimal128-1", "int64", "string"])
    func canonicalAndRelaxedFormsMeanTheSame(_ name: String) throws {
        guard let folder = sharedFolder("corpus/interchange/json") else { return }
        let url = folder.appendingPathComponent("bsoncorpus-\(name).json")
        let json = try JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: Any]
        let valid = try #require(json?["valid"] as? [[String: Any]])
        var count = 0
        for vector in valid {
            let canonical = try #require(vector["canonical_extjson"] as? String)
            let value = try Self.value(canonical)
            for form in ["relaxed_extjson", "degenerate_extjson"] {
                if let text = vector[form] as? String {
                    #expect(try Self.value(text) == value, "\(vector["description"] ?? "")")
                }
            }
            // And there and back.
            if let value {
                let schema = Schema(classes: [
                    ClassSchema("T", properties: [Property("a", .mixed, isOptional: true)])
                ])
                let text = try storeDocument(RowsReader(schema, rows: [[value]], keys: [0]))
                #expect(try ReadRows(storeReader(text)).rows["T"] == [[value]])
                if name == "decimal128-1", vector["lossy"] as? Bool != true {
                    // Our spelling of a decimal is that of the vectors.
                    let digits = canonical.split(separator: "\"").dropLast().last ?? ""
                    #expect(text.contains("\"\(digits)\""), "\(canonical) \(text)")
                }
            }
            count += 1
        }
        #expect(count > 1)
    }
}
