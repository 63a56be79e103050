// What people see: messages and progress on standard error, colour only where it is wanted.

internal import Formats

/// Messages to people.
enum Console {
    /// True when standard error is a terminal that may be coloured.
    static var isColoured: Bool {
        System.isTerminal(2) && System.environment("NO_COLOR") == nil
            && System.environment("TERM") != "dumb"
    }

    /// Writes a line to standard error.
    static func message(_ text: String) {
        writeToStandardError(text + "\n")
    }

    /// Shows an error.
    static func show(_ error: FormatError) {
        var text = error.description
        if isColoured, text.hasPrefix("error:") {
            text = "\u{1B}[1;31merror:\u{1B}[0m" + text.dropFirst(6)
        }
        message(text)
    }

    /// Shows a warning.
    static func warn(_ text: String) {
        message((isColoured ? "\u{1B}[1;33mwarning:\u{1B}[0m " : "warning: ") + text)
    }

    /// Writes text to standard output.
    static func print(_ text: String) throws(FormatError) {
        let out = ByteSink.standardOutput()
        try out.write(text)
        try out.finish()
    }
}

/// Writes text to standard error as it is.
private func writeToStandardError(_ text: String) {
    var text = text
    text.withUTF8 { if let base = $0.baseAddress { _ = System.write(2, base, $0.count) } }
}

/// A counter on the terminal, shown when a job takes more than half a second.
struct Progress {
    private let isShown: Bool
    private let start = System.seconds
    private var last = 0.0
    private var visible = false
    private let what: String

    /// A counter of `what`; silent when standard error is no terminal.
    init(_ what: String, quiet: Bool) {
        self.what = what
        isShown = !quiet && System.isTerminal(2)
    }

    /// Shows a count, at most ten times a second.
    mutating func update(_ count: Int) {
        guard isShown else { return }
        let now = System.seconds
        guard now - start > 0.5, now - last > 0.1 else { return }
        last = now
        visible = true
        writeToStandardError("\r\u{1B}[K\(count) \(what)")
    }

    /// Wipes the line.
    mutating func finish() {
        if visible { writeToStandardError("\r\u{1B}[K") }
        visible = false
    }
}
