// The parameters of a line on its way to another version: taken apart, and written as the target
// spells them.

extension VCardUpgrade {
    // MARK: Parameters

    /// The parameters of a source line, taken apart.
    struct Parameters {
        var types: [String] = []
        var preference: Int?
        var value: String?
        /// All others, as written: name and value.
        var others: [(name: String, value: TextRange, isDecoded: Bool)] = []

        /// Tells how a value sounds (RFC 9554).
        var isPhonetic: Bool { others.contains { $0.name.uppercased() == "PHONETIC" } }

        func has(_ type: String) -> Bool { types.contains { $0.lowercased() == type } }

        /// Adds a type; PREF is the preference.
        mutating func add(type: String) {
            if type.lowercased() == "pref" {
                preference = preference ?? 1
            } else {
                types.append(type)
            }
        }

        mutating func remove(_ type: String) { types.removeAll { $0.lowercased() == type } }
    }

    func parameters(_ line: ContentLine) -> Parameters {
        var result = Parameters()
        func addTypes(_ text: UnsafeRawBufferPointer) {
            ParameterText.forEachType(text, carets: src.dialect != .legacy, scratch: scratch) {
                result.add(type: String(decoding: $0, as: UTF8.self))
            }
        }
        for j in src.parameterIndices(line) {
            let parameter = src.parameters[j]
            let text = src.bytes(parameter.value)
            if !parameter.isBare, parameter.key == NameKey.charset { continue }
            if out.dialect != .legacy, isCustomLabel(parameter) { continue }
            if parameter.isBare || parameter.key == NameKey.encoding {
                if !parameter.isBare || ParameterText.isTransferEncoding(text) { continue }
            }
            if parameter.isBare || text.isEmpty {
                // `TYPE=` says nothing.
                let name = src.bytes(parameter.name)
                if !parameter.isBare, ParameterText.isUsualName(name) { continue }
                let word = src.string(parameter.isBare ? parameter.value : parameter.name)
                switch word.uppercased() {
                case "PREF": result.preference = result.preference ?? 1
                case "URL", "CID", "CONTENT-ID": result.value = "uri"
                case "INLINE": break
                default: addTypes(parameter.isBare ? text : src.bytes(parameter.name))
                }
                continue
            }
            if parameter.key == NameKey.type || parameter.name.isEmpty {
                addTypes(text)
                continue
            }
            if parameter.key == NameKey.pref, let number = ScalarText.int(text) {
                result.preference = Int(clamping: number)
                continue
            }
            if parameter.key == NameKey.value {
                result.value = src.string(parameter.value).lowercased()
                continue
            }
            result.others.append(
                (src.string(parameter.name), parameter.value, parameter.needsDecoding))
        }
        return result
    }

    /// True for Samsung's `X-CUSTOM(…)`, which is a label.
    private func isCustomLabel(_ parameter: ContentParameter) -> Bool {
        let word = src.bytes(parameter.isBare ? parameter.value : parameter.name)
        return word.count > 8 && NameKey.starts(word, with: "X-CUSTOM(")
    }

    /// The label that such a parameter is; nil for a line that has none or has a group with one.
    func customLabel(_ line: ContentLine) -> String? {
        guard line.group.isEmpty else { return nil }
        for j in src.parameterIndices(line) where isCustomLabel(src.parameters[j]) {
            let parameter = src.parameters[j]
            var word = Array(src.bytes(parameter.isBare ? parameter.value : parameter.name))
            if !parameter.isBare, !parameter.value.isEmpty {
                word.append(0x3D)
                word += Array(src.bytes(parameter.value))
            }
            scratch.removeAll()
            word.withUnsafeBytes { ContactMapper.decode(customLabel: $0, into: scratch) }
            let text = String(decoding: scratch.elements, as: UTF8.self)
            return text.isEmpty ? nil : text
        }
        return nil
    }

    /// Gives a label to the line that was written first from a place on, in a group of its own.
    func label(from start: Int, _ text: String) {
        guard out.count > start, out[start].group.isEmpty else { return }
        repeat { groupNumber += 1 } while groups.contains("item\(groupNumber)")
        groups.insert("item\(groupNumber)")
        out.lines.base[start].group = out.add("item\(groupNumber)")
        label(text, builtIn: false)
    }

