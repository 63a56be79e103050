// The 24 bytes every store begins with, the footer of the streaming form, and what a file is when
// it does not begin so. Which snapshot is read is decided here; what is in it is left to Modern
// and Legacy.

/// The header of a store.
struct StoreHeader: Sendable, Equatable {
    /// The two references to the top of a snapshot.
    var tops: (UInt64, UInt64)
    /// The two format bytes.
    var formats: (UInt8, UInt8)
    /// Which of the two is the live one.
    var slot: Int
    /// Written in one go, the top reference at the end of the file.
    var isStreaming: Bool
    /// The top reference in the footer of the streaming form.
    var footerTop: UInt64 = 0

    static func == (a: StoreHeader, b: StoreHeader) -> Bool {
        a.tops == b.tops && a.formats == b.formats && a.slot == b.slot
            && a.isStreaming == b.isStreaming && a.footerTop == b.footerTop
    }

    static let byteCount = 24
    private static let footerCookie: UInt64 = 0x3034_1252_37E5_26C8

    /// True when the bytes carry the mark of a store.
    static func hasMark(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.count >= 20 && bytes[16] == 0x54 && bytes[17] == 0x2D && bytes[18] == 0x44
            && bytes[19] == 0x42
    }

    /// Takes the header apart.
    /// - Throws: `emptyFile`, `notRealm`, `encrypted`, `truncated`.
    init(_ bytes: UnsafeRawBufferPointer, name: String) throws(FormatError) {
        guard bytes.count > 0 else {
            throw FormatError(.emptyFile, "the file is empty: 0 bytes", file: name)
        }
        guard StoreHeader.hasMark(bytes), bytes.count >= StoreHeader.byteCount else {
            throw ForeignFile.error(bytes, name: name)
        }
        func word(_ at: Int) -> UInt64 {
            UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
        }
        tops = (word(0), word(8))
        formats = (bytes[20], bytes[21])
        slot = Int(bytes[23] & 1)
        isStreaming = slot == 0 && tops.0 == .max
        if isStreaming {
            let end = bytes.count & ~7
            guard end >= StoreHeader.byteCount + 16, word(end - 8) == StoreHeader.footerCookie
            else {
                throw FormatError(
                    .truncated,
                    "the end of the file is missing: it has \(bytes.count) bytes and no footer",
                    file: name, offset: bytes.count,
                    fix: "copy the file again; this form keeps its root at the very end")
            }
            footerTop = word(end - 16)
        }
    }

    /// The top reference and format byte to read.
    func snapshot(other: Bool) -> (top: UInt64, format: UInt8) {
        if isStreaming { return (footerTop, formats.0) }
        let wanted = other ? 1 - slot : slot
        return wanted == 0 ? (tops.0, formats.0) : (tops.1, formats.1)
    }
}

/// Tells what a file is that has no mark of a store.
enum ForeignFile {
    /// The error for a file that is no plain store.
    static func error(_ bytes: UnsafeRawBufferPointer, name: String) -> FormatError {
        if bytes.count < StoreHeader.byteCount, startsLikeStore(bytes) {
            return FormatError(
                .truncated, "the file is cut off: \(bytes.count) bytes, a header alone takes 24",
                file: name, offset: bytes.count)
        }
        if isUnmarkedStore(bytes) {
            return FormatError(
                .tooOld, "the file is a TightDB store of 2012, from before stores had a mark",
                file: name, offset: 0, fix: "only the TightDB library of that year reads it")
        }
        if mayBeEncrypted(bytes) {
            return FormatError(
                .encrypted,
                "the file looks encrypted: whole pages of 4096 bytes without any structure",
                file: name, fix: "give its key with --key, --key-file or --key-env")
        }
        return FormatError(
            .notRealm, "this is no Realm file: it is \(kind(bytes))", file: name, offset: 16,
            fix: "name a .realm file, or choose the format with --from")
    }

    private static func startsLikeStore(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.count >= 16 && StoreHeader.mark.prefix(bytes.count - 16).elementsEqual(bytes[16...])
    }

    /// The first stores began with the reference of their root, and their nodes with 8 bytes of
    /// which the capacity stood last.
    private static func isUnmarkedStore(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= 32, bytes.count % 8 == 0 else { return false }
        let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
        guard word % 8 == 0, word >= 8, word < UInt64(bytes.count) else { return false }
        return [8, Int(word)].allSatisfy { at in
            bytes[at + 4] == 0 && bytes[at + 5] == 0 && bytes[at + 6] == 0x80
        }
    }

    /// Encrypted files have no mark of their own; their first page holds random-looking records.
    static func mayBeEncrypted(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= 8192, bytes.count % 4096 == 0 else { return false }
        // The first data page is cipher text: nearly all byte values occur, none very often.
        var seen = [Int](repeating: 0, count: 256)
        for byte in bytes[4096..<8192] { seen[Int(byte)] += 1 }
        return seen.allSatisfy { $0 < 64 } && seen.filter { $0 > 0 }.count > 240
    }

    /// True for what can be made a store of.
    static func isConvertible(_ bytes: UnsafeRawBufferPointer) -> Bool {
        ["a vCard", "a calendar", "JSON text"].contains(kind(bytes))
    }

    /// What the content looks like, in words.
    static func kind(_ bytes: UnsafeRawBufferPointer) -> String {
        func starts(_ prefix: [UInt8]) -> Bool {
            bytes.count >= prefix.count && prefix.elementsEqual(bytes[0..<prefix.count])
        }
        func starts(_ prefix: String) -> Bool { starts(Array(prefix.utf8)) }
        if starts("SQLite format 3") { return "an SQLite database" }
        if starts("BEGIN:VCARD") { return "a vCard" }
        if starts("BEGIN:VCALENDAR") { return "a calendar" }
        if starts("bplist00") { return "a binary property list" }
        if starts([0x50, 0x4B, 3, 4]) { return "a ZIP archive" }
        if starts([0x1F, 0x8B]) { return "a gzip archive" }
        if starts("%PDF") { return "a PDF" }
        if starts([0x89, 0x50, 0x4E, 0x47]) || starts([0xFF, 0xD8, 0xFF]) { return "a picture" }
        if starts("<?xml") || starts("<!DOCTYPE") || starts("<html") { return "XML or HTML" }
        if bytes.allSatisfy({ $0 == 0 }) { return "nothing but zero bytes" }
        let part = UnsafeRawBufferPointer(rebasing: bytes[..<min(bytes.count, 4096)])
        let isText = part.allSatisfy { $0 >= 0x20 || $0 == 9 || $0 == 10 || $0 == 13 }
        if isText, let first = part.first(where: { $0 > 0x20 }) {
            return first == 0x7B || first == 0x5B ? "JSON text" : "text"
        }
        return "of an unknown kind"
    }
}

extension StoreHeader {
    /// The mark: `T-DB`.
    static let mark: [UInt8] = [0x54, 0x2D, 0x44, 0x42]
}
