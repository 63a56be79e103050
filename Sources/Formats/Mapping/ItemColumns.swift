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
    /// The lists, to be closed after each row.
    let lists: [Column]
    /// Which list a property fills, by `ContactProperty`.
    private let byProperty: [ItemColumns?]
    let extras: ItemColumns
    let names: ItemColumns

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
        lists = columns.filter { $0.layout == .collection }
        byProperty = ContactProperty.allCases.map { property in
            ContactColumns.list[property].flatMap { at($0) }
        }
    }

    @inline(__always)
    func list(_ property: ContactProperty) -> ItemColumns {
        byProperty[Int(property.rawValue)] ?? extras
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
