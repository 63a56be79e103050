// Whether two texts of content lines say the same though they are spelled in another order:
// parameters may change places, and in to-dos the lines too, which have no order of meaning.

@testable import Formats

enum SameLines {
    /// True when the texts have the same lines, each with the same parameters.
    /// - Parameter inOrder: whether the lines must stand in the same order.
    static func check(_ a: MemorySink, _ b: MemorySink, inOrder: Bool) -> Bool {
        var (x, y) = (lines(a), lines(b))
        if !inOrder {
            x.sort { $0.lexicographicallyPrecedes($1) }
            y.sort { $0.lexicographicallyPrecedes($1) }
        }
        return x == y
    }

    /// The unfolded lines, the parameters of each sorted.
    private static func lines(_ sink: MemorySink) -> [[UInt8]] {
        unfolded(sink.array).split(separator: 10).map { line in
            let colon = line.firstIndex(of: 0x3A) ?? line.endIndex
            let parts = line[..<colon].split(separator: 0x3B, omittingEmptySubsequences: false)
            var rest = parts.dropFirst().map { Array($0) }
            rest.sort { $0.lexicographicallyPrecedes($1) }
            return Array(parts[0]) + rest.joined() + line[colon...]
        }
    }

    /// A text without its folds (a line end, then a space) and carriage returns.
    private static func unfolded(_ text: [UInt8]) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(text.count)
        var i = 0
        while i < text.count {
            if text[i] == 13 {
                i += 1
            } else if text[i] == 10, i + 1 < text.count, text[i + 1] == 0x20 {
                i += 2
            } else {
                out.append(text[i])
                i += 1
            }
        }
        return out
    }
}
