import Testing

@testable import Formats

@Suite("Differences of stores") struct StoreDifferenceTests {
    static func schema(_ extra: [Property] = []) -> Schema {
        Schema(
            version: 1,
            classes: [
                ClassSchema(
                    "P", primaryKey: "id",
                    properties: [
                        Property("id", .int), Property("name", .string),
                        Property("friend", .link, isOptional: true, target: "P"),
                        Property("tags", .string, collection: .set),
                    ] + extra),
                ClassSchema("N", properties: [Property("v", .string)]),
            ])
    }

    typealias Row = (key: Int64, values: [Value])

    static func source(_ p: [Row], _ n: [Row] = [], _ schema: Schema = schema())
        -> StoreDifference.Source
    {
        { () throws(FormatError) in
            RowsReader(
                schema,
                [
                    .init(classIndex: 0, rows: p.map(\.values), keys: p.map(\.key)),
                    .init(classIndex: 1, rows: n.map(\.values), keys: n.map(\.key)),
                ])
        }
    }

    static func person(
        _ key: Int64, _ id: Int64, _ name: String, _ friend: Int64?, _ tags: [String] = []
    ) -> Row {
        (
            key,
            [
                .int(id), .string(name), friend.map { .link("P", $0) } ?? .null,
                .set(tags.map { .string($0) }),
            ]
        )
    }

    @Test func equalStoresHaveNone() throws {
        let rows = [Self.person(0, 1, "a", 1, ["x", "y"]), Self.person(1, 2, "b", nil)]
        let d = try StoreDifference(Self.source(rows), Self.source(rows))
        #expect(d.isEmpty)
        #expect(d.counts.map(\.equal) == [2, 0])
    }

    @Test func linksAreComparedByThePrimaryKeyTheyLeadTo() throws {
        let a = [Self.person(0, 1, "a", 1, ["x", "y"]), Self.person(1, 2, "b", nil)]
        let b = [Self.person(10, 1, "a", 77, ["y", "x"]), Self.person(77, 2, "b", nil)]
        #expect(try StoreDifference(Self.source(a), Self.source(b)).isEmpty)
        let c = [Self.person(10, 1, "a", 10, ["y", "x"]), Self.person(77, 2, "b", nil)]
        let d = try StoreDifference(Self.source(a), Self.source(c))
        #expect(d.items.map(\.property) == ["friend"])
    }

    @Test func rowsAreAddedRemovedAndChanged() throws {
        let a = [
            Self.person(0, 1, "a", nil), Self.person(1, 2, "b", nil), Self.person(2, 3, "c", nil),
        ]
        let b = [
            Self.person(0, 2, "b", nil), Self.person(1, 3, "C", nil), Self.person(2, 4, "d", nil),
        ]
        let d = try StoreDifference(
            Self.source(a, [(0, [.string("p")]), (1, [.string("q")])]),
            Self.source(b, [(0, [.string("p")]), (5, [.string("r")])]))
        #expect(d.counts.map(\.equal) == [1, 1])
        #expect(d.counts.map(\.changed) == [1, 0])
        #expect(d.counts.map(\.removed) == [1, 1])
        #expect(d.counts.map(\.added) == [1, 1])
        let changed = d.items.filter { $0.kind == .changed }
        #expect(changed.map(\.property) == ["name"])
        #expect(changed.map(\.first) == ["\"c\""])
        #expect(changed.map(\.second) == ["\"C\""])
        #expect(changed.map(\.key) == ["3"])
        #expect(d.items.filter { $0.kind == .removed }.map(\.key) == ["1", "#1"])
        #expect(d.items.filter { $0.kind == .added }.map(\.key) == ["4", "#5"])
    }

    @Test func rowsMayBeMatchedByAProperty() throws {
        let a: [Row] = [(0, [.string("p")]), (1, [.string("p")]), (2, [.string("q")])]
        let b: [Row] = [(7, [.string("q")]), (8, [.string("p")]), (9, [.string("p")])]
        let d = try StoreDifference(Self.source([], a), Self.source([], b), by: "v")
        #expect(d.isEmpty)
        #expect(throws: FormatError(.unknownName, "")) {
            _ = try StoreDifference(Self.source([], a), Self.source([], b), by: "w")
        }
    }

    @Test func schemasAreCompared() throws {
        let more = Self.schema([Property("age", .int, isOptional: true)])
        let d = try StoreDifference(Self.source([]), Self.source([], [], more))
        #expect(d.items.map(\.property) == ["age"])
        #expect(d.items.map(\.second) == ["int?"])
        #expect(d.items.map(\.kind) == [.schema])
    }
}
