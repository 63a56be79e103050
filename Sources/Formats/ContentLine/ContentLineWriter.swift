// Puts logical lines out as physical ones: CR LF at the end, folded at 75 octets, never inside a
// character and never with a colon first on a continuation.

/// Folding of content lines.
package enum ContentLineWriter {
    /// Appends a logical line (without line end) as folded physical lines.
    package static func fold(_ line: UnsafeRawBufferPointer, into out: RawVector<UInt8>) {
        guard let start = line.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
        let count = line.count
        out.reserve(adding: count &+ count / 24 &+ 8)
        var from = 0
        var room = 75
        while count &- from > room {
            var cut = from &+ room
            var tries = 0
            while tries < 8, start[cut] & 0xC0 == 0x80 || start[cut] == 0x3A {
                cut &-= 1
                tries &+= 1
            }
            if tries == 8 { cut = from &+ room }
            out.append(start + from, count: cut &- from)
            out.append(13)
            out.append(10)
            out.append(0x20)
            from = cut
            room = 74
        }
        out.append(start + from, count: count &- from)
        out.append(13)
        out.append(10)
    }

    /// Appends a line that must not be folded.
    package static func plain(_ line: UnsafeRawBufferPointer, into out: RawVector<UInt8>) {
        out.append(bytes: line)
        out.append(13)
        out.append(10)
    }
}