    /// A type in upper or lower case; only ASCII letters have one.
    private static func cased(_ type: String, isUpper: Bool) -> String {
        let from: UInt8 = isUpper ? 0x61 : 0x41
        return String(decoding: type.utf8.map { $0 &- from < 26 ? $0 ^ 0x20 : $0 }, as: UTF8.self)
    }

    /// Writes parameters to the line opened last, in the target's ways.
    func write(_ parameters: Parameters) {
        let types = parameters.types.map {
            VCardUpgrade.cased($0, isUpper: out.dialect != .vCard4)
        }
        if out.dialect == .legacy {
            for type in types {
                if type.utf8.contains(where: { $0 == 0x2C || VCardUpgrade.isLost($0) }) {
                    simplified("TYPE", type)
                }
                let start = out.arena.count
                var text = type
                text.withUTF8 {
                    ParameterText.encode(
                        type: UnsafeRawBufferPointer($0), .legacy, into: out.arena)
                }
                let word = out.arenaRange(from: start)
                let isBare = ParameterText.isBareType(out.bytes(word))
                out.addParameter(isBare ? .empty : out.add("TYPE"), word)
            }
            if parameters.preference != nil { out.addParameter("", "PREF") }
        } else {
            var words = types
            if parameters.preference != nil, out.dialect == .vCard3 { words.append("PREF") }
            if !words.isEmpty {
                let start = out.arena.count
                for (k, word) in words.enumerated() {
                    if k > 0 { out.arena.append(0x2C) }
                    encode(word)
                }
                out.addParameter(out.add("TYPE"), part(start, words))
            }
            if let preference = parameters.preference, out.dialect == .vCard4 {
                out.addParameter("PREF", String(min(max(preference, 1), 100)))
            }
        }
        if let value = parameters.value { out.addParameter("VALUE", value) }
        for other in parameters.others {
            if !other.isDecoded {
                let name = out.add(other.name)
                out.addParameter(name, out.add(other.value, of: src))
                continue
            }
            var values: [String] = []
            let parameter = ContentParameter(
                name: .empty, value: other.value, key: 0, isBare: false, needsDecoding: true)
            ParameterText.forEachValue(parameter, of: src, scratch: scratch) {
                values.append(String(decoding: $0, as: UTF8.self))
            }
            if out.dialect == .legacy,
                let value = values.first(where: { $0.utf8.contains(where: VCardUpgrade.isLost) })
            {
                simplified(other.name, value)
            }
            let start = out.arena.count
            for (k, value) in values.enumerated() {
                if k > 0 { out.arena.append(0x2C) }
                encode(value)
            }
            let end = out.arena.count
            let name = out.add(other.name)
            out.addParameter(
                name,
                TextRange(
                    place: 0x8000_0000 | UInt32(truncatingIfNeeded: start),
                    length: UInt32(truncatingIfNeeded: end - start)))
        }
    }

    /// True for what a parameter of 2.1 cannot hold.
    private static func isLost(_ c: UInt8) -> Bool {
        c == 0x3A || c == 0x3B || c == 0x22 || c < 0x20
    }

    private func simplified(_ name: String, _ value: String) {
        context.report.note(
            .changed, "parameter-simplified", record: src.record, property: name, value: value,
            action: "2.1 has no quotes; separators became spaces, and commas part types")
    }

    private func encode(_ text: String) {
        var text = text
        text.withUTF8 {
            ParameterText.encode(UnsafeRawBufferPointer($0), out.dialect, into: out.arena)
        }
    }

    /// The arena from `start` up to where the words just encoded end.
    func part(_ start: Int, _ words: [String]) -> TextRange {
        // `TYPE` was added behind them.
        TextRange(
            place: 0x8000_0000 | UInt32(truncatingIfNeeded: start),
            length: UInt32(truncatingIfNeeded: out.arena.count - 4 - start))
    }

    /// Writes one parameter with text.
    func addParameter(_ name: String, text: String) {
        let name = out.add(name)
        let start = out.arena.count
        encode(text)
        out.addParameter(name, out.arenaRange(from: start))
    }
}
