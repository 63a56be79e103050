// Looking for short ASCII texts in bytes, without making strings of them.

/// Finds ASCII texts in bytes.
package enum ByteSearch {
    /// True when the bytes hold a text, letter for letter.
    package static func contains(_ bytes: UnsafeRawBufferPointer, _ text: StaticString) -> Bool {
        text.withUTF8Buffer { text in
            guard let base = bytes.bindMemory(to: UInt8.self).baseAddress, let first = text.first
            else { return text.isEmpty }
            var at = 0
            let last = bytes.count - text.count
            while at <= last,
                let hit = firstIndex(of: first, in: base + at, count: last - at + 1)
            {
                at += hit
                var i = 1
                while i < text.count, base[at + i] == text[i] { i += 1 }
                if i == text.count { return true }
                at += 1
            }
            return false
        }
    }

    /// True when the bytes hold a lower-case text in any letter case.
    package static func containsFolded(
        _ bytes: UnsafeRawBufferPointer, _ text: StaticString
    ) -> Bool {
        text.withUTF8Buffer { text in
            guard bytes.count >= text.count else { return false }
            for at in 0...bytes.count - text.count {
                var i = 0
                while i < text.count, lower(bytes[at + i]) == text[i] { i += 1 }
                if i == text.count { return true }
            }
            return false
        }
    }

    @inline(__always)
    private static func lower(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }
}
