// Which zone files a conversion uses: the system's, unless it was told a folder.

extension ExchangeContext {
    /// The zones for this conversion; the option `zoneinfo` names another folder of zone files.
    package var zoneLibrary: ZoneLibrary {
        guard let path = options.extra["zoneinfo"] else { return .system }
        return ZoneLibrary(paths: [path])
    }
}
