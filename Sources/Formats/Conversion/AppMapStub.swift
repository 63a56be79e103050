struct AppMap {
    let name: String
    let target: TargetClass
    func takes(_ content: Format.Content) -> Bool { false }
    func reader(over reader: any RecordReader, context: ExchangeContext) throws(FormatError)
        -> any RecordReader
    { reader }
    func backReader(over reader: any RecordReader, context: ExchangeContext) throws(FormatError)
        -> any RecordReader
    { reader }
    func minting(_ reader: any RecordReader, context: ExchangeContext) -> any RecordReader {
        reader
    }
    static func named(_ name: String) throws(FormatError) -> AppMap {
        throw FormatError(.notYet, "maps are not built yet")
    }
    static func fitting(_ schema: Schema, className: String?, for content: Format.Content)
        -> AppMap?
    { nil }
}
