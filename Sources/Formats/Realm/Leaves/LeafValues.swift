// What a leaf builder is given: the values of one leaf, wherever they stand, as plain pointers
// in the layout of `Column`. And the one switch from a property type to its leaf builder.

/// The values of one leaf. Valid as long as the vectors they stand in are not changed.
struct LeafValues {
    var words: UnsafePointer<Int64>
    var extra: UnsafePointer<Int64>
    var nulls: UnsafePointer<UInt8>
    var bytes: UnsafePointer<UInt8>
    var ends: UnsafePointer<Int>
    /// Where the first value begins in `bytes`.
    var start: Int
    var count: Int

    /// Some values of a column.
    init(_ column: Column, from first: Int, count: Int) {
        words = UnsafePointer(column.words.base + first)
        extra = UnsafePointer(column.extra.base + (column.layout == .pair ? first : 0))
        nulls = UnsafePointer(column.nulls.base + first)
        bytes = UnsafePointer(column.bytes.base)
        ends = UnsafePointer(column.ends.base + first)
        start = column.layout == .bytes && first > 0 ? column.ends[first - 1] : 0
        self.count = count
    }

    /// Values that stand in vectors of a builder.
    init(
        words: RawVector<Int64>, extra: RawVector<Int64>, nulls: RawVector<UInt8>,
        bytes: RawVector<UInt8>, ends: RawVector<Int>, count: Int
    ) {
        self.words = UnsafePointer(words.base)
        self.extra = UnsafePointer(extra.base)
        self.nulls = UnsafePointer(nulls.base)
        self.bytes = UnsafePointer(bytes.base)
        self.ends = UnsafePointer(ends.base)
        start = 0
        self.count = count
    }

    /// True when one of the values is null.
    @inline(__always)
    var hasNull: Bool {
        var any: UInt8 = 0
        for i in 0..<count { any |= nulls[i] }
        return any != 0
    }

    /// The position of the first null.
    var firstNull: Int? { (0..<count).first { nulls[$0] != 0 } }
}

/// Writes leaves of single values.
enum LeafBuilder {
    /// Writes a leaf of any type but `mixed` and `link`, whose builders need to know more.
    static func write(
        _ values: LeafValues, type: PropertyType, isOptional: Bool, nodes: NodeBuilder
    ) throws(FormatError) -> Int64 {
        switch type {
        case .int:
            isOptional
                ? try IntLeafBuilder.writeOptional(values, nodes: nodes)
                : try nodes.ints(values.words, count: values.count)
        case .bool: try IntLeafBuilder.writeBool(values, nodes: nodes)
        case .string: try StringLeafBuilder.write(values, nodes: nodes)
        case .data: try BinaryLeafBuilder.write(values, nodes: nodes)
        case .float: try FloatLeafBuilder.write(values, isDouble: false, nodes: nodes)
        case .double: try FloatLeafBuilder.write(values, isDouble: true, nodes: nodes)
        case .date: try TimestampLeafBuilder.write(values, nodes: nodes)
        case .decimal128: try DecimalLeafBuilder.write(values, nodes: nodes)
        case .objectId: try FixedLeafBuilder.write(values, tail: 4, nodes: nodes)
        case .uuid: try FixedLeafBuilder.write(values, tail: 8, nodes: nodes)
        case .link: try nodes.ints(values.words, count: values.count)
        case .mixed, .table:
            throw FormatError(.defect, "no plain leaf holds values of type \(type.rawValue)")
        }
    }
}
