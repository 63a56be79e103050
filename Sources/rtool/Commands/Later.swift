// Commands that are promised and not built yet: they say so.

internal import Formats

extension Command {
    static let migrate = later(
        "migrate", "STORE --plan PLAN", "upgrade a store's schema version by a plan (not yet)")
    static let plan = later(
        "plan", "draft OLD NEW | show PLAN", "propose or show a migration plan (not yet)")

    private static func later(_ name: String, _ synopsis: String, _ summary: String) -> Command {
        Command(
            name: name, synopsis: synopsis, summary: summary,
            run: { (_) throws(FormatError) in
                throw FormatError(
                    .notYet, "rtool \(name) is not built yet",
                    fix: "convert the store to JSON, change that, and convert it back")
            })
    }
}
