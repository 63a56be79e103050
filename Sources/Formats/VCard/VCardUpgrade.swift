/// Converts cards between versions.
final class VCardUpgrade {
    private let context: ExchangeContext
    init(context: ExchangeContext) { self.context = context }
    func convert(_ lines: ContentLines, to dialect: ContentDialect) -> ContentLines { lines }
}
