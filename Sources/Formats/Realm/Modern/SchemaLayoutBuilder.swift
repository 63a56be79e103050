// From a schema to tables and columns as a store of the format has them: table keys, column keys,
// attributes, targets. Says what a store cannot have; knows nothing of rows.

/// Numbers of the format that more than one builder needs.
enum StoreConstant {
    static let noTable: Int64 = 0x7FFF_FFFF
    static let noColumn: Int64 = 0x7FFF_FFFF_FFFF_FFFF
    static let linkType: Int64 = 12
    static let linkListType: Int64 = 13
    static let backlinkType: Int64 = 14

    enum Attribute {
        static let indexed: Int64 = 1
        static let nullable: Int64 = 16
        static let list: Int64 = 32
        static let dictionary: Int64 = 64
        static let set: Int64 = 128
        static let fullText: Int64 = 256
    }

    /// The column type of a property type.
    static func columnType(_ type: PropertyType) -> Int64 {
        switch type {
        case .int: 0
        case .bool: 1
        case .string: 2
        case .data: 4
        case .mixed: 6
        case .date: 8
        case .float: 9
        case .double: 10
        case .decimal128: 11
        case .link, .table: 12
        case .objectId: 15
        case .uuid: 17
        }
    }

    /// A column key: where the column's leaves stand, its type, and the table it belongs to.
    static func columnKey(leaf: Int, type: Int64, attributes: Int64, table: Int) -> Int64 {
        let kept = attributes & 0xFF & ~Attribute.indexed
        return Int64(leaf) | type << 16 | kept << 22 | Int64(table) << 30
    }

    /// The object key of row number n of a table without a primary key.
    @inline(__always)
    static func squeezed(_ n: Int64) -> Int64 { (n & 0xFF) | (n & 0xFFFF_FF00) << 8 }
}

/// A public column.
struct ColumnLayout {
    var property: Property
    /// The table a link leads to, as a position in the layout's tables.
    var target: Int?
    /// True when the target's rows stand inline.
    var isEmbedded: Bool
    var type: Int64
    var attributes: Int64
    var key: Int64
    var isIndexed: Bool
    var isFullText: Bool

    /// The type in the spec, which for dictionaries says the type of the keys too.
    var specType: Int64 {
        guard property.collection == .dictionary else { return type }
        return type | (property.hasIntKeys ? 0 : StoreConstant.columnType(.string)) << 16
    }
}

/// A table.
struct TableLayout {
    /// The stored name, prefix included.
    var name: String
    /// What messages call it.
    var title: String
    var key: Int
    var kind: ClassKind
    var columns: [ColumnLayout]
    var primaryKey: Int?
}

/// All tables: those of the schema's classes in their order, then those of its subtables.
struct SchemaLayout {
    var tables: [TableLayout] = []
    /// True when the schema version has a table of its own.
    var hasVersion: Bool
}

/// Makes the layout.
struct SchemaLayoutBuilder {
    private let schema: Schema
    private let file: String
    private let report: Report
    private let dialect: WriterDialect
    private let refused: RefusedContent
    private var layout: SchemaLayout
    private var names: Set<String> = []

    private init(
        _ schema: Schema, _ dialect: WriterDialect, _ refused: RefusedContent, file: String,
        report: Report
    ) {
        self.dialect = dialect
        self.refused = refused
        self.schema = schema
        self.file = file
        self.report = report
        let version = schema.version
        layout = SchemaLayout(hasVersion: version != nil && version != UInt64.max)
    }

    /// - Throws: `schemaMismatch`, `limitExceeded`.
    static func layout(
        of schema: Schema, dialect: WriterDialect, refused: RefusedContent, file: String,
        report: Report
    ) throws(FormatError) -> SchemaLayout {
        var builder = SchemaLayoutBuilder(schema, dialect, refused, file: file, report: report)
        try builder.build()
        return builder.layout
    }

