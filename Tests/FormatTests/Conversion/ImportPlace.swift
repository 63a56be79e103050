// The folder of a test of conversions and imports, and the usual steps in it.

import Foundation
import Testing

@testable import Formats

/// A folder for one test, and the usual steps in it.
final class ImportPlace {
    let folder = NSTemporaryDirectory() + "rtool-import-\(UUID().uuidString)"

    init() throws {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func path(_ name: String) -> String { folder + "/" + name }

    func write(_ name: String, _ text: String) throws -> String {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
        return path(name)
    }

    /// Converts a text into another one, or a store.
    @discardableResult
    func convert(
        _ input: String, to output: String, _ change: (inout Conversion) -> Void = { _ in }
    ) throws -> Report {
        let context = ExchangeContext()
        var conversion = Conversion(from: input, to: path(output), context: context)
        change(&conversion)
        try conversion.run()
        return context.report
    }

    @discardableResult
    func importing(
        _ inputs: [String], into store: String, options: ExchangeOptions = ExchangeOptions(),
        _ change: (inout Import) throws -> Void = { _ in }
    ) throws -> Report {
        let context = ExchangeContext(options: options)
        var job = Import(inputs, into: path(store), context: context)
        try change(&job)
        try job.run()
        let report = context.report
        #expect(
            report.read == report.written + report.setAside + report.skipped + report.merged)
        return report
    }

    /// The rows of a class of a store.
    func rows(_ store: String, _ name: String) throws -> [[Value]] {
        let context = ExchangeContext()
        let source = try StoreSource.open(path(store), context: context)
        return try ReadRows(source.reader()).rows[name] ?? []
    }

    func classes(_ store: String) throws -> [String] {
        try StoreSource.open(path(store), context: ExchangeContext()).schema.classes.map(\.name)
    }

    func text(_ name: String) throws -> String {
        try String(contentsOfFile: path(name), encoding: .utf8)
    }

    /// A store with the classes Dog (name, breed) and Cat (foo), and one dog.
    func dogs() throws {
        let document = """
            {"rtool": 1, "schemaVersion": 0, "classes": [
             {"name": "Dog", "kind": "object", "properties": [
              {"name": "name", "type": "string"},
              {"name": "breed", "type": "string", "optional": true}]},
             {"name": "Cat", "kind": "object", "properties": [{"name": "foo", "type": "string"}]}],
             "tables": [], "objects": {"Dog": [{"$key": 0, "name": "Rex", "breed": null}],
             "Cat": []}, "rows": {}}
            """
        try convert(write("dogs.json", document), to: "dogs.realm")
    }
}
