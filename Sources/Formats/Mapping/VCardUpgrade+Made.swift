// Cards that stay in their version, 2.1 or 3.0: what a person or an app has put into the fields of a
// contact is written as this version has it, although the field came with 4.0. Lines that a card had
// itself stay as they were.

extension VCardUpgrade {
    /// The card with the lines made of fields that only 4.0 has as its version says them; valid
    /// until the next call.
    func mendMade(_ lines: ContentLines) -> ContentLines {
        guard lines.hasMade, lines.dialect != .vCard4 else { return lines }
        src = lines
        guard (0..<lines.count).contains(where: { isAhead(lines[$0]) }) else { return lines }
        out = lines === first ? second : first
        out.begin(at: nil)
        out.dialect = lines.dialect
        out.record = lines.record
        targetName = VCardUpgrade.name(lines.dialect)
        taken.removeAll()
        groups.removeAll()
        groupNumber = 0
        labelLines.removeAll()
        best.removeAll()
        for i in 0..<src.count {
            let line = src[i]
            if !line.group.isEmpty {
                groups.insert(src.string(line.group).lowercased())
                if line.tag == ContactProperty.abLabel.rawValue {
                    labelLines[NameKey.of(src.bytes(line.group))] = i
                }
            }
            if let preference = parameters(line).preference {
                best[line.key] = min(best[line.key] ?? 101, preference)
            }
        }
        pairLabels()
        for i in 0..<src.count where !taken.contains(i) {
            let line = src[i]
            let property = ContactProperty(rawValue: line.tag) ?? .other
            guard isAhead(line) else {
                out.append(i, of: src)
                continue
            }
            if property.isNew || property == .adr || property == .kind {
                down(i, line, property)
            } else {
                ranked(i, line)
            }
        }
        settleTags()
        return out
    }

    /// True for a line that was made and has what only 4.0 has.
    private func isAhead(_ line: ContentLine) -> Bool {
        guard line.flags.contains(.made) else { return false }
        let property = ContactProperty(rawValue: line.tag) ?? .other
        if property.isNew || property == .kind { return true }
        for j in src.parameterIndices(line) where !src.parameters[j].isBare {
            if src.parameters[j].key == NameKey.pref { return true }
            if property == .adr, NameKey.equals(src.bytes(src.parameters[j].name), "LABEL") {
                return true
            }
        }
        return false
    }

    /// The text of an address stands in a line of its own, in the place of one of the same kind.
    private func pairLabels() {
        for i in 0..<src.count where src[i].tag == ContactProperty.adr.rawValue {
            guard isAhead(src[i]), labelText(of: src[i]) else { continue }
            let types = kinds(src[i])
            let label = (0..<src.count).first {
                src[$0].tag == ContactProperty.label.rawValue && !taken.contains($0)
                    && kinds(src[$0]) == types
            }
            guard let label else { continue }
            taken.insert(label)
            lost("label-replaced", src[label], "the text of the address says something else")
        }
    }

    private func labelText(of line: ContentLine) -> Bool {
        src.parameterIndices(line).contains {
            NameKey.equals(src.bytes(src.parameters[$0].name), "LABEL")
        }
    }

    private func kinds(_ line: ContentLine) -> Set<String> {
        Set(parameters(line).types.map { $0.lowercased() })
    }

    /// A line with a rank: the best is preferred, the others are not.
    private func ranked(_ i: Int, _ line: ContentLine) {
        out.append(i, of: src)
        let rank = parameters(line).preference
        let isBest = rank == best[line.key]
        let indices = out.parameterIndices(out[out.count - 1])
        guard let at = indices.first(where: { out.parameters[$0].key == NameKey.pref }) else {
            return
        }
        if isBest {
            best[line.key] = -1
            if let rank, rank > 1 { changed("pref-order", line, "only the best keeps its rank") }
            let isLegacy = out.dialect == .legacy
            let word = out.add("PREF")
            out.parameters.base[at] = ContentParameter(
                name: isLegacy ? .empty : out.add("TYPE"), value: word,
                key: isLegacy ? NameKey.pref : NameKey.type, isBare: isLegacy,
                needsDecoding: false)
        } else {
            lost("pref-order", line, "\(targetName) has no ranking; only the best is preferred")
            for j in at..<indices.upperBound - 1 {
                out.parameters.base[j] = out.parameters.base[j + 1]
            }
            out.parameters.truncate(to: indices.upperBound - 1)
            out.lines.base[out.count - 1].parameterCount -= 1
        }
    }
}