    private func refusal(
        _ code: FormatErrorCode, _ message: String, _ name: String, _ property: String? = nil,
        fix: String? = nil
    ) -> FormatError {
        FormatError(
            code, message, file: file, recordName: name, property: property, fix: fix)
    }

    private mutating func build() throws(FormatError) {
        if layout.hasVersion { names.insert("metadata") }
        for schemaClass in schema.classes {
            let name = schemaClass.isTable ? schemaClass.name : "class_" + schemaClass.name
            if !schemaClass.isTable, schemaClass.name.utf8.count > 57 {
                throw refusal(
                    .limitExceeded, "a class name is limited to 57 bytes", schemaClass.name,
                    fix: "shorten the name")
            }
            if name.utf8.count > 63 {
                throw refusal(
                    .limitExceeded, "a table name is limited to 63 bytes", name,
                    fix: "shorten the name")
            }
            guard names.insert(name).inserted else {
                throw refusal(.schemaMismatch, "two tables of the same name", name)
            }
            layout.tables.append(
                TableLayout(
                    name: name, title: schemaClass.name, key: 0, kind: schemaClass.kind,
                    columns: [], primaryKey: nil))
            if schemaClass.kind == .asymmetric {
                report.note(
                    .changed, "asymmetric-class", property: schemaClass.name,
                    action: "kept; the engine refuses such a class in a store without sync")
            }
        }
        let first = layout.hasVersion ? 1 : 0
        for i in schema.classes.indices {
            try columns(schema.classes[i].properties, of: i)
            if let name = schema.classes[i].primaryKey {
                guard let p = schema.classes[i].index(of: name) else {
                    throw refusal(
                        .schemaMismatch, "the primary key is none of the class's properties",
                        schema.classes[i].name, name)
                }
                try primaryKey(p, of: i)
            }
        }
        if layout.tables.count + first >= 65535 {
            throw refusal(.limitExceeded, "a store is limited to 65,535 tables", file)
        }
        for i in layout.tables.indices {
            let key = i + first
            layout.tables[i].key = key
            for j in layout.tables[i].columns.indices {
                let column = layout.tables[i].columns[j]
                layout.tables[i].columns[j].key = StoreConstant.columnKey(
                    leaf: j, type: column.type, attributes: column.attributes, table: key)
            }
        }
    }

    private mutating func primaryKey(_ p: Int, of table: Int) throws(FormatError) {
        let property = layout.tables[table].columns[p].property
        let title = layout.tables[table].title
        guard property.collection == nil,
            [.int, .string, .objectId, .uuid].contains(property.type)
        else {
            throw refusal(
                .schemaMismatch,
                "a primary key is an int, a string, an objectId or a uuid, and no collection",
                title, property.name)
        }
        if layout.tables[table].kind == .embedded {
            throw refusal(
                .schemaMismatch, "an embedded class has no primary key", title, property.name)
        }
        layout.tables[table].primaryKey = p
        layout.tables[table].columns[p].isIndexed = true
    }

    private mutating func columns(_ properties: [Property], of table: Int) throws(FormatError) {
        let title = layout.tables[table].title
        var seen: Set<String> = []
        if properties.count > 65000 {
            throw refusal(.limitExceeded, "a class is limited to 65,000 properties", title)
        }
        for property in properties {
            if property.name.utf8.count > 63 {
                throw refusal(
                    .limitExceeded, "a property name is limited to 63 bytes", title,
                    property.name, fix: "shorten the name")
            }
            guard seen.insert(property.name).inserted else {
                throw refusal(
                    .schemaMismatch, "two properties of the same name", title, property.name)
            }
            let column = try column(property, of: table)
            layout.tables[table].columns.append(column)
        }
    }

