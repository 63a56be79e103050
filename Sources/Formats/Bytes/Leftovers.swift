// Hidden files an output leaves behind when its process is killed in the instant before the file
// takes its name. The next output of the same name removes them, where all speaks for it.

enum Leftovers {
    /// The hidden name an output is written under, or gets just before its own.
    static func name(for path: String, process: Int32, attempt: Int) -> String {
        prefix(of: path) + "\(process)-\(attempt)"
    }

    private static func prefix(of path: String) -> String {
        var name = Substring(path)
        if let slash = path.lastIndex(of: "/") { name = path[path.index(after: slash)...] }
        return ".\(name).rtool-"
    }

    /// Removes what was left of outputs to a path: regular files of our own, of exactly the name
    /// they get, whose process is no more and which nobody has locked, as their writers do.
    static func remove(for path: String) {
        let folder = OutputFile.folder(of: path)
        let prefix = prefix(of: path)
        for name in System.names(inFolder: folder, beginning: prefix) {
            guard let process = process(name.dropFirst(prefix.count)), !System.isAlive(process)
            else { continue }
            let full = folder + "/" + name
            guard System.isOwnRegularFile(full) else { continue }
            let descriptor = System.openForReading(full)
            guard descriptor >= 0 else { continue }
            if System.lock(descriptor, exclusive: true) { System.remove(full) }
            System.close(descriptor)
        }
    }

    /// The process of `PID-ATTEMPT` in digits as they are written; nil for anything else.
    private static func process(_ text: Substring) -> Int32? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let process = Int32(parts[0]), process > 0,
            let attempt = Int(parts[1]), attempt >= 0, text == "\(process)-\(attempt)"
        else { return nil }
        return process
    }
}
