// Cases of the catalogue with the types there were before format 10: lists of links for sets, and
// no links inside mixed values. Expected rows are written by hand.

@testable import Formats
@testable import Migrator

enum EarlyCases {
    static let links = SmallStore([
        ClassSchema("Foo", properties: [p("v", .int)]),
        ClassSchema(
            "Bar", properties: [p("f", .link, to: "Foo"), p("l", .link, false, .list, to: "Foo")]),
    ]).with("Foo", [[1], [2]]).with(
        "Bar", [[.link("Foo", 1), [.link("Foo", 0), .link("Foo", 0)]], [nil, []]])

    static let users = SmallStore([
        ClassSchema(
            "User",
            properties: [
                p("mobile", .string, true), p("n", .string), p("seen", .date, true),
            ]),
        ClassSchema(
            "Note",
            properties: [p("by", .link, to: "User"), p("all", .link, false, .list, to: "User")]),
    ]).with(
        "User",
        [
            ["1", "a", date(10)], ["2", "b", date(5)], ["1", "c", date(30)], [nil, "d", nil],
            ["1", "e", date(20)],
        ]
    ).with(
        "Note",
        [[.link("User", 0), [.link("User", 0), .link("User", 2)]], [.link("User", 4), []]])

    static let albums = SmallStore([
        ClassSchema(
            "Album", properties: [p("kind", .int), p("tracks", .link, false, .list, to: "T")]),
        ClassSchema("T", properties: [p("on", .link, to: "Album"), p("n", .string)]),
    ]).with("Album", [[1, [.link("T", 0)]], [2, [.link("T", 1)]], [1, []]]).with(
        "T", [[.link("Album", 0), "a"], [.link("Album", 1), "b"]])

    static let pets = SmallStore([
        ClassSchema("Dog", properties: [p("name", .string), p("toy", .string)]),
        ClassSchema(
            "Man",
            properties: [
                p("dogs", .link, false, .list, to: "Dog"), p("cat", .link, to: "Cat"),
            ]),
        ClassSchema("Cat", properties: [p("name", .string)]),
    ]).with("Dog", [["Rex", "ball"], ["Bo", "rope"]]).with("Cat", [["Tom"]])
        .with("Man", [[[.link("Dog", 1), .link("Dog", 0)], .link("Cat", 0)], [[], nil]])

    /// Values of every type an old file can hold, short and long.
    static let types = SmallStore([
        ClassSchema(
            "All", primaryKey: "k",
            properties: [
                p("k", .string), p("i", .int), p("io", .int, true), p("b", .bool),
                p("bo", .bool, true), p("s", .string, true), p("t", .string), p("d", .data),
                p("dd", .data, true), p("at", .date, true), p("f", .float), p("fo", .float, true),
                p("x", .double), p("xo", .double, true), p("m", .mixed),
                Property("n", .int, isOptional: true, isIndexed: true),
                p("to", .link, to: "All"),
            ])
    ]).with(
        "All",
        [
            [
                "first", .int(.min), 1, true, nil, nil, "", .data([]), nil, date(-1, -5),
                .float(0.5), nil, 1e300, nil, -7, 5, .link("All", 2),
            ],
            [
                "second", .int(.max), nil, false, true, "medium text of thirty bytes ...",
                .string(String(repeating: "long ", count: 20)),
                .data([UInt8](repeating: 7, count: 70)), .data([0]), nil, .float(-1), .float(2), 0.0,
                -2.5, "mixed", nil, nil,
            ],
            [
                "firs", 0, -129, true, false, "x", "é", .data([255, 0]), .data([]), date(1, 999),
                .float(3), .float(0), -1.5, 0.0, date(5, 6), 5, .link("All", 2),
            ],
        ])

