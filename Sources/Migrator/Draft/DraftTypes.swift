// What a draft proposes where a property stays and its type, optionality or shape changes.

internal import Formats

extension DraftProperties {
    private typealias Options = [(answer: String, changes: [PlanJSON])]

    /// The difference of two properties of one name that are no keys.
    func change(_ before: Property, _ after: Property) -> DraftItem {
        let subject = "\(className).\(after.name)"
        let text = "from \(before.summary) to \(after.summary)"
        let name = PlanJSON.string(subject)
        if let safe = safeChange(before, after, name), fits(safe, after) {
            return DraftItem(.safe, subject, text, safe)
        }
        var options: Options = []
        if before.type == after.type, before.target == after.target {
            options += sameType(before, after, name)
        } else if before.collection == after.collection {
            options += otherType(before, after, name)
        } else {
            options += otherShape(before, after, name)
        }
        options = options.filter { fits($0.changes, after) }.map {
            ($0.answer, withIndex($0.changes, after))
        }
        let anew = [.members([("dropProperty", name)])] + Self.addition(after, to: className)
        options.append(("drop and add", anew))
        return .ask(subject, text, options)
    }

    /// True when changes lead to the property as it shall be, its index aside.
    private func fits(_ changes: [PlanJSON], _ after: Property) -> Bool {
        guard let result = PlanDraft.apply(changes, to: schema),
            let c = result.index(of: className),
            let p = result.classes[c].index(of: after.name)
        else { return false }
        var found = result.classes[c].properties[p]
        found.isIndexed = after.isIndexed
        found.isFullText = after.isFullText
        return found == after
    }

    private func withIndex(_ changes: [PlanJSON], _ after: Property) -> [PlanJSON] {
        guard let result = PlanDraft.apply(changes, to: schema),
            let c = result.index(of: className),
            let p = result.classes[c].index(of: after.name),
            result.classes[c].properties[p].isIndexed != after.isIndexed
        else { return changes }
        return changes + [
            .members([
                ("setIndex", .string("\(className).\(after.name)")),
                ("indexed", .bool(after.isIndexed)),
            ])
        ]
    }

    /// The change where no value can be lost.
    private func safeChange(_ before: Property, _ after: Property, _ name: PlanJSON) -> [PlanJSON]?
    {
        if before.type == after.type, before.target == after.target,
            before.collection == after.collection, after.isOptional
        {
            return [.members([("makeOptional", name)])]
        }
        if before.type == .link, after.type == .link, before.target == after.target,
            before.collection == nil, after.collection == .list
        {
            return [.members([("toMany", name)])]
        }
        let widening: [PropertyType: Set<PropertyType>] = [
            .int: [.string, .decimal128, .mixed], .bool: [.int, .string, .mixed],
            .float: [.double, .mixed], .double: [.mixed], .string: [.mixed], .data: [.mixed],
            .date: [.mixed], .decimal128: [.mixed], .objectId: [.string, .mixed],
            .uuid: [.string, .mixed],
        ]
        guard before.collection == after.collection,
            widening[before.type]?.contains(after.type) == true,
            after.isOptional || !before.isOptional
        else { return nil }
        return [convert(name, after)]
    }

    private func convert(
        _ name: PlanJSON, _ after: Property, using: PlanJSON? = nil, onError: PlanJSON? = nil,
        collection: CollectionKind? = nil
    ) -> PlanJSON {
        .members([
            ("changeType", name), ("to", .string(after.type.rawValue)),
            ("optional", after.type == .mixed ? nil : .bool(after.isOptional)), ("using", using),
            ("onError", onError), ("collection", collection.map { .string($0.rawValue) }),
        ])
    }

    /// Optionality, and lists that become sets.
    private func sameType(_ before: Property, _ after: Property, _ name: PlanJSON) -> Options {
        if before.collection == after.collection {
            guard before.isOptional, !after.isOptional else { return [] }
            func require(_ null: PlanJSON?) -> [PlanJSON] {
                [.members([("makeRequired", name), ("null", null)])]
            }
            return [
                ("stop at nulls", require(nil)),
                (after.type == .date ? "1970 for null" : "blank for null", require(after.blank)),
                ("reject nulls", require(.string("reject"))),
            ]
        }
        return otherShape(before, after, name)
    }

