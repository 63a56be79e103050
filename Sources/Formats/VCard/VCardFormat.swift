// vCard as a format of the registry.

extension Format {
    /// Contact cards, vCard 2.1, 3.0 and 4.0.
    static let vcard = Format(
        name: "vcard", extensions: ["vcf", "vcard"],
        summary: "contact cards, vCard 2.1, 3.0 and 4.0", content: .contacts,
        detect: { VCardInput.likelihood($0) },
        read: { (request) throws(FormatError) in
            ReadSource(
                reader: VCardContactReader(
                    input: request.input, context: request.context,
                    isForStore: request.isForStore),
                content: .contacts)
        },
        write: { (request) throws(FormatError) in
            try VCardContactWriter(sink: request.sink, context: request.context)
        },
        convertLines: { (input, sink, context) throws(FormatError) in
            try VCardConverter.convert(input, to: sink, context: context)
        })
}
