// Links in text cells, read: the primary key of the object, or its key in the store.

/// Finds the objects that cells of one class name.
final class LinkCells {
    private let schema: Schema
    private let classIndex: Int
    private let links: LinkReferences

    /// For rows of a class of a store's schema.
    init(_ schema: Schema, from classIndex: Int, _ links: LinkReferences) {
        self.schema = schema
        self.classIndex = classIndex
        self.links = links
    }

    /// The mark of the object that a cell names; nil when there is none.
    func mark(_ text: UnsafeRawBufferPointer, _ column: Column) throws(FormatError) -> Int64? {
        guard let name = column.property.target, let index = schema.index(of: name) else {
            return nil
        }
        let target = schema.classes[index]
        guard let place = target.primaryKey.flatMap({ target.index(of: $0) }) else {
            guard let key = ScalarText.int(CellText.trim(text)) else { return nil }
            return try links.mark(key: key, of: name)
        }
        guard let value = LinkCells.value(text, target.properties[place].type) else { return nil }
        return try links.mark(primaryKey: value, of: name, comesIn: index == classIndex)
    }

    /// The value of a primary key's text.
    private static func value(_ text: UnsafeRawBufferPointer, _ type: PropertyType) -> Value? {
        switch type {
        case .string: .string(String(decoding: text, as: UTF8.self))
        case .int: ScalarText.int(CellText.trim(text)).map { .int($0) }
        case .objectId: ScalarText.objectID(CellText.trim(text)).map { .objectId($0) }
        case .uuid: ScalarText.uuid(CellText.trim(text)).map { .uuid($0) }
        default: nil
        }
    }
}
