// The logical image of a store: the bytes every reference counts from. For a plain file these are
// its own bytes; an encrypted file is decrypted into memory. Nodes are left to the gate.

/// The bytes references point into, kept alive by whoever made them.
final class LogicalImage: @unchecked Sendable {
    /// What messages call the file.
    let name: String
    /// The bytes; the start is aligned to eight.
    let bytes: UnsafeRawBufferPointer
    /// The address of the first byte.
    let base: UnsafeRawPointer
    /// Pages that hold nothing to be trusted; nil when there are none.
    let holes: PageHoles?
    /// What is known of an encrypted file.
    let encryption: EncryptionFacts?
    private let owner: InputBytes

    /// The image of a plain file.
    /// - Throws: `emptyFile`.
    init(_ input: InputBytes, holes: PageHoles? = nil, encryption: EncryptionFacts? = nil)
        throws(FormatError)
    {
        guard let base = input.bytes.baseAddress, input.bytes.count > 0 else {
            throw FormatError(.emptyFile, "the file is empty: 0 bytes", file: input.name)
        }
        name = input.name
        bytes = input.bytes
        self.base = base
        owner = input
        self.holes = holes
        self.encryption = encryption
    }

    /// Hands the pages of a mapped file back; the bytes stay valid.
    func releasePages() { owner.releaseAll() }
}

extension LogicalImage {
    /// Finds the logical image of a file: the file itself, unless it is encrypted.
    /// - Throws: `emptyFile`, `notEncrypted`, `wrongKey`, `badKey`, `notRealm`,
    ///   `cryptoMissing`, `damaged`, `truncated`.
    static func find(_ input: InputBytes, key: [UInt8]?) throws(FormatError) -> LogicalImage {
        guard let key else { return try LogicalImage(input) }
        guard input.bytes.count > 0 else { return try LogicalImage(input) }
        if StoreHeader.hasMark(input.bytes) {
            throw FormatError(
                .notEncrypted, "a key was given, but the store is not encrypted",
                file: input.name, fix: "leave out the key")
        }
        let found = try EncryptedImage.decrypt(input, key: key)
        return try LogicalImage(found.image, holes: found.holes, encryption: found.facts)
    }
}
