// Exit codes (DESIGN 1.1), and which error has which.

internal import Formats

/// How the process ends.
enum ExitCode: Int32 {
    case success = 0
    case findings = 1
    case usage = 64
    case data = 65
    case noInput = 66
    case held = 69
    case defect = 70
    case cannotCreate = 73
    case inputOutput = 74
    case key = 77

    /// The exit code of an error.
    init(_ code: FormatErrorCode) {
        switch code {
        case .usage, .notYet: self = .usage
        case .cannotOpen, .isFolder: self = .noInput
        case .cannotCreate, .exists: self = .cannotCreate
        case .readFailed, .writeFailed, .diskFull: self = .inputOutput
        case .held, .changedWhileReading: self = .held
        case .encrypted, .wrongKey, .notEncrypted, .badKey, .cryptoMissing: self = .key
        case .defect: self = .defect
        case .interrupted: self = .success
        default: self = .data
        }
    }
}