    static let all: [PlanCase] = [
        PlanCase(
            name: "all types stay what they are", store: types,
            changes: #"[{"renameClass": "All", "to": "Every"}, {"dropProperty": "Every.to"}]"#,
            after: ["Every": types.rows.map { Array($0.values.dropLast()) }],
            found: ["lost property-dropped": 3]),
        PlanCase(
            name: "2 a class is renamed and links follow", store: links,
            changes:
                #"[{"renameClass": "Foo", "to": "Baz"}, {"renameProperty": "Baz.v", "to": "w"}]"#,
            after: [
                "Baz": [[1], [2]],
                "Bar": [[.link("Baz", 1), [.link("Baz", 0), .link("Baz", 0)]], [nil, []]],
            ], schema: ["Baz": "w int", "Bar": "f Baz?, l list of Baz"]),
        PlanCase(
            name: "47 a class goes with the links to it", store: links,
            changes:
                #"[{"dropClass": "Foo", "dropLinks": true}, {"addProperty": "Bar.n", "type": "int", "value": 1}]"#,
            after: ["Bar": [[1], [1]]],
            found: ["lost class-dropped": 2, "lost property-dropped": 4]),
        PlanCase(
            name: "6 repeated keys need a rule", store: users,
            changes: #"[{"setPrimaryKey": "User.mobile", "value": "existing"}]"#, after: [:],
            found: ["needsDecision duplicate-key": 2]),
        PlanCase(
            name: "6 the first of repeated keys stays", store: users,
            changes:
                #"[{"setPrimaryKey": "User.mobile", "value": "existing", "onDuplicate": "first"}]"#,
            after: [
                "User": [["1", "a", date(10)], ["2", "b", date(5)], [nil, "d", nil]],
                "Note": [
                    [.link("User", 0), [.link("User", 0), .link("User", 0)]],
                    [.link("User", 0), []],
                ],
            ], found: ["handled duplicate-removed": 2],
            schema: ["User": "(mobile) mobile string?, n string, seen date?"]),
        PlanCase(
            name: "6 the newest of repeated keys stays", store: users,
            changes:
                #"[{"setPrimaryKey": "User.mobile", "value": "existing", "onDuplicate": {"newest": "seen"}}]"#,
            after: [
                "User": [["2", "b", date(5)], ["1", "c", date(30)], [nil, "d", nil]],
                "Note": [
                    [.link("User", 2), [.link("User", 2), .link("User", 2)]],
                    [.link("User", 2), []],
                ],
            ], found: ["handled duplicate-removed": 2]),
        PlanCase(
            name: "6 repeated keys get a number", store: users,
            changes:
                #"[{"setPrimaryKey": "User.mobile", "value": "existing", "onDuplicate": "suffix"}]"#,
            after: [
                "User": [
                    ["1", "a", date(10)], ["2", "b", date(5)], ["1-2", "c", date(30)],
                    [nil, "d", nil], ["1-3", "e", date(20)],
                ],
                "Note": [
                    [.link("User", 0), [.link("User", 0), .link("User", 2)]],
                    [.link("User", 4), []],
                ],
            ], found: ["handled duplicate-renamed": 2]),
        PlanCase(
            name: "30 mixed to a type, value by value",
            store: ValueCases.one(p("x", .mixed), [1, "a", 2.5, -1]),
            changes: #"[{"changeType": "T.x", "to": "int"}]"#,
            after: ["T": [[1], [-1]]], found: ["rejected value-misfit": 2]),
        PlanCase(
            name: "44 links to rows that move need a rule", store: albums,
            changes: #"[{"splitClass": "Album", "into": "Playlist", "where": "kind == 2"}]"#,
            after: [:], found: ["needsDecision link-to-removed-row": 1]),
        PlanCase(
            name: "44 a class is split, links to what moves are null", store: albums,
            changes:
                #"[{"splitClass": "Album", "into": "Playlist", "where": "kind == 2", "links": "null"}]"#,
            after: [
                "Album": [[1, [.link("T", 0)]], [1, []]], "Playlist": [[2, [.link("T", 1)]]],
                "T": [[.link("Album", 0), "a"], [nil, "b"]],
            ], found: ["handled link-to-removed-row": 1]),
        PlanCase(
            name: "44 links become mixed", store: albums,
            changes:
                #"[{"splitClass": "Album", "into": "Playlist", "where": "kind == 2", "links": "mixed"}]"#,
            after: [
                "Album": [[1, [.link("T", 0)]], [1, []]], "Playlist": [[2, [.link("T", 1)]]],
                "T": [[.link("Album", 0), "a"], [.link("Playlist", 1), "b"]],
            ]),
        PlanCase(
            name: "45 classes become one", store: pets,
            changes:
                #"[{"mergeClasses": ["Dog", "Cat"], "into": "Pet", "tag": "kind", "values": {"Dog": 1, "Cat": 2}}]"#,
            after: [
                "Pet": [["Rex", "ball", 1], ["Bo", "rope", 1], ["Tom", nil, 2]],
                "Man": [[[.link("Pet", 1), .link("Pet", 0)], .link("Pet", 2)], [[], nil]],
            ], schema: ["Pet": "name string, toy string?, kind int"]),
        PlanCase(
            name: "45 the second class first", store: pets,
            changes: #"[{"mergeClasses": ["Cat", "Dog"], "into": "Cat", "tag": "kind"}]"#,
            after: [
                "Cat": [["Tom", nil, "Cat"], ["Rex", "ball", "Dog"], ["Bo", "rope", "Dog"]],
                "Man": [[[.link("Cat", 2), .link("Cat", 1)], .link("Cat", 0)], [[], nil]],
            ]),
    ]
}
