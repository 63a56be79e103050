// Bytes and text as inputs.

@testable import Formats

/// Bytes as an input.
func cardInput(_ bytes: [UInt8], name: String = "test.vcf") -> InputBytes {
    bytes.withUnsafeBytes { InputBytes(name: name, copying: $0) }
}

/// Text as an input.
func cardInput(_ text: String, name: String = "test.vcf") -> InputBytes {
    cardInput(Array(text.utf8), name: name)
}
