// Chooses the reader of a leaf by the column's type; the rest is left to one file a kind.

/// A leaf of single values of any type but links to embedded objects.
enum Leaf {
    case int(IntLeaf)
    case bool(IntLeaf)
    case float(FloatLeaf)
    case string(StringLeaf)
    case data(DataLeaf)
    case date(DateLeaf)
    case decimal(DecimalLeaf)
    case id(IDLeaf)
    case link(LinkLeaf)
    case typedLink(TypedLinkLeaf)
    case mixed(MixedLeaf)

    /// Takes a leaf apart.
    init(_ session: ReadSession, _ ref: Int64, _ format: LeafFormat) throws(FormatError) {
        switch format.kind {
        case .int: self = .int(try IntLeaf(session, ref, isNullable: format.isNullable))
        case .bool:
            let lead = format.isNullable && format.dialect.boolHasSentinel
            self = .bool(try IntLeaf(session, ref, isNullable: lead))
        case .float: self = .float(try FloatLeaf(session, ref, isDouble: false))
        case .double: self = .float(try FloatLeaf(session, ref, isDouble: true))
        case .string: self = .string(try StringLeaf(session, ref, format))
        case .data: self = .data(try DataLeaf(session, ref))
        case .date: self = .date(try DateLeaf(session, ref))
        case .decimal: self = .decimal(try DecimalLeaf(session, ref))
        case .objectId: self = .id(try IDLeaf(session, ref, size: 12))
        case .uuid: self = .id(try IDLeaf(session, ref, size: 16))
        case .link: self = .link(try LinkLeaf(session, ref))
        case .typedLink: self = .typedLink(try TypedLinkLeaf(session, ref))
        case .mixed: self = .mixed(try MixedLeaf(session, ref))
        }
    }

    /// The number of values.
    var count: Int {
        switch self {
        case .int(let leaf), .bool(let leaf): leaf.count
        case .float(let leaf): leaf.count
        case .string(let leaf): leaf.count
        case .data(let leaf): leaf.count
        case .date(let leaf): leaf.count
        case .decimal(let leaf): leaf.count
        case .id(let leaf): leaf.count
        case .link(let leaf): leaf.count
        case .typedLink(let leaf): leaf.count
        case .mixed(let leaf): leaf.count
        }
    }

    /// Appends the values of a range that lies inside.
    func append(
        _ range: Range<Int>, _ format: LeafFormat, session: ReadSession, to column: Column
    ) throws(FormatError) {
        let isNullable = format.isNullable
        switch self {
        case .int(let leaf): leaf.append(range, to: column)
        case .bool(let leaf):
            let null = format.dialect.boolHasSentinel ? (leaf.lead == 1 ? leaf.sentinel : nil) : 3
            leaf.appendBools(range, null: null, isNullable: isNullable, to: column)
        case .float(let leaf): leaf.append(range, isNullable: isNullable, to: column)
        case .string(let leaf):
            try leaf.append(range, isNullable: isNullable, session: session, to: column)
        case .data(let leaf):
            try leaf.append(range, isNullable: isNullable, session: session, to: column)
        case .date(let leaf):
            try leaf.append(range, isNullable: isNullable, session: session, to: column)
        case .decimal(let leaf): leaf.append(range, isNullable: isNullable, to: column)
        case .id(let leaf): leaf.append(range, isNullable: isNullable, to: column)
        case .link(let leaf):
            if format.isElement {
                leaf.appendElements(range, session: session, to: column)
            } else {
                leaf.append(range, session: session, to: column)
            }
        case .typedLink(let leaf): leaf.append(range, session: session, to: column)
        case .mixed(let leaf): try leaf.append(range, session: session, to: column)
        }
    }
}
