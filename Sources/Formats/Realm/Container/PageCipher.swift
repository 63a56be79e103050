// How one page of an encrypted store is encrypted and authenticated, and where it stands in the
// file: pages of 4096 bytes, 64 of them behind a page with their records. Which pages are good is
// left to EncryptedImage, in which order they are written to EncryptedPages.

/// The places of pages and records in an encrypted file.
enum PageLayout {
    static let pageSize = 4096
    static let recordSize = 64
    /// Data pages behind one page of records.
    static let groupSize = 64

    /// Where a page's cipher text stands.
    static func position(_ page: Int) -> Int { (page + page / groupSize + 1) * pageSize }

    /// Where a page's record stands.
    static func record(_ page: Int) -> Int {
        page / groupSize * (groupSize + 1) * pageSize + page % groupSize * recordSize
    }

    /// The data pages of a file of some size.
    static func pageCount(_ size: Int) -> Int {
        let blocks = size / pageSize
        return blocks - (blocks + groupSize) / (groupSize + 1)
    }
}

/// What an encrypted file says of one page.
struct PageRecord {
    var vector: UInt32
    var authenticator: UnsafePointer<UInt8>
    var vectorBefore: UInt32
    var authenticatorBefore: UnsafePointer<UInt8>

    /// A record at its 64 bytes.
    init(_ at: UnsafePointer<UInt8>) {
        let raw = UnsafeRawPointer(at)
        vector = UInt32(littleEndian: raw.loadUnaligned(as: UInt32.self))
        authenticator = at + 4
        vectorBefore = UInt32(
            littleEndian: raw.loadUnaligned(fromByteOffset: 32, as: UInt32.self))
        authenticatorBefore = at + 36
    }
}

/// Encrypts or decrypts pages with one key; not for two threads at once.
final class PageCipher {
    private let crypto: Crypto
    private let cipher: Crypto.BlockCipher
    private let authenticatorKey: [UInt8]
    /// Room for an authenticator.
    private let scratch = RawVector<UInt8>(capacity: 64)

    /// - Parameter key: 64 bytes.
    init(_ crypto: Crypto, key: [UInt8], encrypts: Bool) throws(FormatError) {
        guard key.count == StoreKey.byteCount,
            let cipher = Crypto.BlockCipher(
                crypto, key: Array(key[..<32]), encrypts: encrypts)
        else {
            throw FormatError(.cryptoMissing, "the system's libcrypto refuses AES-256")
        }
        self.crypto = crypto
        self.cipher = cipher
        authenticatorKey = Array(key[32...])
        _ = scratch.extend(64)
    }

    deinit { scratch.destroy() }

    /// The authenticator of a page's cipher text, valid until the next call.
    func authenticator(_ cipherText: UnsafePointer<UInt8>) -> UnsafePointer<UInt8> {
        _ = crypto.authenticate(
            cipherText, count: PageLayout.pageSize, key: authenticatorKey,
            keyCount: authenticatorKey.count, to: scratch.base)
        return UnsafePointer(scratch.base)
    }

    /// True when two authenticators are equal.
    static func equal(_ a: UnsafePointer<UInt8>, _ b: UnsafePointer<UInt8>) -> Bool {
        equalBytes(
            UnsafeRawBufferPointer(start: a, count: Crypto.authenticatorCount),
            UnsafeRawBufferPointer(start: b, count: Crypto.authenticatorCount))
    }

    /// Encrypts or decrypts a page.
    func run(
        _ from: UnsafePointer<UInt8>, page: Int, vector: UInt32,
        to out: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        var initial = [UInt8](repeating: 0, count: 16)
        let offset = UInt64(page) * UInt64(PageLayout.pageSize)
        for i in 0..<4 { initial[i] = UInt8(truncatingIfNeeded: vector >> UInt32(8 * i)) }
        for i in 0..<8 { initial[4 + i] = UInt8(truncatingIfNeeded: offset >> UInt64(8 * i)) }
        return cipher.run(from, count: PageLayout.pageSize, vector: initial, to: out)
    }
}