    private func otherType(_ before: Property, _ after: Property, _ name: PlanJSON) -> Options {
        let blank: PlanJSON = .members([("value", after.blank)])
        var options: Options = []
        func offer(_ answer: String, _ using: PlanJSON?) {
            options.append((answer, [convert(name, after, using: using)]))
            if after.isOptional {
                options.append(
                    (
                        answer + ", else null",
                        [convert(name, after, using: using, onError: .string("null"))]
                    ))
            } else if after.type != .date {
                options.append(
                    (
                        answer + ", else blank",
                        [convert(name, after, using: using, onError: blank)]
                    ))
            }
        }
        func zoned(_ kind: String, _ pattern: PlanJSON) -> PlanJSON {
            .members([(kind, pattern), ("zone", .string("UTC"))])
        }
        switch (before.type, after.type) {
        case (.string, .date):
            offer(
                "parse",
                zoned(
                    "parseDate",
                    .array([
                        .string("yyyy-MM-dd HH:mm:ss"), .string("yyyy-MM-dd HH:mm"),
                        .string("yyyy-MM-dd"),
                    ])))
        case (.date, .string): offer("format", zoned("formatDate", .string("yyyy-MM-dd HH:mm:ss")))
        case (.date, _), (_, .date):
            offer("seconds", .members([("epoch", .string("s"))]))
            offer("milliseconds", .members([("epoch", .string("ms"))]))
        case (.string, .data), (.data, .string):
            offer("utf-8", nil)
            offer("base64", .string("base64"))
        case (_, .link) where before.collection == nil && after.collection == nil:
            options += linkBy(after, name)
        case (.link, _) where before.collection == nil && after.collection == nil:
            options += unlink(before, after, name)
        case (.link, _) where before.collection == .list: options += unwrap(before, after, name)
        default: offer("convert", nil)
        }
        return options
    }

    private func linkBy(_ after: Property, _ name: PlanJSON) -> Options {
        guard let target = after.target, let t = schema.index(of: target),
            let key = schema.classes[t].primaryKey
        else { return [] }
        return ["null", "reject", "create"].map { rule in
            (
                "link by \(target).\(key), else \(rule)",
                [
                    .members([
                        ("linkBy", name), ("to", .string("\(target).\(key)")),
                        ("as", .string(after.name)), ("onMissing", .string(rule)),
                    ])
                ]
            )
        }
    }

    private func unlink(_ before: Property, _ after: Property, _ name: PlanJSON) -> Options {
        guard let target = before.target, let t = schema.index(of: target),
            let key = schema.classes[t].primaryKey
        else { return [] }
        return [
            (
                "\(target).\(key)",
                [
                    .members([
                        ("unlink", name), ("to", .string("\(target).\(key)")),
                        ("as", .string(after.name)),
                    ])
                ]
            )
        ]
    }

    private func unwrap(_ before: Property, _ after: Property, _ name: PlanJSON) -> Options {
        guard let target = before.target, let t = schema.index(of: target) else { return [] }
        return schema.classes[t].properties.filter { $0.type == after.type }.prefix(4).map {
            (
                "unwrap \(target).\($0.name)",
                [.members([("unwrapList", name), ("property", .string($0.name))])]
            )
        }
    }

    private func otherShape(_ before: Property, _ after: Property, _ name: PlanJSON) -> Options {
        switch (before.collection, after.collection) {
        case (.list?, .set?), (.set?, .list?):
            return [("convert", [convert(name, after, collection: after.collection)])]
        case (.list?, nil) where before.type == .link:
            return ["fail", "first"].map { rule in
                (
                    rule == "fail" ? "stop at several" : "first",
                    [.members([("toOne", name), ("onMany", .string(rule))])]
                )
            }
        case (nil, .list?) where before.type == .string:
            return [
                (
                    "split at commas",
                    [.members([("splitText", name), ("separator", .string(","))])]
                ),
                (
                    "one element",
                    [.members([("collect", .array([name])), ("into", .string(after.name))])]
                ),
            ]
        case (nil, .set?) where before.type == .string:
            return [
                (
                    "split at commas",
                    [
                        .members([
                            ("splitText", name), ("separator", .string(",")),
                            ("collection", .string("set")),
                        ])
                    ]
                )
            ]
        case (nil, .list?):
            return [
                (
                    "one element",
                    [.members([("collect", .array([name])), ("into", .string(after.name))])]
                )
            ]
        default: return []
        }
    }
}
