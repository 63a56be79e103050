// todo.txt files: a task a line, read.

/// Reads todo.txt.
final class TodoTxtSource: TodoSource {
    private let input: InputBytes
    private let bytes: UnsafeRawBufferPointer
    private let decoded: InputBytes?
    private let context: ExchangeContext
    private let uids = TodoUIDs()
    private var at = 0

    init(input: InputBytes, context: ExchangeContext) {
        self.input = input
        self.context = context
        let seen = Charset.detect(input.bytes)
        let charset = context.options.encoding.flatMap { Charset.named($0) } ?? seen.charset
        if charset.isUTF8, !seen.needsRepair {
            decoded = nil
            bytes = input.bytes
            at = seen.markLength
        } else {
            let out = RawVector<UInt8>(capacity: input.bytes.count)
            defer { out.destroy() }
            charset.decode(input.bytes, into: out)
            let copy = InputBytes(
                name: input.name, copying: UnsafeRawBufferPointer(out.elements))
            decoded = copy
            bytes = copy.bytes
            if seen.isGuess, context.options.encoding == nil {
                context.report.note(
                    .guessed, "charset-guess", source: input.name, value: charset.name,
                    action: "read as \(charset.name); --encoding names another")
            }
        }
    }

    let coarse: CoarseRows? = CoarseRows(
        days: CoarseRows.dates,
        states: [["NEEDS-ACTION", "IN-PROCESS"], ["COMPLETED", "CANCELLED"]])

    func next() throws(FormatError) -> TodoDraft? {
        while at < bytes.count {
            var end = at
            while end < bytes.count, bytes[end] != 10, bytes[end] != 13 { end += 1 }
            let line = UnsafeRawBufferPointer(rebasing: bytes[at..<end])
            at = end + 1
            guard line.contains(where: { $0 > 0x20 }) else { continue }
            guard line.count <= 1 << 20 else {
                context.report.read += 1
                context.setAside(
                    line,
                    FormatError(
                        .limitExceeded, "a task of \(line.count) bytes", file: input.name,
                        offset: at))
                continue
            }
            var draft = TodoTxtLine.read(String(decoding: line, as: UTF8.self))
            for pair in draft.extras.isEmpty ? [] : TodoTxtLine.repeats(draft) {
                context.report.note(
                    .guessed, "pair-repeated", source: input.name,
                    property: String(pair.prefix { $0 != ":" }), value: pair,
                    action: "kept as it is: what stands before it counts")
            }
            for pair in draft.extras.isEmpty ? [] : TodoTxtLine.unreadable(draft) {
                context.report.note(
                    .guessed, "date-unreadable", source: input.name,
                    property: String(pair.prefix { $0 != ":" }), value: pair,
                    action: "kept as it is: a date of todo.txt is a day, YYYY-MM-DD")
            }
            if TodoTxtLine.hasOddSpaces(line) {
                context.report.note(
                    .changed, "spaces-joined", source: input.name, property: "title",
                    value: draft.title, action: "words of todo.txt stand one space apart")
            }
            uids.assign(&draft)
            return draft
        }
        return nil
    }

    /// How surely text is todo.txt: many of its lines look like tasks with dates or priorities.
    static func likelihood(_ bytes: UnsafeRawBufferPointer) -> Int {
        let prefix = UnsafeRawBufferPointer(rebasing: bytes.prefix(16 << 10))
        guard UTF8Check.isValid(prefix) || bytes.count > prefix.count else { return -20 }
        var lines = 0
        var tasks = 0
        for line in prefix.split(whereSeparator: { $0 == 10 || $0 == 13 }) {
            lines += 1
            if looksLikeTask(UnsafeRawBufferPointer(rebasing: line)) { tasks += 1 }
        }
        return lines > 0 && tasks * 2 >= lines ? 15 : -20
    }

    /// A line with a mark, priority, date, project, context or due date of the format.
    private static func looksLikeTask(_ line: UnsafeRawBufferPointer) -> Bool {
        if line.count > 2, line[0] == 0x78, line[1] == 0x20, line[2] &- 0x30 < 10 { return true }
        if line.count >= 4, line[0] == 0x28, line[2] == 0x29, line[3] == 0x20 { return true }
        if line.count > 11, line[10] == 0x20, line[4] == 0x2D, line[7] == 0x2D,
            TodoMoment(iso: String(decoding: line.prefix(10), as: UTF8.self)) != nil
        {
            return true
        }
        return ByteSearch.contains(line, " +") || ByteSearch.contains(line, " @")
            || ByteSearch.contains(line, " due:")
    }
}

extension Format {
    /// todo.txt.
    static let todoTxt = Format(
        name: "todotxt", extensions: ["txt"], fileNames: ["todo.txt", "done.txt"],
        summary: "todo.txt, a task a line", content: .tasks,
        detect: { TodoTxtSource.likelihood($0) },
        read: { (request) throws(FormatError) in
            let source = TodoTxtSource(input: request.input, context: request.context)
            return ReadSource(
                reader: TodoDraftReader(source, context: request.context), content: .tasks)
        },
        write: { (request) throws(FormatError) in
            TodoTxtWriter(sink: request.sink, context: request.context)
        })
}
