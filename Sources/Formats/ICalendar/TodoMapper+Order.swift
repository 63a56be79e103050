// Which line of a to-do is what, and which of them are kept as lines besides what they say.

extension TodoMapper {
    // MARK: Which line is what

    /// Tags the lines and decides which of them are kept as lines too.
    func sort(_ lines: ContentLines) {
        for i in 0..<ICalendarProperty.count {
            firstLine[i] = -1
            lineCount[i] = 0
        }
        let table = ICalendarProperty.table
        let base = lines.lines.base
        var previous: UInt16 = 0
        var isAscending = true
        for i in 0..<lines.count {
            let line = base[i]
            var tag: UInt16 = 0
            if line.group.isEmpty, line.flags.isDisjoint(with: [.nested, .noColon]) {
                tag = table.property(line.key, lines.bytes(line.name))
            }
            base[i].tag = tag
            let t = Int(tag)
            if firstLine[t] < 0 { firstLine[t] = Int32(truncatingIfNeeded: i) }
            lineCount[t] &+= 1
            if tag == 0 { continue }
            if tag <= ICalendarProperty.duration.rawValue,
                tag != ICalendarProperty.recurrence.rawValue
            {
                if tag < previous { isAscending = false }
                previous = tag
                if line.parameterCount > 0 { base[i].flags.insert(TodoMapper.kept) }
            }
        }
        for t in 1...Int(ICalendarProperty.duration.rawValue)
        where lineCount[t] > 1 && t != Int(ICalendarProperty.recurrence.rawValue) {
            for i in 0..<lines.count where Int(base[i].tag) == t {
                base[i].flags.insert(TodoMapper.kept)
            }
        }
        if !isAscending { keepUnusualPlaces(lines) }
    }

    /// Scalars have no order of their own: those outside the longest run in our order are kept
    /// as lines, which have one.
    func keepUnusualPlaces(_ lines: ContentLines) {
        let base = lines.lines.base
        sequence.removeAll(keepingCapacity: true)
        for i in 0..<lines.count {
            let tag = base[i].tag
            guard tag > 0, tag <= ICalendarProperty.duration.rawValue,
                tag != ICalendarProperty.recurrence.rawValue,
                base[i].flags.isDisjoint(with: TodoMapper.kept)
            else { continue }
            sequence.append((tag, i))
        }
        // Each rank occurs once here, so there are few.
        let n = sequence.count
        guard n > 1, n <= 32 else { return }
        var best = [Int](repeating: 1, count: n)
        var from = [Int](repeating: -1, count: n)
        for i in 0..<n {
            for j in 0..<i where sequence[j].rank < sequence[i].rank && best[j] + 1 > best[i] {
                best[i] = best[j] + 1
                from[i] = j
            }
        }
        var keep = [Bool](repeating: true, count: n)
        var at = best.indices.max { best[$0] < best[$1] } ?? -1
        while at >= 0 {
            keep[at] = false
            at = from[at]
        }
        for i in 0..<n where keep[i] { base[sequence[i].line].flags.insert(TodoMapper.kept) }
    }
}
