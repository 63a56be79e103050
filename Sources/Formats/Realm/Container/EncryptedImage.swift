// Decrypts an encrypted store into memory, page by page on all processors, and remembers which
// pages could not be had. A page whose writing was interrupted is read as it was before. That the
// key fits is proven on the first page; the usual mistakes with keys are tried and named.

/// What is known of an encrypted file beside its content.
public struct EncryptionFacts: Sendable {
    /// The data pages of the file.
    public var pageCount: Int
    /// Pages that are damaged: neither authenticator fits.
    public var tornPages: [Int]
    /// Pages that were read as they were before an interrupted write.
    public var restoredPages: Int
    /// Pages that were never written.
    public var emptyPages: Int
}

/// The pages of an image that hold nothing to be trusted.
struct PageHoles: Sendable {
    private var bits: [UInt64]

    init(pageCount: Int) { bits = [UInt64](repeating: 0, count: pageCount / 64 + 1) }

    mutating func insert(_ page: Int) { bits[page / 64] |= 1 << UInt64(page % 64) }

    /// True when bytes touch such a page; they must lie inside the image.
    func touch(_ at: Int, _ count: Int) -> Bool {
        for page in at / PageLayout.pageSize...(at + max(count, 1) - 1) / PageLayout.pageSize
        where bits[page / 64] >> UInt64(page % 64) & 1 != 0 {
            return true
        }
        return false
    }
}

/// Decrypts whole files.
enum EncryptedImage {
    struct Decrypted {
        var image: InputBytes
        var holes: PageHoles?
        var facts: EncryptionFacts
    }

    /// What became of one page.
    private enum Outcome {
        case good, restored, empty, torn
    }

    /// What one thread found.
    private final class Share: @unchecked Sendable {
        var torn: [Int] = []
        var empty: [Int] = []
        var restored = 0
    }

    private struct Memory: @unchecked Sendable {
        let from: UnsafePointer<UInt8>
        let to: UnsafeMutablePointer<UInt8>
    }

    /// Files of at least this many pages are shared among the processors.
    private static let parallelPages = 1024

