// The one place where maps ask for time zones.

/// A zone as maps use it.
struct MapZone {
    let local: (Int64) -> Int64
    let instant: (Int64) -> Int64

    /// Local seconds of an instant.
    func local(ofInstant seconds: Int64) -> Int64 { local(seconds) }
    /// The instant of local seconds.
    func instant(ofLocal seconds: Int64) -> Int64 { instant(seconds) }
}

enum MapZones {
    /// A zone by its name; nil when it is not known.
    static func zone(_ name: String) -> MapZone? {
        guard let zone = TimeZone.named(name) else { return nil }
        return MapZone(
            local: { $0 + Int64(zone.offset(at: $0)) },
            instant: { zone.instant(ofLocal: $0).instant })
    }
}
