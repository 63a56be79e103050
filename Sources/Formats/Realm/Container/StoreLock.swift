// The lock that keeps other processes out of a store while it is replaced: an exclusive lock on
// the `.lock` file beside it, which every process that has the store open holds shared.

/// Holds a store for writing.
package final class StoreLock {
    private var descriptor: Int32

    /// Takes the lock of an existing store; the `.lock` file is created where there is none, as
    /// the engine does, and stays behind.
    /// - Throws: `held` when another process has the store open; `cannotCreate`.
    package init(forWriting path: String) throws(FormatError) {
        // Whoever opened the store itself has its lock beside it, not beside a link to it.
        let lock = System.target(of: path) + ".lock"
        descriptor = System.openForReadingAndWriting(lock, create: true)
        guard descriptor >= 0 else {
            throw FormatError(
                .cannotCreate,
                "cannot open the lock file beside the store: "
                    + System.describe(System.lastError), file: lock)
        }
        guard System.lock(descriptor, exclusive: true) else {
            System.close(descriptor)
            descriptor = -1
            throw FormatError(
                .held, "another process has the store open", file: path,
                fix: "close the other program first; the store can be read meanwhile")
        }
    }

    /// Lets others in again.
    package func release() {
        if descriptor >= 0 { System.close(descriptor) }
        descriptor = -1
    }

    deinit { release() }
}