    /// Decrypts a file.
    /// - Throws: `wrongKey`, `badKey`, `notRealm`, `damaged`, `truncated`, `cryptoMissing`.
    static func decrypt(_ input: InputBytes, key: [UInt8], crypto: Crypto? = nil)
        throws(FormatError) -> Decrypted
    {
        guard key.count == StoreKey.byteCount else {
            throw FormatError(
                .badKey, "the key has \(key.count) bytes; a key has 64", file: input.name,
                fix: "give 128 hex digits, 88 characters of base64, or --key-file with 64 bytes")
        }
        let pages = PageLayout.pageCount(input.bytes.count)
        guard pages > 0, let base = input.bytes.baseAddress else {
            if ForeignFile.isKnown(input.bytes) {
                throw ForeignFile.error(input.bytes, name: input.name)
            }
            throw FormatError(
                input.bytes.isEmpty ? .emptyFile : .truncated,
                "the file has \(input.bytes.count) bytes; an encrypted store has two pages of "
                    + "4096 at least", file: input.name, offset: input.bytes.count,
                fix: "copy the file again")
        }
        let crypto = if let crypto { crypto } else { try Crypto.load() }
        let from = base.assumingMemoryBound(to: UInt8.self)
        try proveKey(crypto, key, from, pages, input)
        let memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: pages * PageLayout.pageSize, alignment: 4096)
        guard let target = memory.baseAddress else {
            throw FormatError(.defect, "no memory", file: input.name)
        }
        let shared = Memory(from: from, to: target.assumingMemoryBound(to: UInt8.self))
        let count = pages < parallelPages ? 1 : min(System.processorCount, 8)
        let shares = (0..<count).map { _ in Share() }
        let each = (pages + count - 1) / count
        System.inParallel(count) { number in
            let begin = min(number * each, pages)
            decrypt(begin..<min(begin + each, pages), shared, crypto, key, shares[number])
        }
        var facts = EncryptionFacts(
            pageCount: pages, tornPages: [], restoredPages: 0, emptyPages: 0)
        var holes: PageHoles?
        for share in shares {
            facts.tornPages += share.torn
            facts.restoredPages += share.restored
            facts.emptyPages += share.empty.count
            for page in share.torn + share.empty {
                if holes == nil { holes = PageHoles(pageCount: pages) }
                holes?.insert(page)
            }
        }
        return Decrypted(
            image: InputBytes(name: input.name, adopting: memory), holes: holes, facts: facts)
    }

    private static func decrypt(
        _ pages: Range<Int>, _ memory: Memory, _ crypto: Crypto, _ key: [UInt8], _ share: Share
    ) {
        let cipher = try? PageCipher(crypto, key: key, encrypts: false)
        for page in pages {
            let to = memory.to + page * PageLayout.pageSize
            switch cipher.map({ decrypt(page, memory.from, $0, to: to) }) ?? .torn {
            case .good: continue
            case .restored:
                share.restored += 1
                continue
            case .empty: share.empty.append(page)
            case .torn: share.torn.append(page)
            }
            to.update(repeating: 0, count: PageLayout.pageSize)
        }
    }

    private static func decrypt(
        _ page: Int, _ file: UnsafePointer<UInt8>, _ cipher: PageCipher,
        to out: UnsafeMutablePointer<UInt8>
    ) -> Outcome {
        let record = PageRecord(file + PageLayout.record(page))
        let text = file + PageLayout.position(page)
        if record.vector == 0 { return .empty }
        let authenticator = cipher.authenticator(text)
        if PageCipher.equal(authenticator, record.authenticator) {
            return cipher.run(text, page: page, vector: record.vector, to: out) ? .good : .torn
        }
        if record.vectorBefore == 0 { return .empty }
        if PageCipher.equal(authenticator, record.authenticatorBefore) {
            return cipher.run(text, page: page, vector: record.vectorBefore, to: out)
                ? .restored : .torn
        }
        let bytes = UnsafeBufferPointer(start: text, count: PageLayout.pageSize)
        return bytes.allSatisfy { $0 == 0 } ? .empty : .torn
    }

    // MARK: The key

    private enum Fit {
        case whole, authenticatorOnly, none
    }

    /// How a key fits the first page.
    private static func fit(
        _ crypto: Crypto, _ key: [UInt8], _ file: UnsafePointer<UInt8>
    ) throws(FormatError) -> Fit {
        let cipher = try PageCipher(crypto, key: key, encrypts: false)
        let record = PageRecord(file)
        let text = file + PageLayout.pageSize
        let authenticator = cipher.authenticator(text)
        let vector: UInt32
        if PageCipher.equal(authenticator, record.authenticator) {
            vector = record.vector
        } else if record.vectorBefore != 0,
            PageCipher.equal(authenticator, record.authenticatorBefore)
        {
            vector = record.vectorBefore
        } else {
            return .none
        }
        let page = RawVector<UInt8>(capacity: PageLayout.pageSize)
        defer { page.destroy() }
        let out = page.extend(PageLayout.pageSize)
        guard cipher.run(text, page: 0, vector: vector, to: out) else { return .none }
        return StoreHeader.hasMark(UnsafeRawBufferPointer(page.elements))
            ? .whole : .authenticatorOnly
    }

    private static func proveKey(
        _ crypto: Crypto, _ key: [UInt8], _ file: UnsafePointer<UInt8>, _ pages: Int,
        _ input: InputBytes
    ) throws(FormatError) {
        let found = try fit(crypto, key, file)
        if found == .whole { return }
        for mistake in StoreKey.mistakes(key) {
            guard try fit(crypto, mistake.key, file) == .whole else { continue }
            throw FormatError(
                .wrongKey,
                "the key does not fit as it was given, but it does when "
                    + mistake.remedy, file: input.name,
                fix: "give the key so: \(mistake.remedy)")
        }
        if found == .authenticatorOnly {
            throw FormatError(
                .wrongKey,
                "the second half of the key fits, the first does not: all pages are authentic, "
                    + "but the decrypted content is no store", file: input.name,
                fix: "check the first 32 bytes of the key")
        }
        let cipher = try PageCipher(crypto, key: key, encrypts: false)
        for page in 1..<max(min(pages, 64), 1) {
            let record = PageRecord(file + PageLayout.record(page))
            let authenticator = cipher.authenticator(file + PageLayout.position(page))
            guard record.vector != 0, PageCipher.equal(authenticator, record.authenticator)
            else { continue }
            throw FormatError(
                .damaged,
                "the key fits, but the first page, which says where everything is, is damaged",
                file: input.name, offset: PageLayout.pageSize,
                fix: "restore the file from a backup")
        }
        if StoreHeader.looksForeign(input.bytes) {
            throw ForeignFile.error(input.bytes, name: input.name)
        }
        throw FormatError(
            .wrongKey, "the key does not fit: the first page is not authentic", file: input.name,
            offset: PageLayout.pageSize,
            fix: "check that the key belongs to this file, and that the file is a store at all")
    }
}

extension StoreHeader {
    /// True for a file that is neither a store nor looks like an encrypted one.
    static func looksForeign(_ bytes: UnsafeRawBufferPointer) -> Bool {
        !hasMark(bytes) && !ForeignFile.mayBeEncrypted(bytes)
    }
}
