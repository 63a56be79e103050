// Links led to where their rows went: to another key, another class, or nowhere.

internal import Formats

/// Maps the links of one column.
final class LinkMaker: ColumnMaker {
    private let position: Int
    private let map: KeyMap

    init(_ position: Int, _ map: KeyMap) {
        self.position = position
        self.map = map
    }

    func fill(_ column: Column, from batch: RecordBatch, _ pass: MorphPass) throws(FormatError) {
        let source = batch.columns[position]
        let name = source.property.name
        func append(_ i: Int, _ row: Int, to target: Column, of values: Column, isList: Bool) {
            guard values.nulls[i] == 0 else { return target.appendNull() }
            if let key = map.key(values.words[i]) {
                target.append(word: key)
                return
            }
            pass.note(
                map.gone, "link-to-removed-row", row, property: name,
                value: "#\(values.words[i])", reason: "the row it leads to is no more",
                fix: map.gone == .needsDecision ? map.fix : nil)
            if !isList { target.appendNull() }
        }
        guard let elements = source.elements, let target = column.elements else {
            for row in 0..<batch.rowCount {
                append(row, row, to: column, of: source, isList: false)
            }
            return
        }
        let isDictionary = source.property.collection == .dictionary
        let isSet = source.property.collection == .set
        for row in 0..<batch.rowCount {
            var seen: Set<Int64> = []
            for i in source.range(row) {
                if isSet, elements.nulls[i] == 0, let key = map.key(elements.words[i]),
                    !seen.insert(key).inserted
                {
                    continue
                }
                if isDictionary, let keys = column.keys, let from = source.keys {
                    keys.append(i, of: from)
                }
                append(i, row, to: target, of: elements, isList: !isDictionary)
            }
            column.closeCollection()
        }
    }
}

/// Maps the links inside mixed values.
final class MixedLinkMaker: ColumnMaker {
    private let position: Int
    private let maps: [Int: KeyMap]
    private let names: [String: Int]

    init(_ position: Int, _ maps: [Int: KeyMap], _ input: Schema) {
        self.position = position
        self.maps = maps
        names = Dictionary(
            input.classes.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { a, _ in a })
    }

    func fill(_ column: Column, from batch: RecordBatch, _ pass: MorphPass) throws(FormatError) {
        let source = batch.columns[position]
        let target = column.elements ?? column
        let values = source.elements ?? source
        func append(_ i: Int, _ row: Int) {
            guard values.nulls[i] == 0 else { return target.appendNull() }
            var decoder = MixedDecoder(values.bytes(i))
            var isGone: MigrationFinding.Kind?
            var fix: String?
            MixedLinks.copy(&decoder, to: MixedEncoder(target.bytes), isTop: true) { c, key in
                guard let map = maps[c] else { return (c, key) }
                if let elsewhere = map.elsewhere, elsewhere.keys.contains(key) {
                    return (elsewhere.classIndex, key)
                }
                guard let there = map.key(key) else {
                    isGone = map.gone
                    fix = map.fix
                    return nil
                }
                return (map.output, there)
            }
            if let isGone {
                pass.note(
                    isGone, "link-to-removed-row", row, property: source.property.name,
                    reason: "the row it leads to is no more",
                    fix: isGone == .needsDecision ? fix : nil)
            }
            target.closeMixed()
        }
        guard source.elements != nil else {
            for row in 0..<batch.rowCount { append(row, row) }
            return
        }
        for row in 0..<batch.rowCount {
            for i in source.range(row) {
                if let keys = column.keys, let from = source.keys { keys.append(i, of: from) }
                append(i, row)
            }
            column.closeCollection()
        }
    }
}

/// Walks the links inside an encoded mixed value.
enum MixedLinks {
    /// Copies a value with its links changed; nil makes a null of a link.
    ///
    /// At the top a null has no bytes at all.
    static func copy(
        _ decoder: inout MixedDecoder, to out: MixedEncoder, isTop: Bool,
        _ map: (Int, Int64) -> (Int, Int64)?
    ) {
        let start = decoder.offset
        switch decoder.tag() {
        case .link:
            let (c, key) = decoder.link()
            if let (c, key) = map(c, key) {
                out.link(classIndex: c, key: key)
            } else if !isTop {
                out.null()
            }
        case .list:
            let count = decoder.count()
            let mark = out.openList()
            for _ in 0..<count { copy(&decoder, to: out, isTop: false, map) }
            out.close(mark, count: count)
        case .dictionary:
            let count = decoder.count()
            let mark = out.openDictionary()
            for _ in 0..<count {
                out.key(decoder.blob())
                copy(&decoder, to: out, isTop: false, map)
            }
            out.close(mark, count: count)
        default:
            decoder.offset = start
            decoder.skip()
            out.out.append(
                bytes: UnsafeRawBufferPointer(rebasing: decoder.bytes[start..<decoder.offset]))
        }
    }
}

extension Column {
    /// Ends a mixed value whose bytes were appended; without any it is null.
    func closeMixed() {
        let begin = ends.isEmpty ? 0 : ends[ends.count - 1]
        if bytes.count == begin { appendNull() } else { closeBytes() }
    }
}
