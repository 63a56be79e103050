// The rules of leaves, trees and columns before format 10, one at a time.

import TestSupport
import Testing

@testable import Formats

@Suite("Parts of old stores") struct OldLeafTests {
    /// The values of a table of one column.
    static func values(
        type: Int, nullable: Bool = false, subs: [Int] = [], enumerated: [Int] = [],
        format: UInt8 = 5, _ root: (OldStoreBuilder) -> Int
    ) throws -> [Value] {
        let file = OldStoreBuilder(format: format)
        let root = root(file)
        let spec = file.spec(
            [("a", type, nullable ? 16 : 0)], subs: subs, enumerated: enumerated)
        file.table("class_T", spec: spec, roots: [root])
        let (rows, report) = try file.open().everything()
        #expect(report.setAside == 0)
        return rows.column("T", 0)
    }

    @Test func theFirstIntOfANullableLeafStandsForNull() throws {
        let values = try Self.values(type: 0, nullable: true) { $0.ints([127, 5, 127, -1]) }
        #expect(values == [.int(5), .null, .int(-1)])
    }

    @Test func aNullableLeafMayBeEmpty() throws {
        #expect(try Self.values(type: 0, nullable: true) { $0.ints([]) } == [])
    }

    @Test func nullBoolsHaveASentinelToo() throws {
        let values = try Self.values(type: 1, nullable: true) { $0.ints([3, 0, 1, 3]) }
        #expect(values == [.bool(false), .bool(true), .null])
    }

