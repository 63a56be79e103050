// Old stores built by hand, opened and read whole.

import TestSupport

@testable import Formats

extension OldStoreBuilder {
    /// Opens the store.
    func open() throws -> Store { try Store.open(storeInput(finish(), name: "old.realm")) }
}

/// A store's bytes as an input.
func storeInput(_ bytes: [UInt8], name: String = "x.realm") -> InputBytes {
    bytes.withUnsafeBytes { InputBytes(name: name, copying: $0) }
}

extension Store {
    /// The rows of all classes and the report.
    func everything() throws -> (rows: ReadRows, report: Report) {
        let reader = makeReader()
        let rows = try ReadRows(reader)
        return (rows, reader.context.report)
    }
}
