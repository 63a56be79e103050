// The system's cryptography, found at run time and only when a key was given: libcrypto on Linux,
// CommonCrypto on macOS. No cipher and no HMAC is written by hand. What is encrypted, and in what
// pieces, is left to the callers.

/// The functions of the system's cryptography that the house uses.
package final class Crypto: @unchecked Sendable {
    private typealias NewContext = @convention(c) () -> OpaquePointer?
    private typealias FreeContext = @convention(c) (OpaquePointer?) -> Void
    private typealias Algorithm = @convention(c) () -> OpaquePointer?
    private typealias Begin =
        @convention(c) (
            OpaquePointer?, OpaquePointer?, OpaquePointer?, UnsafePointer<UInt8>?,
            UnsafePointer<UInt8>?, Int32
        ) -> Int32
    private typealias SetPadding = @convention(c) (OpaquePointer?, Int32) -> Int32
    private typealias Update =
        @convention(c) (
            OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int32>?,
            UnsafePointer<UInt8>?, Int32
        ) -> Int32
    private typealias Authenticate =
        @convention(c) (
            OpaquePointer?, UnsafeRawPointer?, Int32, UnsafePointer<UInt8>?, Int,
            UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<UInt32>?
        ) -> UnsafeMutablePointer<UInt8>?
    private typealias CommonCrypt =
        @convention(c) (
            UInt32, UInt32, UInt32, UnsafeRawPointer?, Int, UnsafeRawPointer?,
            UnsafeRawPointer?, Int, UnsafeMutableRawPointer?, Int, UnsafeMutablePointer<Int>?
        ) -> Int32
    private typealias CommonHMAC =
        @convention(c) (
            UInt32, UnsafeRawPointer?, Int, UnsafeRawPointer?, Int, UnsafeMutableRawPointer?
        ) -> Void

    private struct OpenSSL {
        let newContext: NewContext
        let freeContext: FreeContext
        let begin: Begin
        let setPadding: SetPadding
        let update: Update
        let authenticate: Authenticate
        let aes: OpaquePointer
        let sha224: OpaquePointer
    }

    private struct Common {
        let crypt: CommonCrypt
        let authenticate: CommonHMAC
    }

    private enum Provider {
        case openSSL(OpenSSL)
        case common(Common)
    }

    private let provider: Provider

    private init(_ provider: Provider) { self.provider = provider }

    /// What the library is called on the systems we know, newest first.
    package static let libraryNames = [
        "libcrypto.so.3", "libcrypto.so.1.1", "libcrypto.so.1.0.0", "libcrypto.so.10",
        "libcrypto.so",
    ]

    /// Finds the system's cryptography.
    /// - Parameter names: the libraries to try.
    /// - Throws: `cryptoMissing`.
    package static func load(_ names: [String] = libraryNames) throws(FormatError) -> Crypto {
        #if canImport(Darwin)
            if let library = System.openLibrary(nil), let common = common(library) {
                return Crypto(.common(common))
            }
        #else
            if let library = System.openLibrary(names), let openSSL = openSSL(library) {
                return Crypto(.openSSL(openSSL))
            }
        #endif
        throw FormatError(
            .cryptoMissing,
            "encrypted stores need OpenSSL's libcrypto, which this system does not have",
            fix:
                "install it: apt install libssl3 (Debian, Ubuntu), dnf install openssl-libs "
                + "(Fedora), apk add libcrypto3 (Alpine)")
    }

    private static func openSSL(_ library: UnsafeMutableRawPointer) -> OpenSSL? {
        guard let newContext = System.symbol("EVP_CIPHER_CTX_new", in: library),
            let freeContext = System.symbol("EVP_CIPHER_CTX_free", in: library),
            let begin = System.symbol("EVP_CipherInit_ex", in: library),
            let setPadding = System.symbol("EVP_CIPHER_CTX_set_padding", in: library),
            let update = System.symbol("EVP_CipherUpdate", in: library),
            let authenticate = System.symbol("HMAC", in: library),
            let findAES = System.symbol("EVP_aes_256_cbc", in: library),
            let findSHA = System.symbol("EVP_sha224", in: library),
            let aes = unsafeBitCast(findAES, to: Algorithm.self)(),
            let sha224 = unsafeBitCast(findSHA, to: Algorithm.self)()
        else { return nil }
        return OpenSSL(
            newContext: unsafeBitCast(newContext, to: NewContext.self),
            freeContext: unsafeBitCast(freeContext, to: FreeContext.self),
            begin: unsafeBitCast(begin, to: Begin.self),
            setPadding: unsafeBitCast(setPadding, to: SetPadding.self),
            update: unsafeBitCast(update, to: Update.self),
            authenticate: unsafeBitCast(authenticate, to: Authenticate.self),
            aes: aes, sha224: sha224)
    }

    private static func common(_ library: UnsafeMutableRawPointer) -> Common? {
        guard let crypt = System.symbol("CCCrypt", in: library),
            let authenticate = System.symbol("CCHmac", in: library)
        else { return nil }
        return Common(
            crypt: unsafeBitCast(crypt, to: CommonCrypt.self),
            authenticate: unsafeBitCast(authenticate, to: CommonHMAC.self))
    }

    /// The length of an HMAC-SHA-224.
    package static let authenticatorCount = 28

    /// Computes the HMAC-SHA-224 of some bytes: 28 bytes into `out`, which must have room for 64.
    package func authenticate(
        _ bytes: UnsafePointer<UInt8>, count: Int, key: UnsafePointer<UInt8>, keyCount: Int,
        to out: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        switch provider {
        case .openSSL(let library):
            var length: UInt32 = 64
            return library.authenticate(
                library.sha224, key, Int32(keyCount), bytes, count, out, &length) != nil
        case .common(let library):
            let sha224: UInt32 = 5
            library.authenticate(sha224, key, keyCount, bytes, count, out)
            return true
        }
    }

    /// AES-256-CBC without padding, for one key and one direction; not for two threads at once.
    package final class BlockCipher {
        private let crypto: Crypto
        private let key: [UInt8]
        private let encrypts: Bool
        private let context: OpaquePointer?

        /// A cipher; nil when the library refuses.
        package init?(_ crypto: Crypto, key: [UInt8], encrypts: Bool) {
            self.crypto = crypto
            self.key = key
            self.encrypts = encrypts
            switch crypto.provider {
            case .common: context = nil
            case .openSSL(let library):
                guard let context = library.newContext() else { return nil }
                self.context = context
                guard library.begin(context, library.aes, nil, key, nil, encrypts ? 1 : 0) == 1,
                    library.setPadding(context, 0) == 1
                else { return nil }
            }
        }

        deinit {
            if let context, case .openSSL(let library) = crypto.provider {
                library.freeContext(context)
            }
        }

        /// Encrypts or decrypts whole blocks, beginning anew with an initial vector of 16 bytes.
        package func run(
            _ bytes: UnsafePointer<UInt8>, count: Int, vector: [UInt8],
            to out: UnsafeMutablePointer<UInt8>
        ) -> Bool {
            guard vector.count == 16, count % 16 == 0, count <= Int(Int32.max) else {
                return false
            }
            switch crypto.provider {
            case .openSSL(let library):
                var done: Int32 = 0
                guard library.begin(context, nil, nil, nil, vector, -1) == 1,
                    library.update(context, out, &done, bytes, Int32(count)) == 1
                else { return false }
                return Int(done) == count
            case .common(let library):
                var done = 0
                let aes: UInt32 = 0
                let result = library.crypt(
                    encrypts ? 0 : 1, aes, 0, key, key.count, vector, bytes, count, out, count,
                    &done)
                return result == 0 && done == count
            }
        }
    }
}
