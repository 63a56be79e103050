// The logical image of a store: the bytes every reference counts from. For a plain file these are
// its own bytes; an encrypted file will be decrypted into one. Nodes are left to the gate.

/// The bytes references point into, kept alive by whoever made them.
final class LogicalImage: @unchecked Sendable {
    /// What messages call the file.
    let name: String
    /// The bytes; the start is aligned to eight.
    let bytes: UnsafeRawBufferPointer
    /// The address of the first byte.
    let base: UnsafeRawPointer
    private let owner: InputBytes

    /// The image of a plain file.
    /// - Throws: `emptyFile`.
    init(_ input: InputBytes) throws(FormatError) {
        guard let base = input.bytes.baseAddress, input.bytes.count > 0 else {
            throw FormatError(.emptyFile, "the file is empty: 0 bytes", file: input.name)
        }
        name = input.name
        bytes = input.bytes
        self.base = base
        owner = input
    }
}

extension LogicalImage {
    /// Finds the logical image of a file: the file itself, unless it is encrypted.
    /// - Throws: `emptyFile`, `notEncrypted`, `encrypted`, `notYet`.
    static func find(_ input: InputBytes, key: [UInt8]?) throws(FormatError) -> LogicalImage {
        guard key != nil else { return try LogicalImage(input) }
        if StoreHeader.hasMark(input.bytes) {
            throw FormatError(
                .notEncrypted, "a key was given, but the store is not encrypted",
                file: input.name, fix: "leave out the key")
        }
        throw FormatError(.notYet, "encrypted stores are not read yet", file: input.name)
    }
}
