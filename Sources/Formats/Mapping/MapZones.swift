// The one place where maps ask for time zones.

enum MapZones {
    /// A zone by its name; nil when it is not known.
    static func zone(_ name: String) -> TimeZone? {
        name == "UTC" ? TimeZone.utc : TimeZone.named(name)
    }
}
