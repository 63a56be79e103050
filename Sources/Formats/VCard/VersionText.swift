// The value of VERSION: what stands between white space, without control characters, which are not
// written and so say nothing, and without backslashes, which no version has.

enum VersionText {
    /// The version that a value says.
    /// - Parameter scratch: holds the result.
    static func read(
        _ value: UnsafeRawBufferPointer, scratch: RawVector<UInt8>
    ) -> UnsafeRawBufferPointer {
        scratch.removeAll()
        for c in value where c != 0x5C { scratch.append(c) }
        _ = ControlCharacters.remove(from: scratch)
        var text = UnsafeRawBufferPointer(scratch.elements)[...]
        while let c = text.first, c <= 0x20 { text = text.dropFirst() }
        while let c = text.last, c <= 0x20 { text = text.dropLast() }
        return UnsafeRawBufferPointer(rebasing: text)
    }
}
