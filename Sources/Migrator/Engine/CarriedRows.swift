// Plans that leave all rows where they are: columns get other names, go, or come with one value for
// all rows. Such a store is carried over node by node; how is for `StoreCarrier`.

internal import Formats

/// A class whose rows all stay, under their keys.
package struct CarriedRows {
    /// Where a column comes from.
    enum Source {
        /// The column at this position before.
        case column(Int)
        /// One value for all rows.
        case constant(Value)
    }

    /// The class before.
    var source: Int
    /// One source a property.
    var columns: [Source]

    /// Each class as it is.
    static func same(_ schema: Schema) -> [CarriedRows] {
        schema.classes.enumerated().map { i, c in
            CarriedRows(source: i, columns: c.properties.indices.map { .column($0) })
        }
    }

    /// Where the classes of a later stage come from, by way of an earlier one.
    static func join(_ earlier: [CarriedRows], _ later: [CarriedRows]) -> [CarriedRows] {
        later.map { rows in
            let before = earlier[rows.source]
            return CarriedRows(
                source: before.source,
                columns: rows.columns.map { source in
                    if case .column(let i) = source { before.columns[i] } else { source }
                })
        }
    }
}

extension Stage {
    /// Most stages go through the rows.
    package var carried: [CarriedRows]? { nil }
}

extension MorphStage {
    var carried: [CarriedRows]? {
        guard onPrepare == nil, tailRows == nil, tailClasses.isEmpty, extraInputs.isEmpty,
            sequence == nil, mayReject.isEmpty,
            keyMaps.allSatisfy({ !$1.moves && $1.output == $0 }),
            plans.count == output.classes.count
        else { return nil }
        var result: [CarriedRows] = []
        for (i, morphs) in plans.enumerated() {
            guard morphs.count == 1, morphs[0].output == i, morphs[0].filter == nil,
                morphs[0].keyShift == 0
            else { return nil }
            var columns: [CarriedRows.Source] = []
            for source in morphs[0].columns {
                switch source {
                case .view(let p): columns.append(.column(p))
                case .made(let maker as ConstantMaker): columns.append(.constant(maker.value))
                case .made: return nil
                }
            }
            result.append(CarriedRows(source: i, columns: columns))
        }
        return result
    }
}

extension MigrationChain {
    /// What becomes of a store whose rows can be carried over; nil where they must be written.
    func carrier(of store: Store, options: ExchangeOptions) -> StoreCarrier? {
        guard let carried, carried.enumerated().allSatisfy({ $0 == $1.source }) else { return nil }
        let classes = zip(carried, output.classes).map { rows, definition in
            zip(rows.columns, definition.properties).map { source, property in
                switch source {
                case .column(let i): return CarriedColumn.kept(i)
                case .constant(let value):
                    let column = Column(property, schema: output)
                    ConstantMaker.fill(column, with: value, count: StoreCarrier.leafRows)
                    return .added(column)
                }
            }
        }
        return StoreCarrier.prepare(store, schema: output, classes: classes, options: options)
    }
}
