// vCard to vCard, card by card and never through classes: the same version comes out property
// by property equal, another version by the rules of `VCardUpgrade`.

/// Converts a vCard file into another.
public enum VCardConverter {
    /// Copies all cards, in their own version or in the one asked for (`--vcard-version`).
    /// The sink is not finished.
    /// - Throws: `usage` for a version that does not exist, and what writing throws.
    public static func convert(_ input: InputBytes, to sink: ByteSink, context: ExchangeContext)
        throws(FormatError)
    {
        // Not read ahead: a copied card costs less than handing it to another thread.
        let reader = VCardReader(input: input, context: context)
        let lines = ContentLines()
        let version = try VCardVersion(context)
        let writer = VCardWriter(sink: sink, context: context)
        while try reader.next(into: lines) {
            try writer.write(version.lines(lines))
            context.report.written += 1
        }
    }
}
