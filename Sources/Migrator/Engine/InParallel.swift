// Two things done at the same time.

internal import Formats

/// Does the first on this thread and the second on another, and waits for both.
///
/// The two must have nothing in common that one of them changes.
/// - Throws: what the first throws, else what the second does.
func inParallel(
    _ first: () throws(FormatError) -> Void, _ second: () throws(FormatError) -> Void
) throws(FormatError) {
    var errors: (first: FormatError?, second: FormatError?) = (nil, nil)
    withoutActuallyEscaping(first) { first in
        withoutActuallyEscaping(second) { second in
            nonisolated(unsafe) let first = first
            nonisolated(unsafe) let second = second
            nonisolated(unsafe) var firstError: FormatError?
            nonisolated(unsafe) var secondError: FormatError?
            System.inParallel(2) { number in
                if number == 0 {
                    do throws(FormatError) { try first() } catch { firstError = error }
                } else {
                    do throws(FormatError) { try second() } catch { secondError = error }
                }
            }
            errors = (firstError, secondError)
        }
    }
    if let error = errors.first ?? errors.second { throw error }
}
