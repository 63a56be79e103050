// Cases of the catalogue about the shape of rows, links and classes: 31 to 46.

@testable import Formats
@testable import Migrator

enum ShapeCases {
    static let people = SmallStore([
        ClassSchema("P", properties: [p("first", .string, true), p("last", .string, true)])
    ]).with("P", [["Ann", "Lee"], [" Bo ", nil], ["", ""], [nil, nil]])

    static let names = SmallStore([
        ClassSchema("P", properties: [p("full", .string)])
    ]).with("P", [["Ann Lee"], ["Cher"], ["Jan van Dyk"], [""]])

    static let addresses = SmallStore([
        ClassSchema(
            "P", properties: [p("street", .string, true), p("city", .string, true), p("n", .int)])
    ]).with("P", [["Main", "Rome", 1], [nil, "Oslo", 2], [nil, nil, 3]])

    static let embedded = SmallStore([
        ClassSchema(
            "P", properties: [p("e", .link, to: "E"), p("l", .link, false, .list, to: "E")]),
        ClassSchema(
            "E", kind: .embedded, properties: [p("s", .string), p("c", .string, true)]),
    ]).with(
        "P",
        [
            [.object(["a", nil]), [.object(["x", "y"]), .object(["x", "y"])]], [nil, []],
        ])

