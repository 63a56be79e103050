// The formats there are. A new format is one folder and one line here.

/// All formats, and how one is chosen by name or content.
public enum Registry {
    /// Everything that can be read or written.
    public static let formats: [Format] = []

    /// Names that are promised but not built.
    package static let planned: [(name: String, summary: String)] = []
}
