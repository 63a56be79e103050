// Anything that says what classes there are: a store, a store document, or a schema on its own as
// `rtool schema --as json` prints it.

/// Reads schemas.
package enum SchemaSource {
    /// The schema of a path.
    /// - Throws: `usage` when the input holds none; what reading throws.
    package static func read(_ path: String, from: String? = nil, context: ExchangeContext)
        throws(FormatError) -> Schema
    {
        if from == nil, let schema = try schemaText(path) { return schema }
        return try StoreSource.open(path, from: from, context: context).schema
    }

    /// A schema on its own; nil for everything else.
    private static func schemaText(_ path: String) throws(FormatError) -> Schema? {
        let input = try InputBytes.open(path)
        guard input.bytes.count < 64 << 20, looksLikeSchema(input.bytes) else { return nil }
        let source = try JSONSource(input)
        do throws(FormatError) {
            let tree = try JSONTree.parse(input)
            let reader = JSONSchemaReader(report: Report())
            var schema = Schema(version: nil, classes: [])
            if case .number(let text)? = tree["schemaVersion"]?.value {
                schema.version = UInt64(text)
            }
            for (name, isTable) in [("classes", false), ("tables", true)] {
                if let list = tree[name] {
                    schema.classes += try reader.classes(list, isTable: isTable)
                }
            }
            try reader.check(schema.classes)
            return schema
        } catch { throw error.details.line == nil ? source.located(error) : error }
    }

    /// True for an object with `classes` among its members and without `rtool`.
    private static func looksLikeSchema(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var s = JSONScanner(bytes)
        do throws(FormatError) {
            guard try s.peek() == .object else { return false }
            var isFirst = true
            try s.enterObject()
            while try s.nextMember(&isFirst) {
                if s.isEqual(s.name, "rtool") { return false }
                if s.isEqual(s.name, "classes") { return true }
                try s.skip()
            }
        } catch { return false }
        return false
    }
}
