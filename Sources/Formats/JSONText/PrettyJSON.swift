// JSON for people to look at: a filter in front of an output that lays the text out, a member or
// an element a line, indented by two spaces a level. It knows no values, only brackets, commas and
// strings, and keeps nothing but the depth; whatever writes JSON can go through it.

/// An output that passes JSON on, laid out.
final class PrettyJSONSink: ByteSink {
    private let target: ByteSink
    private var layout = JSONLayout()

    /// Lays out what goes to `target`, which is finished, too.
    init(_ target: ByteSink) {
        self.target = target
        super.init(name: target.name, descriptor: -1, closes: false)
    }

    override func flush() throws(FormatError) {
        let text = UnsafeRawBufferPointer(buffer.elements)
        var at = 0
        while at < text.count {
            let end = min(at + 1 << 16, text.count)
            layout.take(UnsafeRawBufferPointer(rebasing: text[at..<end]), into: target.buffer)
            try target.flushIfFull()
            at = end
        }
        forget(text.count)
    }

    override func finish() throws(FormatError) {
        try flush()
        layout.end(into: target.buffer)
        try target.finish()
    }
}

/// Lays JSON out, piece by piece.
struct JSONLayout {
    private enum State {
        /// Outside of strings.
        case between
        /// Behind an opening bracket: what follows decides whether a line ends here.
        case opened
        /// In the name of an object's first member, kept until it is whole.
        case firstName
        case string
        /// In a string, behind a backslash.
        case escape
    }

    /// Objects that are single values, by their first member: they stay on their line.
    private static let wrappers: Set<[UInt8]> = Set(
        [
            "$binary", "$date", "$numberDecimal", "$numberDouble", "$numberFloat", "$numberInt",
            "$numberLong", "$oid", "$ref", "$string", "$uuid",
        ].map { Array($0.utf8) })
    private static let longestName = 14

    private var state = State.between
    /// Open brackets with lines of their own.
    private var depth = 0
    /// Open brackets of a value that stays on its line.
    private var inner = 0
    private var isObject = false
    private var name: [UInt8] = []
    private var isEmpty = true

    /// Lays out the next piece of text.
    mutating func take(_ text: UnsafeRawBufferPointer, into out: RawVector<UInt8>) {
        var i = 0
        while i < text.count {
            let c = text[i]
            switch state {
            case .string:
                let start = i
                while i < text.count, text[i] != 0x22, text[i] != 0x5C { i += 1 }
                if i < text.count {
                    state = text[i] == 0x22 ? .between : .escape
                    i += 1
                }
                out.append(bytes: UnsafeRawBufferPointer(rebasing: text[start..<i]))
                continue
            case .escape:
                out.append(c)
                state = .string
            case .between: between(c, out)
            case .opened:
                // The bracket before is written, its line not ended.
                if JSONLayout.isSpace(c) { break }
                state = .between
                if c == 0x7D || c == 0x5D {
                    out.append(c)
                } else if c == 0x22, isObject {
                    name.removeAll(keepingCapacity: true)
                    state = .firstName
                } else {
                    depth += 1
                    endLine(out)
                    between(c, out)
                }
            case .firstName:
                if c == 0x22 {
                    let isWrapper = JSONLayout.wrappers.contains(name)
                    settleName(isWrapper: isWrapper, out)
                    out.append(c)
                    state = .between
                } else if c == 0x5C || name.count >= JSONLayout.longestName {
                    settleName(isWrapper: false, out)
                    state = .string
                    continue
                } else {
                    name.append(c)
                }
            }
            i += 1
        }
    }

    /// Ends the text.
    func end(into out: RawVector<UInt8>) {
        if !isEmpty { out.append(0x0A) }
    }

    private mutating func settleName(isWrapper: Bool, _ out: RawVector<UInt8>) {
        if isWrapper {
            inner = 1
        } else {
            depth += 1
            endLine(out)
        }
        out.append(0x22)
        for byte in name { out.append(byte) }
    }

    /// A byte outside of strings.
    private mutating func between(_ c: UInt8, _ out: RawVector<UInt8>) {
        if JSONLayout.isSpace(c) { return }
        isEmpty = false
        switch c {
        case 0x7B, 0x5B:
            out.append(c)
            if inner > 0 {
                inner += 1
            } else {
                isObject = c == 0x7B
                state = .opened
            }
        case 0x7D, 0x5D:
            if inner > 0 {
                inner -= 1
            } else {
                depth = max(depth - 1, 0)
                endLine(out)
            }
            out.append(c)
        case 0x2C:
            out.append(c)
            if inner > 0 { out.append(0x20) } else { endLine(out) }
        case 0x3A:
            out.append(c)
            out.append(0x20)
        case 0x22:
            out.append(c)
            state = .string
        default: out.append(c)
        }
    }

    private func endLine(_ out: RawVector<UInt8>) {
        out.append(0x0A)
        out.append(repeating: 0x20, count: 2 * depth)
    }

    private static func isSpace(_ c: UInt8) -> Bool {
        c == 0x20 || c == 0x0A || c == 0x0D || c == 0x09
    }
}