    @Test func theNullCellIsTheEmptyStringWhereNoNullMayBe() throws {
        #expect(
            try Self.values(type: 2) { $0.strings(["x", nil, ""]) }
                == ["x", "", ""].map {
                    .string($0)
                })
        let optional = try Self.values(type: 2, nullable: true) { $0.strings(["x", nil, ""]) }
        #expect(optional == [.string("x"), .null, .string("")])
    }

    @Test func cellsWithoutWidthAreAllNullOrAllEmpty() throws {
        #expect(
            try Self.values(type: 2) { $0.node(0x08, count: 2, []) } == [.string(""), .string("")])
        #expect(try Self.values(type: 2, nullable: true) { $0.node(0x08, count: 1, []) } == [.null])
    }

    @Test func aFlagOfOneMeansAValueInMediumStrings() throws {
        let values = try Self.values(type: 2, nullable: true) { file in
            let ends = file.ints([3, 4, 5])
            let blob = file.blob(Array("ab\0\0\0".utf8))
            return file.refs([ends, blob, file.ints([1, 0, 1])])
        }
        #expect(values == [.string("ab"), .null, .string("")])
    }

    @Test func aStringThatLacksItsZeroByteIsEmpty() throws {
        let values = try Self.values(type: 2) { file in
            file.refs([file.ints([3, 3]), file.blob(Array("ab\0".utf8))])
        }
        #expect(values == [.string("ab"), .string("")])
        let big = try Self.values(type: 2) { file in
            file.refs([file.blob([]), file.blob([0x61, 0]), 0], context: true)
        }
        #expect(big == [.string(""), .string("a"), .string("")])
    }

    @Test func aFlagOfOneMeansNullInData() throws {
        func leaf(_ file: OldStoreBuilder, flags: Bool) -> Int {
            let ends = file.ints([0, 2])
            let blob = file.blob([7, 8])
            return file.refs(flags ? [ends, blob, file.ints([1, 0])] : [ends, blob])
        }
        #expect(
            try Self.values(type: 4, nullable: true) { leaf($0, flags: true) }
                == [.null, .data([7, 8])])
        #expect(
            try Self.values(type: 4) { leaf($0, flags: true) } == [.data([]), .data([7, 8])])
        #expect(
            try Self.values(type: 4, format: 2) { leaf($0, flags: false) }
                == [.data([]), .data([7, 8])])
    }

    @Test func datesOfWholeSecondsAndInTwoTrees() throws {
        let old = try Self.values(type: 7, nullable: true, format: 3) { $0.ints([99, -5, 99]) }
        #expect(old == [.date(Timestamp(seconds: -5, nanoseconds: 0)), .null])
        let new = try Self.values(type: 8, nullable: true) { file in
            file.refs([file.ints([42, -1, 42, 7]), file.ints([-500, 0, 3])])
        }
        #expect(
            new == [
                .date(Timestamp(seconds: -1, nanoseconds: -500)), .null,
                .date(Timestamp(seconds: 7, nanoseconds: 3)),
            ])
    }

    @Test func enumeratedStringsMayBeNull() throws {
        let file = OldStoreBuilder()
        let keys = file.strings(["red", nil])
        let spec = file.spec([("a", 3, 16)], enumerated: [keys])
        file.table("class_T", spec: spec, roots: [file.ints([1, 0, 0])])
        let (rows, _) = try file.open().everything()
        #expect(rows.column("T", 0) == [.null, .string("red"), .string("red")])
    }

    @Test func everyKindOfMixedValue() throws {
        let values = try Self.values(type: 6) { file in
            let types = file.ints([0, 12, 1, 2, 4, 7, 8, 9, 10, 11, 0])
            let payloads = file.refs([
                11, -1, 3, 1, 3, -199, 1, 0x3FC0_0000 * 2 + 1,
                Int(bitPattern: UInt(Double(1.5).bitPattern) << 1 | 1),
                Int(bitPattern: UInt(Double(-2.5).bitPattern) << 1 | 1), 1,
            ])
            let data = file.refs([
                file.ints([4, 6]), file.blob(Array("str\0".utf8) + [1, 2]), file.ints([0, 0]),
            ])
            let dates = file.refs([file.ints([9, 77]), file.ints([5])])
            return file.refs([types, payloads, data, dates])
        }
        #expect(
            values == [
                .int(5), .int(-1), .bool(true), .string("str"), .data([1, 2]),
                .date(Timestamp(seconds: -100, nanoseconds: 0)),
                .date(Timestamp(seconds: 77, nanoseconds: 5)), .float(1.5), .double(1.5),
                .double(-2.5), .int(0),
            ])
    }

    @Test func aMixedDateThatWasLostIsNullAndNoted() throws {
        let file = OldStoreBuilder()
        let root = file.refs([file.ints([8]), file.refs([1])])
        file.table("class_T", spec: file.spec([("a", 6, 0)]), roots: [root])
        let (rows, report) = try file.open().everything()
        #expect(rows.column("T", 0) == [.null])
        #expect(report.items.map(\.code) == ["mixed-date-lost"])
    }

    @Test func linksAreRowsAndThoseBeyondAreNullAndNoted() throws {
        let file = OldStoreBuilder()
        let spec = file.spec([("one", 12, 16), ("many", 13, 0)], subs: [1, 1])
        let list = file.ints([1, 0, 5])
        file.table(
            "class_T", spec: spec, roots: [file.ints([2, 0, 9]), file.refs([list, 0, 0])])
        let (rows, report) = try file.open().everything()
        #expect(rows.column("T", 0) == [.link("T", 1), .null, .null])
        #expect(rows.column("T", 1).first == .list([.link("T", 1), .link("T", 0)]))
        #expect(report.items.map(\.code) == ["dangling-link"])
        #expect(report.items.first?.count == 2)
    }

    @Test func aSubtableOfOneColumnIsAListAndOneOfTwoIsATable() throws {
        let file = OldStoreBuilder(format: 9)
        let one = file.spec([("!ARRAY_VALUE", 0, 16)])
        let two = file.spec([("x", 0, 1), ("y", 8, 0)])
        let spec = file.spec([("list", 5, 0), ("table", 5, 0)], subs: [one, two])
        let values = file.refs([file.ints([9, 1, 9])])
        let index = file.refs([file.ints([0]), 1], context: true)
        let dates = file.refs([file.ints([0, 60]), file.ints([0])])
        let rows = file.refs([file.ints([3]), index, dates])
        file.table(
            "class_T", spec: spec, roots: [file.refs([values, 0]), file.refs([rows, 0])])
        let store = try file.open()
        #expect(store.schema.classes[0].properties[0].collection == .list)
        #expect(store.schema.classes[0].properties[0].isOptional)
        #expect(store.schema.classes[0].properties[1].type == .table)
        let (found, _) = try store.everything()
        #expect(found.column("T", 0) == [.list([.int(1), .null]), .list([])])
        #expect(
            found.column("T", 1) == [
                .list([.object([.int(3), .date(Timestamp(seconds: 60, nanoseconds: 0))])]),
                .list([]),
            ])
    }

    @Test func columnsWithoutANameOfTheirOwnGetOne() throws {
        let file = OldStoreBuilder()
        let spec = file.spec([("a", 0, 0), ("", 0, 0), ("a", 0, 0), ("!OID", 0, 0)])
        file.table("class_T", spec: spec, roots: (0..<4).map { _ in file.ints([1]) })
        let store = try file.open()
        #expect(store.schema.classes[0].properties.map(\.name) == ["a", "col_1", "a_2"])
        #expect(try store.everything().report.items.map(\.code) == ["column-renamed"])
    }

    @Test func primaryKeysByNameByTableNameAndByNumber() throws {
        for (table, isNumber) in [("T", false), ("class_T", false), ("T", true)] {
            let file = OldStoreBuilder()
            file.table(
                "pk", spec: file.spec([("pk_table", 2, 0), ("pk_property", isNumber ? 0 : 2, 0)]),
                roots: [file.strings([table]), isNumber ? file.ints([1]) : file.strings(["b"])])
            file.table("metadata", spec: file.spec([("version", 0, 0)]), roots: [file.ints([7])])
            file.table(
                "class_T", spec: file.spec([("a", 0, 0), ("b", 0, 0)]),
                roots: [file.ints([1]), file.ints([2])])
            let schema = try file.open().schema
            #expect(schema.classes.map(\.name) == ["T"])
            #expect(schema.classes[0].primaryKey == "b")
            #expect(schema.version == 7)
        }
    }

    // MARK: Trees

    @Test("leaves of one column need not break where another's do", arguments: [true, false])
    func cursors(isCompact: Bool) throws {
        let file = OldStoreBuilder()
        let a = (0..<3).map { i in file.ints((0..<(i == 2 ? 1 : 2)).map { i * 2 + $0 }) }
        let b = [file.ints([0]), file.ints([10, 20, 30, 40])]
        let first =
            isCompact
            ? file.compact(each: 2, a, total: 5) : file.general(offsets: [2, 4], a, total: 5)
        let second = file.general(offsets: [1], b, total: 5)
        file.table("class_T", spec: file.spec([("a", 0, 0), ("b", 0, 0)]), roots: [first, second])
        let (rows, report) = try file.open().everything()
        #expect(report.items.isEmpty)
        #expect(rows.column("T", 0) == (0..<5).map { .int($0) })
        #expect(rows.column("T", 1) == (0..<5).map { .int($0 * 10) })
        #expect(rows.keys["T"] == [0, 1, 2, 3, 4])
    }

    @Test func aBrokenLeafCostsItsOwnRows() throws {
        let file = OldStoreBuilder()
        let good = file.ints(Array(0..<6))
        let leaves = [file.ints([0, 1]), file.strings(["no"]), file.ints([4, 5])]
        let tree = file.compact(each: 2, leaves, total: 6)
        file.table("class_T", spec: file.spec([("a", 0, 0), ("b", 0, 0)]), roots: [good, tree])
        let (rows, report) = try file.open().everything()
        #expect(rows.keys["T"] == [0, 1, 4, 5])
        #expect(report.setAside == 2)
        #expect(report.items.first?.property == "T.b")
    }

    @Test func aLostColumnSetsItsRowsAsideAndSparesOtherClasses() throws {
        let file = OldStoreBuilder()
        file.table(
            "class_T", spec: file.spec([("a", 0, 0), ("b", 0, 0)]), roots: [file.ints([1, 2]), 4])
        file.table("class_U", spec: file.spec([("a", 0, 0)]), roots: [file.ints([3])])
        let (rows, report) = try file.open().everything()
        #expect(rows.rows["T"] == nil)
        #expect(rows.column("U", 0) == [.int(3)])
        #expect(report.setAside == 2)
    }

    @Test func aColumnOfOtherLengthThanTheOthersIsBroken() throws {
        let file = OldStoreBuilder()
        file.table(
            "class_T", spec: file.spec([("a", 0, 0), ("b", 0, 0), ("c", 0, 0)]),
            roots: [file.ints([1, 2]), file.node(0, count: 60_000, []), file.ints([1, 2])])
        let (rows, report) = try file.open().everything()
        #expect(rows.rows["T"] == nil)
        #expect(report.setAside == 2)
    }

    @Test func aLeafThatClaimsMillionsOfRowsIsNotBelieved() throws {
        let file = OldStoreBuilder()
        file.table(
            "class_T", spec: file.spec([("a", 0, 0)]),
            roots: [file.node(0, count: 16_777_215, [])])
        let (rows, report) = try file.open().everything()
        #expect(rows.rows["T"] == nil)
        #expect(report.setAside > 0)
    }

    @Test func formatsBeforeTheFirstProductAreRefusedByName() {
        for format: UInt8 in [0, 1] {
            let file = OldStoreBuilder(format: format)
            file.table("T", spec: file.spec([("a", 0, 0)]), roots: [file.ints([1])])
            #expect(throws: FormatError(.tooOld, "")) { _ = try file.open() }
        }
    }

    @Test func aWholeStoreOfFormat3() throws {
        let store = try Store.open(storeInput(OldStoreSample.dates, name: "dates.realm"))
        #expect(store.fileFormat == 3)
        #expect(store.schema.classes.map(\.name) == ["table"])
        #expect(store.schema.classes[0].isTable)
        let (rows, report) = try store.everything()
        #expect(report.items.isEmpty)
        #expect(
            rows.column("table", 0) == [
                .date(Timestamp(seconds: 1234, nanoseconds: 0)),
                .date(Timestamp(seconds: 0, nanoseconds: 0)), .null,
            ])
    }
}

/// A store of one table and one optional date column with an index slot.
enum OldStoreSample {
    static let dates: [UInt8] = {
        let file = OldStoreBuilder(format: 3)
        let index = file.refs([file.ints([0]), 1], context: true)
        file.table(
            "table", spec: file.spec([("dt", 7, 17)]),
            roots: [file.node(0x05, count: 4, [0xFF, 0x7F, 0xD2, 0x04, 0, 0, 0xFF, 0x7F]), index])
        return file.finish()
    }()
}
