// Rows of `Contact` as a vCard file.

/// Writes batches of `Contact` as cards, each in its own version or in the one asked for
/// (`--vcard-version`).
public final class VCardContactWriter: RecordWriter {
    private let sink: ByteSink
    private let context: ExchangeContext
    private let mapper: ContactMapper
    private let writer: VCardWriter
    private let lines = ContentLines()
    private let version: VCardVersion

    /// A writer into a sink, which it finishes.
    /// - Throws: `usage` for a version that does not exist.
    public init(sink: ByteSink, context: ExchangeContext) throws(FormatError) {
        self.sink = sink
        self.context = context
        mapper = ContactMapper(context: context, mintsIDs: false)
        writer = VCardWriter(sink: sink, context: context)
        version = try VCardVersion(context)
    }

    /// Writes the contacts of a batch; rows of other classes are passed over.
    public func write(_ batch: RecordBatch) throws(FormatError) {
        guard batch.classSchema.name == "Contact" else { return }
        for row in 0..<batch.rowCount {
            mapper.lines(of: row, in: batch, into: lines)
            lines.record = batch.firstRecord + row
            try writer.write(version.lines(lines))
            context.report.written += 1
        }
    }

    /// Ends the file.
    public func finish() throws(FormatError) { try sink.finish() }
}

/// The version cards are to be written in, and the converter to it.
final class VCardVersion {
    private let target: ContentDialect?
    private let upgrade: VCardUpgrade

    /// The version an option asks for, else each card's own.
    init(_ context: ExchangeContext) throws(FormatError) {
        switch context.options.extra["vcard-version"] {
        case nil: target = nil
        case "2.1"?: target = .legacy
        case "3.0"?, "3"?: target = .vCard3
        case "4.0"?, "4"?: target = .vCard4
        case let other?:
            throw FormatError(
                .usage, "there is no vCard version \(other)", fix: "2.1, 3.0 and 4.0 can be written"
            )
        }
        upgrade = VCardUpgrade(context: context)
    }

    /// The lines in the version to be written.
    func lines(_ lines: ContentLines) -> ContentLines {
        if let target {
            return upgrade.convert(lines, to: target)
        }
        // A card that does not say its version is written as 3.0 (DESIGN 1.1), and nothing else
        // about it changes; what never was a card gets the names that 3.0 demands.
        if lines.isVersionStated { return upgrade.mendMade(lines) }
        return upgrade.convert(lines, to: .vCard3, isStrict: !lines.isComplete)
    }
}