    private mutating func column(_ property: Property, of table: Int) throws(FormatError)
        -> ColumnLayout
    {
        typealias Attribute = StoreConstant.Attribute
        let title = layout.tables[table].title
        var column = ColumnLayout(
            property: property, target: nil, isEmbedded: false,
            type: StoreConstant.columnType(property.type), attributes: 0, key: 0,
            isIndexed: false, isFullText: false)
        switch property.type {
        case .link:
            guard let name = property.target,
                let target = schema.index(of: name)
                    ?? schema.classes.firstIndex(where: { $0.name == name })
            else {
                throw refusal(
                    .schemaMismatch,
                    "the class \(property.target ?? "") the property links to is missing", title,
                    property.name)
            }
            column.target = target
            column.isEmbedded = schema.isEmbedded(property)
            if column.isEmbedded, property.collection == .set {
                throw refusal(
                    .schemaMismatch, "embedded objects cannot stand in a set", title,
                    property.name)
            }
        case .table:
            column.target = try subtable(property, of: table)
            column.isEmbedded = true
        default: break
        }
        column.attributes =
            switch property.collection {
            case nil: 0
            case .list?: Attribute.list
            case .set?: Attribute.set
            case .dictionary?: Attribute.dictionary
            }
        if dialect.hasLinkListType, property.collection == .list,
            column.type == StoreConstant.linkType
        {
            column.type = StoreConstant.linkListType
        }
        if dialect.hashesDictionaries, property.hasIntKeys {
            refused.add(
                "a dictionary with int keys", "\(title).\(property.name)", report,
                code: "dictionary-int-keys")
        }
        if isNullable(property) { column.attributes |= Attribute.nullable }
        index(&column, title)
        return column
    }

    private func isNullable(_ property: Property) -> Bool {
        switch property.type {
        case .mixed: true
        case .link, .table: property.collection == nil || property.collection == .dictionary
        default: property.isOptional
        }
    }

    private func index(_ column: inout ColumnLayout, _ title: String) {
        let property = column.property
        let name = "\(title).\(property.name)"
        let isSingle = property.collection == nil
        if property.isIndexed {
            let indexable: Bool =
                switch property.type {
                case .int, .bool, .string, .date, .objectId, .uuid, .mixed: isSingle
                default: false
                }
            if indexable {
                column.isIndexed = true
                column.attributes |= StoreConstant.Attribute.indexed
            } else {
                report.note(
                    .lost, "index-dropped", property: name,
                    action: "a store is written without indexes on this kind of property")
            }
        }
        if property.isFullText {
            if !dialect.hasFullText {
                refused.add("a full-text index", name, report, code: "fulltext-index")
            } else if isSingle, property.type == .string, !column.isIndexed {
                column.isFullText = true
                column.attributes |= StoreConstant.Attribute.fullText
            } else {
                report.note(
                    .lost, "fulltext-index-dropped", property: name,
                    action: "only single strings without another index can have one")
            }
        }
    }

    /// The embedded table that takes the rows of an old subtable.
    private mutating func subtable(_ property: Property, of table: Int) throws(FormatError) -> Int {
        let owner = layout.tables[table]
        var title = "\(owner.title)_\(property.name)"
        let prefix = owner.name.hasPrefix("class_") ? "class_" : ""
        var suffix = 2
        while names.contains(prefix + title) {
            title = "\(owner.title)_\(property.name)_\(suffix)"
            suffix += 1
        }
        let name = prefix + title
        if name.utf8.count > 63 {
            throw refusal(
                .limitExceeded,
                "the class made for this subtable would have a name longer than 57 bytes", title,
                property.name, fix: "shorten the name of the class or the property")
        }
        names.insert(name)
        report.note(
            .changed, "subtable-embedded", property: "\(owner.title).\(property.name)",
            action: "its rows are written as objects of the embedded class \(title)")
        let index = layout.tables.count
        layout.tables.append(
            TableLayout(
                name: name, title: title, key: 0, kind: .embedded, columns: [], primaryKey: nil))
        try columns(property.columns, of: index)
        return index
    }
}
