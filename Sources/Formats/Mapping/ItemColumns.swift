// Handles on the columns of one list of embedded items in a batch, fetched once so that filling
// them costs appends only.

/// The columns of a property that holds embedded items (a list, or a single one).
final class ItemColumns {
    /// The property's own column.
    let owner: Column
    /// The column of the objects: the elements of a list, or the owner itself.
    let objects: Column
    /// The rows of the items.
    let batch: RecordBatch
    let order: Column
    let group: Column
    let label: Column
    let types: Column
    let typeElements: Column
    let preference: Column
    let language: Column
    let parameters: Column
    let parameterElements: Column
    let raw: Column
    /// The item's own properties, from the ninth on.
    let own: [Column]

    init?(_ owner: Column) {
        let objects = owner.layout == .collection ? owner.elements : owner
        guard let objects, objects.layout == .object else { return nil }
        let columns = objects.child.columns
        guard columns.count > 8, let types = columns[3].elements,
            let parameters = columns[6].elements
        else { return nil }
        self.owner = owner
        self.objects = objects
        batch = objects.child
        order = columns[0]
        group = columns[1]
        label = columns[2]
        self.types = columns[3]
        typeElements = types
        preference = columns[4]
        language = columns[5]
        self.parameters = columns[6]
        parameterElements = parameters
        raw = columns[7]
        own = Array(columns[8...])
    }
}

/// The columns of a batch of contacts.
final class ContactColumns {
    let batch: RecordBatch
    let id: Column
    let uid: Column
    let kind: Column
    let version: Column
    let productID: Column
    let formattedName: Column
    let revision: ItemColumns
    let gender: ItemColumns
    /// By the position of the property in the class; nil for scalars.
    let items: [ItemColumns?]
    let extras: ItemColumns
    let names: ItemColumns
    /// The same columns to be filled, by the position of the property in the class.
    private let fills: UnsafeMutablePointer<ItemFill>
    private let fields: UnsafeMutablePointer<ColumnFill>
    /// Which of them a `ContactProperty` fills.
    private let fillOfProperty: UnsafeMutablePointer<ItemFill>
    let scalarFills: UnsafeMutablePointer<ScalarFills>

    init?(_ batch: RecordBatch) {
        let columns = batch.columns
        guard batch.classSchema.name == "Contact", columns.count >= 6 else { return nil }
        let items = columns.map { ItemColumns($0) }
        func at(_ name: String) -> ItemColumns? {
            batch.classSchema.index(of: name).flatMap { items[$0] }
        }
        guard let revision = at("revision"), let gender = at("gender"), let extras = at("extras"),
            let names = at("names")
        else { return nil }
        self.batch = batch
        self.items = items
        id = columns[0]
        uid = columns[1]
        kind = columns[2]
        version = columns[3]
        productID = columns[4]
        formattedName = columns[5]
        self.revision = revision
        self.gender = gender
        self.extras = extras
        self.names = names
        let rows = columns[0].words
        let width = items.reduce(0) { $0 + ($1?.batch.columns.count ?? 0) }
        fields = .allocate(capacity: width)
        fills = .allocate(capacity: columns.count)
        var next = fields
        let extrasFill = ItemFill(extras, next, rows: rows)
        for (i, item) in items.enumerated() {
            guard let item else {
                (fills + i).initialize(to: extrasFill)
                continue
            }
            (fills + i).initialize(to: ItemFill(item, next, rows: rows))
            next += item.batch.columns.count
        }
        let properties = ContactProperty.allCases
        fillOfProperty = .allocate(capacity: properties.count)
        for (i, property) in properties.enumerated() {
            let name =
                property == .rev
                ? "revision"
                : property == .gender
                    ? "gender"
                    : ContactColumns.list[property] ?? "extras"
            let place = batch.classSchema.index(of: name) ?? 0
            (fillOfProperty + i).initialize(to: fills[place])
        }
        scalarFills = .allocate(capacity: 1)
        scalarFills.initialize(
            to: ScalarFills(
                id: ColumnFill(columns[0], rows: rows), uid: ColumnFill(columns[1], rows: rows),
                kind: ColumnFill(columns[2], rows: rows),
                version: ColumnFill(columns[3], rows: rows),
                productID: ColumnFill(columns[4], rows: rows),
                formattedName: ColumnFill(columns[5], rows: rows)))
    }

    deinit {
        fields.deallocate()
        fills.deallocate()
        fillOfProperty.deallocate()
        scalarFills.deallocate()
    }

    /// The scalar columns, to be filled.
    struct ScalarFills {
        let id, uid, kind, version, productID, formattedName: ColumnFill
    }

    /// The items that the lines of a property fill.
    @inline(__always)
    func fill(_ property: ContactProperty) -> ItemFill { fillOfProperty[Int(property.rawValue)] }

    /// Fills in what the batch's contacts were not given.
    func settle() {
        let count = batch.rowCount
        for fill in [
            scalarFills.pointee.uid, scalarFills.pointee.kind, scalarFills.pointee.version,
            scalarFills.pointee.productID, scalarFills.pointee.formattedName,
        ] { fill.settle(count) }
        for (i, item) in items.enumerated() {
            if let item { fills[i].settle(item) }
        }
    }

    /// The name of the class's property at a position.
    func name(_ list: Int) -> String { batch.classSchema.properties[list].name }

    /// The column of a scalar property.
    func scalar(_ property: ContactProperty) -> Column? {
        switch property {
        case .uid: uid
        case .kind: kind
        case .version: version
        case .prodid: productID
        default: nil
        }
    }

    /// The list of `Contact` that the lines of a property fill; all others are extras.
    static let list: [ContactProperty: String] = [
        .n: "names", .fn: "formattedNames", .nickname: "nicknames", .title: "titles",
        .role: "roles", .note: "notes", .categories: "categories", .email: "emails", .url: "urls",
        .related: "relations", .lang: "languages", .member: "members", .tz: "timeZones",
        .geo: "geo", .label: "labels", .org: "organizations", .tel: "phones", .impp: "services",
        .socialProfile: "services", .xSocialProfile: "services", .xMessenger: "services",
        .adr: "addresses", .bday: "dates", .anniversary: "dates", .deathdate: "dates",
        .abDate: "dates", .photo: "photos", .logo: "logos", .sound: "sounds", .key: "keys",
        .agent: "agents",
    ]
}
