// Encrypts a new store on its way to the file. The logical bytes come from front to back, but for
// the header, which comes last: so the first page is kept until the end, and with it the first
// page of records. All other pages go out as they fill.

/// The stage of an output that encrypts.
final class EncryptedPages: OutputStage {
    private let cipher: PageCipher
    /// The first page in plain text; whole from the moment the second begins.
    private let first = RawVector<UInt8>(capacity: PageLayout.pageSize)
    /// The page being filled, behind the first.
    private let partial = RawVector<UInt8>(capacity: PageLayout.pageSize)
    private let text = RawVector<UInt8>(capacity: PageLayout.pageSize)
    /// The records of the group being written, and those of the first group.
    private let records = RawVector<UInt8>(capacity: PageLayout.pageSize)
    private let firstRecords = RawVector<UInt8>(capacity: PageLayout.pageSize)
    /// The number of the page being filled.
    private var page = 0

    /// - Parameter key: 64 bytes.
    /// - Throws: `cryptoMissing`, `badKey`.
    init(key: [UInt8]) throws(FormatError) {
        guard key.count == StoreKey.byteCount else {
            throw FormatError(.badKey, "the output's key has \(key.count) bytes; a key has 64")
        }
        cipher = try PageCipher(Crypto.load(), key: key, encrypts: true)
        _ = text.extend(PageLayout.pageSize)
        for vector in [records, firstRecords] {
            vector.append(repeating: 0, count: PageLayout.pageSize)
        }
    }

    deinit {
        for vector in [first, partial, text, records, firstRecords] { vector.destroy() }
    }

    func take(_ bytes: UnsafeRawBufferPointer, _ write: Write) throws(FormatError) {
        guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
        var at = 0
        while at < bytes.count {
            let filling = page == 0 ? first : partial
            let room = PageLayout.pageSize - filling.count
            if filling.count == 0, page > 0, bytes.count - at >= PageLayout.pageSize {
                try seal(base + at, write)
                at += PageLayout.pageSize
                continue
            }
            let count = min(room, bytes.count - at)
            filling.append(base + at, count: count)
            at += count
            if filling.count == PageLayout.pageSize { try close(write) }
        }
    }

    /// Ends the page being filled.
    private func close(_ write: Write) throws(FormatError) {
        if page == 0 {
            page = 1
            return
        }
        try seal(UnsafePointer(partial.base), write)
        partial.removeAll()
    }

    /// Encrypts a page that is not the first one and writes it.
    private func seal(_ plain: UnsafePointer<UInt8>, _ write: Write) throws(FormatError) {
        try encrypt(plain, page, write)
        page += 1
        if page % PageLayout.groupSize == 0 { try endGroup(write) }
    }

    private func encrypt(_ plain: UnsafePointer<UInt8>, _ page: Int, _ write: Write)
        throws(FormatError)
    {
        let vector: UInt32 = 1
        guard cipher.run(plain, page: page, vector: vector, to: text.base) else {
            throw FormatError(.cryptoMissing, "the system's libcrypto refuses to encrypt")
        }
        let group = page < PageLayout.groupSize ? firstRecords : records
        let record = group.base + page % PageLayout.groupSize * PageLayout.recordSize
        record[0] = UInt8(truncatingIfNeeded: vector)
        (record + 4).update(
            from: cipher.authenticator(UnsafePointer(text.base)),
            count: Crypto.authenticatorCount)
        try write(UnsafeRawBufferPointer(text.elements), PageLayout.position(page))
    }

    /// Writes the records of the group that ends before the page being filled.
    private func endGroup(_ write: Write) throws(FormatError) {
        let last = page - 1
        guard last >= PageLayout.groupSize else { return }
        try write(
            UnsafeRawBufferPointer(records.elements),
            PageLayout.record(last / PageLayout.groupSize * PageLayout.groupSize))
        records.removeAll()
        records.append(repeating: 0, count: PageLayout.pageSize)
    }

    func overwrite(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FormatError) {
        guard offset >= 0, offset + bytes.count <= first.count else {
            throw FormatError(
                .defect, "an encrypted store can only be changed in its first page afterwards",
                offset: offset)
        }
        for (i, byte) in bytes.enumerated() { first[offset + i] = byte }
    }

    func finish(_ write: Write) throws(FormatError) {
        if page > 0, partial.count > 0 {
            partial.append(repeating: 0, count: PageLayout.pageSize - partial.count)
            try close(write)
        }
        if page % PageLayout.groupSize != 0 { try endGroup(write) }
        guard first.count > 0 else { return }
        first.append(repeating: 0, count: PageLayout.pageSize - first.count)
        try encrypt(UnsafePointer(first.base), 0, write)
        try write(UnsafeRawBufferPointer(firstRecords.elements), 0)
    }
}