    static let all: [PlanCase] = [
        PlanCase(
            name: "31 two names become one", store: people,
            changes: #"[{"mergeProperties": ["P.first", "P.last"], "into": "full"}]"#,
            after: ["P": [["Ann Lee"], ["Bo"], [""], [nil]]], found: ["handled trimmed": 1],
            schema: ["P": "full string?"]),
        PlanCase(
            name: "31 parts kept, another separator", store: people,
            changes:
                #"[{"mergeProperties": ["P.last", "P.first"], "into": "full", "separator": ", ", "keep": true}]"#,
            after: [
                "P": [
                    ["Ann", "Lee", "Lee, Ann"], [" Bo ", nil, "Bo"], ["", "", ""], [nil, nil, nil],
                ]
            ], found: ["handled trimmed": 1]),
        PlanCase(
            name: "32 a name becomes two, the last word last", store: names,
            changes:
                #"[{"splitProperty": "P.full", "into": ["first", "last"], "at": "lastSpace"}]"#,
            after: ["P": [["Ann", "Lee"], ["Cher", ""], ["Jan van", "Dyk"], ["", ""]]],
            found: ["handled one-part": 2, "handled more-parts": 1]),
        PlanCase(
            name: "32 a name becomes two, the first word first", store: names,
            changes:
                #"[{"splitProperty": "P.full", "into": ["first", "last"], "at": "firstSpace", "keep": true}]"#,
            after: [
                "P": [
                    ["Ann Lee", "Ann", "Lee"], ["Cher", "Cher", ""],
                    ["Jan van Dyk", "Jan", "van Dyk"], ["", "", ""],
                ]
            ], found: ["handled one-part": 2, "handled more-parts": 1]),
        PlanCase(
            name: "33 an address line by a pattern",
            store: ValueCases.one(p("line", .string), ["Main 5, 00184 Rome", "nowhere"]),
            changes:
                #"[{"splitProperty": "T.line", "into": ["street", "zip", "city"], "pattern": "(.+), ([0-9]+) (.+)", "optional": true}]"#,
            after: ["T": [["Main 5", "00184", "Rome"]]], found: ["rejected value-misfit": 1],
            schema: ["T": "street string?, zip string?, city string?"]),
        PlanCase(
            name: "33 what the pattern does not fit is null",
            store: ValueCases.one(p("line", .string), ["Main 5, 00184 Rome", "nowhere"]),
            changes:
                #"[{"splitProperty": "T.line", "into": ["street", "zip", "city"], "pattern": "(.+), ([0-9]+) (.+)", "optional": true, "onError": "null"}]"#,
            after: ["T": [["Main 5", "00184", "Rome"], [nil, nil, nil]]],
            found: ["handled value-misfit": 1]),
        PlanCase(
            name: "35 columns become an embedded object", store: addresses,
            changes: #"[{"nest": ["P.street", "P.city"], "into": "P.addr", "class": "Addr"}]"#,
            after: [
                "P": [[.object(["Main", "Rome"]), 1], [.object([nil, "Oslo"]), 2], [nil, 3]]
            ], schema: ["P": "addr Addr?, n int", "Addr": "street string?, city string?"]),
        PlanCase(
            name: "35 and back, an embedded class changed on the way", store: addresses,
            changes: #"""
                [{"nest": ["P.street", "P.city"], "into": "P.addr", "class": "Addr"},
                 {"renameProperty": "Addr.street", "to": "road"},
                 {"makeRequired": "Addr.road", "null": "?"},
                 {"flatten": "P.addr"}, {"dropClass": "Addr"}]
                """#,
            after: ["P": [["Main", "Rome", 1], ["?", "Oslo", 2], [nil, nil, 3]]],
            found: ["handled null-replaced": 1],
            schema: ["P": "road string?, city string?, n int", "Addr": "none"]),
        PlanCase(
            name: "a bad value inside an embedded object keeps its owner out",
            store: embedded,
            changes: #"[{"makeRequired": "E.c", "null": "reject"}]"#, after: ["P": [[nil, []]]],
            found: ["rejected null-rejected": 1]),
        PlanCase(
            name: "36 columns side by side become a list",
            store: SmallStore([
                ClassSchema(
                    "Post",
                    properties: [
                        p("img1", .string, true), p("n", .int), p("img2", .string, true),
                        p("img3", .string, true),
                    ])
            ]).with("Post", [["a", 1, nil, "b"], [nil, 2, "", "c"], [nil, 3, nil, nil]]),
            changes: #"[{"collect": ["Post.img1", "Post.img2", "Post.img3"], "into": "imgs"}]"#,
            after: ["Post": [[["a", "b"], 1], [["c"], 2], [[], 3]]],
            found: ["handled empty-skipped": 1],
            schema: ["Post": "imgs list of string, n int"]),
        PlanCase(
            name: "40 text with commas becomes a list",
            store: ValueCases.one(
                p("tags", .string), ["a, b", "", "\"x,y\",z,,z", " ", "\"open, b"]),
            changes: #"[{"splitText": "T.tags", "separator": ",", "collection": "list"}]"#,
            after: [
                "T": [[["a", "b"]], [[]], [["x,y", "z", "z"]], [[]], [["\"open", "b"]]]
            ], found: ["handled empty-skipped": 1]),
        PlanCase(
            name: "40 and a set, repeats counted",
            store: ValueCases.one(p("tags", .string, true), ["z;a;z", nil]),
            changes: #"[{"splitText": "T.tags", "separator": ";", "collection": "set"}]"#,
            after: ["T": [[.set(["a", "z"])], [.set([])]]],
            found: ["handled repeat-left-out": 1]),
        PlanCase(
            name: "42 embedded objects become rows, equal ones not joined", store: embedded,
            changes: #"[{"unembed": "E"}]"#,
            after: [
                "P": [[.link("E", 0), [.link("E", 1), .link("E", 2)]], [nil, []]],
                "E": [["a", nil], ["x", "y"], ["x", "y"]],
            ], schema: ["E": "s string, c string?"]),
        PlanCase(
            name: "42 and back", store: embedded, changes: #"[{"unembed": "E"}, {"embed": "E"}]"#,
            after: [
                "P": [
                    [.object(["a", nil]), [.object(["x", "y"]), .object(["x", "y"])]], [nil, []],
                ]
            ]),
    ]
}

enum LinkCases {
    static let cars = SmallStore([
        ClassSchema("Car", properties: [p("ownerId", .string, true), p("n", .int)]),
        ClassSchema("P", primaryKey: "id", properties: [p("id", .string), p("x", .int)]),
    ]).with("Car", [["a", 1], ["zz", 2], [nil, 3], ["b", 4], ["zz", 5]]).with(
        "P", first: 7, [["a", 1], ["b", 2]])

    static let owners = SmallStore([
        ClassSchema(
            "Car", properties: [p("owner", .link, to: "P"), p("all", .link, false, .list, to: "P")]),
        ClassSchema("P", primaryKey: "id", properties: [p("id", .int)]),
    ]).with(
        "Car",
        [
            [.link("P", 1), [.link("P", 0), .link("P", 1)]], [nil, [.link("P", 0)]],
            [.link("P", 0), []],
        ]
    )
    .with("P", [[10], [20]])

    static let wrapped = SmallStore([
        ClassSchema("S", properties: [p("tags", .link, false, .list, to: "Str"), p("n", .int)]),
        ClassSchema("Str", properties: [p("v", .string)]),
    ]).with("S", [[[.link("Str", 1), .link("Str", 0), .link("Str", 1)], 1], [[], 2]]).with(
        "Str", [["a"], ["b"], ["alone"]])

    static let parents = SmallStore([
        ClassSchema("P", properties: [p("a", .link, to: "Addr"), p("n", .int)]),
        ClassSchema("Addr", primaryKey: "id", properties: [p("id", .int), p("city", .string)]),
        ClassSchema("Q", properties: [p("m", .mixed)]),
    ]).with(
        "P", [[.link("Addr", 0), 1], [.link("Addr", 1), 2], [.link("Addr", 0), 3], [nil, 4]]
    )
    .with("Addr", [[5, "Rome"], [6, "Oslo"], [7, "Bern"]]).with("Q", [["x"]])

    static let albums = SmallStore([
        ClassSchema(
            "Album", properties: [p("kind", .int), p("tracks", .link, false, .list, to: "T")]),
        ClassSchema("T", properties: [p("on", .link, to: "Album"), p("any", .mixed)]),
    ]).with("Album", [[1, [.link("T", 0)]], [2, [.link("T", 1)]], [1, []]]).with(
        "T", [[.link("Album", 0), .link("Album", 1)], [.link("Album", 1), nil]])

    static let pets = SmallStore([
        ClassSchema("Dog", properties: [p("name", .string), p("toy", .string)]),
        ClassSchema(
            "Man",
            properties: [
                p("dogs", .link, false, .list, to: "Dog"), p("cat", .link, to: "Cat"),
                p("any", .mixed),
            ]),
        ClassSchema("Cat", properties: [p("name", .string)]),
    ]).with("Dog", first: 3, [["Rex", "ball"], ["Bo", "rope"]]).with("Cat", first: 3, [["Tom"]])
        .with("Man", [[[.link("Dog", 4), .link("Dog", 3)], .link("Cat", 3), .link("Cat", 3)]])

    static let all: [PlanCase] = [
        PlanCase(
            name: "37 a link becomes a list", store: owners,
            changes: #"[{"toMany": "Car.owner", "as": "owners"}]"#,
            after: [
                "Car": [
                    [[.link("P", 1)], [.link("P", 0), .link("P", 1)]], [[], [.link("P", 0)]],
                    [[.link("P", 0)], []],
                ], "P": [[10], [20]],
            ]),
        PlanCase(
            name: "37 a list of several is no link", store: owners,
            changes: #"[{"toOne": "Car.all"}]"#, after: [:],
            found: ["needsDecision several-elements": 1]),
        PlanCase(
            name: "37 the first of several", store: owners,
            changes: #"[{"toOne": "Car.all", "onMany": "first"}]"#,
            after: [
                "Car": [
                    [.link("P", 1), .link("P", 0)], [nil, .link("P", 0)], [.link("P", 0), nil],
                ],
                "P": [[10], [20]],
            ], found: ["lost several-elements": 1]),
        PlanCase(
            name: "38 ids nobody has need a rule", store: cars,
            changes: #"[{"linkBy": "Car.ownerId", "to": "P.id", "as": "owner"}]"#, after: [:],
            found: ["needsDecision dangling-id": 2]),
        PlanCase(
            name: "38 ids become links", store: cars,
            changes:
                #"[{"linkBy": "Car.ownerId", "to": "P.id", "as": "owner", "onMissing": "null"}]"#,
            after: [
                "Car": [[.link("P", 7), 1], [nil, 2], [nil, 3], [.link("P", 8), 4], [nil, 5]],
                "P": [["a", 1], ["b", 2]],
            ], found: ["handled dangling-id": 2], schema: ["Car": "owner P?, n int"],
            oldKeys: ["P": [7: 0, 8: 1, 9: 2]]),
        PlanCase(
            name: "38 rows with ids nobody has are kept out", store: cars,
            changes: #"[{"linkBy": "Car.ownerId", "to": "P.id", "onMissing": "reject"}]"#,
            after: [
                "Car": [[.link("P", 7), 1], [nil, 3], [.link("P", 8), 4]],
                "P": [["a", 1], ["b", 2]],
            ], found: ["rejected dangling-id": 2],
            oldKeys: ["P": [7: 0, 8: 1, 9: 2]]),
        PlanCase(
            name: "38 objects for ids nobody has are made once", store: cars,
            changes:
                #"[{"linkBy": "Car.ownerId", "to": "P.id", "as": "owner", "onMissing": "create"}]"#,
            after: [
                "Car": [
                    [.link("P", 7), 1], [.link("P", 9), 2], [nil, 3], [.link("P", 8), 4],
                    [.link("P", 9), 5],
                ], "P": [["a", 1], ["b", 2], ["zz", 0]],
            ], found: ["handled object-made": 1, "handled required-filled": 1],
            oldKeys: ["P": [7: 0, 8: 1, 9: 2]]),
        PlanCase(
            name: "38 links become ids", store: owners,
            changes:
                #"[{"unlink": "Car.owner", "to": "P.id", "as": "ownerId"}, {"unlink": "Car.all", "to": "P.id"}]"#,
            after: [
                "Car": [[20, [10, 20]], [nil, [10]], [10, []]], "P": [[10], [20]],
            ], schema: ["Car": "ownerId int?, all list of int"]),
        PlanCase(
            name: "39 wrappers become values", store: wrapped,
            changes: #"[{"unwrapList": "S.tags", "property": "v"}]"#,
            after: ["S": [[["b", "a", "b"], 1], [[], 2]]], found: ["handled wrapper-removed": 3],
            schema: ["S": "tags list of string, n int", "Str": "none"]),
        PlanCase(
            name: "41 orphans, shared children need rules", store: parents,
            changes: #"[{"embed": "Addr"}]"#, after: [:],
            found: [
                "needsDecision orphan": 1, "needsDecision shared-child": 1, "lost key-dropped": 3,
            ]),
        PlanCase(
            name: "41 objects are embedded", store: parents,
            changes:
                #"[{"embed": "Addr", "orphans": "delete", "shared": "clone", "keepKeyAs": "old"}]"#,
            after: [
                "P": [
                    [.object([5, "Rome"]), 1], [.object([6, "Oslo"]), 2],
                    [.object([5, "Rome"]), 3],
                    [nil, 4],
                ], "Q": [["x"]],
            ], found: ["lost orphan-deleted": 1, "handled shared-cloned": 1],
            schema: ["Addr": "old int, city string"]),
        PlanCase(
            name: "41 rows of a class that no property holds are named",
            store: ValueCases.one(p("c", .int), [1, 2]),
            changes: #"[{"embed": "T", "orphans": "delete"}]"#, after: [:],
            found: ["lost orphan-deleted": 2]),
        PlanCase(
            name: "41 a link inside a mixed value stops embedding",
            store: SmallStore([
                ClassSchema("P", properties: [p("a", .link, to: "A"), p("m", .mixed)]),
                ClassSchema("A", properties: [p("c", .int)]),
            ]).with("P", [[.link("A", 0), .link("A", 0)]]).with("A", [[1]]),
            changes: #"[{"embed": "A"}]"#, after: [:],
            found: ["needsDecision link-to-removed-row": 1]),
        PlanCase(
            name: "43 one link becomes two, the same object", store: owners,
            changes: #"[{"moveLink": "Car.owner", "as": ["w", "r"]}]"#,
            after: [
                "Car": [
                    [.link("P", 1), .link("P", 1), [.link("P", 0), .link("P", 1)]],
                    [nil, nil, [.link("P", 0)]], [.link("P", 0), .link("P", 0), []],
                ], "P": [[10], [20]],
            ]),
        PlanCase(
            name: "43 a list moves to a new holder",
            store: SmallStore([
                ClassSchema(
                    "Book",
                    properties: [
                        p("pages", .link, false, .list, to: "Page"), p("k", .link, to: "Keeper"),
                    ]),
                ClassSchema("Keeper", properties: [p("n", .int)]),
                ClassSchema("Page", primaryKey: "id", properties: [p("id", .int)]),
            ]).with(
                "Book", [[[.link("Page", 1), .link("Page", 0)], .link("Keeper", 1)], [[], nil]]
            )
            .with("Keeper", [[1], [2]]).with("Page", [[1], [2]]),
            changes: #"[{"moveLink": "Book.pages", "to": "Keeper.pages", "by": "Book.k"}]"#,
            after: [
                "Book": [[.link("Keeper", 1)], [nil]],
                "Keeper": [[1, []], [2, [.link("Page", 1), .link("Page", 0)]]],
                "Page": [[1], [2]],
            ]),
        PlanCase(
            name: "44 links to rows that move need a rule", store: albums,
            changes: #"[{"splitClass": "Album", "into": "Playlist", "where": "kind == 2"}]"#,
            after: [:], found: ["needsDecision link-to-removed-row": 1]),
        PlanCase(
            name: "44 a class is split; mixed links follow", store: albums,
            changes:
                #"[{"splitClass": "Album", "into": "Playlist", "where": "kind == 2", "links": "null"}, {"dropProperty": "Album.kind"}, {"dropProperty": "Playlist.kind"}]"#,
            after: [
                "Album": [[[.link("T", 0)]], [[]]], "Playlist": [[[.link("T", 1)]]],
                "T": [[.link("Album", 0), .link("Playlist", 1)], [nil, nil]],
            ],
            found: ["handled link-to-removed-row": 1, "lost property-dropped": 3]),
        PlanCase(
            name: "44 links become mixed", store: albums,
            changes:
                #"[{"splitClass": "Album", "into": "Playlist", "where": "kind == 2", "links": "mixed"}]"#,
            after: [
                "Album": [[1, [.link("T", 0)]], [1, []]], "Playlist": [[2, [.link("T", 1)]]],
                "T": [
                    [.link("Album", 0), .link("Playlist", 1)], [.link("Playlist", 1), nil],
                ],
            ]),
        PlanCase(
            name: "45 classes become one", store: pets,
            changes:
                #"[{"mergeClasses": ["Dog", "Cat"], "into": "Pet", "tag": "kind", "values": {"Dog": 1, "Cat": 2}}]"#,
            after: [
                "Pet": [["Rex", "ball", 1], ["Bo", "rope", 1], ["Tom", nil, 2]],
                "Man": [[[.link("Pet", 4), .link("Pet", 3)], .link("Pet", 8), .link("Pet", 8)]],
            ], schema: ["Pet": "name string, toy string?, kind int"]),
        PlanCase(
            name: "45 the second class first", store: pets,
            changes: #"[{"mergeClasses": ["Cat", "Dog"], "into": "Cat", "tag": "kind"}]"#,
            after: [
                "Cat": [["Tom", nil, "Cat"], ["Rex", "ball", "Dog"], ["Bo", "rope", "Dog"]],
                "Man": [[[.link("Cat", 8), .link("Cat", 7)], .link("Cat", 3), .link("Cat", 3)]],
            ]),
        PlanCase(
            name: "45 what a merge does not touch is counted as ever", store: pets,
            changes:
                #"[{"dropProperty": "Man.dogs"}, {"addClass": {"name": "Bird", "properties": [{"name": "name", "type": "string"}]}}, {"dropClass": "Dog"}, {"mergeClasses": ["Bird", "Cat"], "into": "Pet"}]"#,
            after: ["Pet": [["Tom"]], "Man": [[.link("Pet", 3), .link("Pet", 3)]]],
            found: ["lost property-dropped": 1, "lost class-dropped": 2]),
        PlanCase(
            name: "keys are found after rows were kept out",
            store: SmallStore([
                ClassSchema("T", properties: [p("a", .string), p("next", .link, to: "T")])
            ]).with(
                "T",
                [["1", .link("T", 1)], ["x", .link("T", 2)], ["1", nil], ["2", .link("T", 0)]]),
            changes:
                #"[{"changeType": "T.a", "to": "int"}, {"setPrimaryKey": "T.a", "value": "existing", "onDuplicate": "last"}]"#,
            after: ["T": [[1, nil], [2, .link("T", 2)]]],
            found: [
                "rejected value-misfit": 1, "handled link-to-removed-row": 1,
                "handled duplicate-removed": 1,
            ]),
        PlanCase(
            name: "46 a class of distinct values",
            store: ValueCases.one(p("cat", .string, true), ["b", "a", nil, "b", ""]),
            changes: #"[{"extractClass": "T.cat", "into": "Category", "property": "name"}]"#,
            after: [
                "T": [
                    [.link("Category", 0)], [.link("Category", 1)], [nil], [.link("Category", 0)],
                    [.link("Category", 2)],
                ], "Category": [["b"], ["a"], [""]],
            ], schema: ["T": "cat Category?", "Category": "(name) name string"]),
        PlanCase(
            name: "46 case and spaces may not count",
            store: ValueCases.one(p("cat", .string), ["Work", " work", "Home"]),
            changes:
                #"[{"extractClass": "T.cat", "into": "Category", "property": "name", "as": "category", "trim": true, "ignoreCase": true}]"#,
            after: [
                "T": [[.link("Category", 0)], [.link("Category", 0)], [.link("Category", 1)]],
                "Category": [["Work"], ["Home"]],
            ]),
    ]
}
