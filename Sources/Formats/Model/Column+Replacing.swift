// Other values for some of a column's: for code that is not hot.

extension Column {
    /// Gives some strings, data or mixed values of a filled column others, by their places; nil
    /// for null.
    package func replace(_ values: [Int: [UInt8]?]) {
        guard layout == .bytes else { return }
        let all = (0..<count).map { i -> [UInt8]? in
            if let value = values[i] { return value }
            return isNull(i) ? nil : Array(bytes(i))
        }
        removeAll()
        for value in all {
            if let value {
                value.withUnsafeBytes { append(bytes: $0) }
            } else {
                appendNull()
            }
        }
    }
}
