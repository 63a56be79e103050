// One error for the house (DESIGN section 6): what was found, what was expected, where, and what
// to do next. Tests compare only the code. One word wide; made out of line.

/// What went wrong, as a word a program can switch on.
public enum FormatErrorCode: String, Sendable, CaseIterable {
    // Files
    case cannotOpen, isFolder, emptyFile, cannotCreate, exists, readFailed, writeFailed, diskFull
    case held, changedWhileReading, interrupted
    // Containers
    case notRealm, unsupportedVersion, tooOld, truncated, damaged, sync
    case encrypted, wrongKey, notEncrypted, badKey, cryptoMissing
    // Data
    case malformed, badEncoding, limitExceeded, badValue, missingValue, unknownName, duplicateKey
    case keysOutOfOrder, danglingLink, schemaMismatch, unsupported, unrepresentable, strictLoss
    // The command line
    case usage, notYet
    // Ours
    case defect
}

/// An error with a place and a next step.
public struct FormatError: Error, Equatable, Sendable {
    /// Everything the error knows.
    public struct Details: Sendable {
        /// What went wrong.
        public var code: FormatErrorCode
        /// One sentence: what was found, and what was expected.
        public var message: String
        /// The file (or `-` for a stream).
        public var file: String?
        /// Byte offset in the file, from 0.
        public var offset: Int?
        /// Line, from 1.
        public var line: Int?
        /// Column in bytes, from 1.
        public var column: Int?
        /// Record number, from 1.
        public var record: Int?
        /// What a person calls the record.
        public var recordName: String?
        /// Property or column name.
        public var property: String?
        /// The offending line or bytes, shortened.
        public var excerpt: String?
        /// What stands under the caret of the excerpt.
        public var excerptNote: String?
        /// What to do next.
        public var fix: String?
    }

    private final class Box: Sendable {
        let details: Details
        init(_ details: Details) { self.details = details }
    }

    private let box: Box

    /// All details.
    public var details: Details { box.details }

    /// The code; the only thing that counts for equality.
    public var code: FormatErrorCode { box.details.code }

    /// An error; give the places that are known.
    @inline(never)
    public init(
        _ code: FormatErrorCode, _ message: String, file: String? = nil, offset: Int? = nil,
        line: Int? = nil, column: Int? = nil, record: Int? = nil, recordName: String? = nil,
        property: String? = nil, excerpt: String? = nil, excerptNote: String? = nil,
        fix: String? = nil
    ) {
        box = Box(
            Details(
                code: code, message: message, file: file, offset: offset, line: line,
                column: column, record: record, recordName: recordName, property: property,
                excerpt: excerpt, excerptNote: excerptNote, fix: fix))
    }

    private init(details: Details) { box = Box(details) }

    /// The same error with more places filled in.
    public func with(_ change: (inout Details) -> Void) -> FormatError {
        var details = box.details
        change(&details)
        return FormatError(details: details)
    }

    /// Equal codes.
    public static func == (a: FormatError, b: FormatError) -> Bool { a.code == b.code }
}

extension FormatError: CustomStringConvertible {
    /// The text for people, in the shape of DESIGN section 6, without a trailing newline.
    public var description: String {
        let d = details
        var text = "error: "
        if let file = d.file {
            text += file
            if let line = d.line {
                text += ":\(line)"
                if let column = d.column { text += ":\(column)" }
            }
            text += ": "
        }
        text += d.message
        if d.line == nil, let offset = d.offset { text += " (byte \(offset))" }
        if let excerpt = d.excerpt {
            let number = d.line.map(String.init) ?? ""
            text += "\n  \(number) | \(excerpt)"
            if let column = d.column, column <= excerpt.utf8.count + 1 {
                let margin = String(repeating: " ", count: number.utf8.count)
                let space = String(repeating: " ", count: max(column - 1, 0))
                text += "\n  \(margin) | \(space)^"
                if let note = d.excerptNote { text += " " + note }
            }
        }
        var place: [String] = []
        if let record = d.record {
            place.append("record \(record)" + (d.recordName.map { " (\($0))" } ?? ""))
        } else if let name = d.recordName {
            place.append(name)
        }
        if let property = d.property { place.append("property \(property)") }
        if !place.isEmpty { text += "\n  " + place.joined(separator: ", ") }
        if let fix = d.fix { text += "\n  fix: " + fix }
        return text
    }
}
