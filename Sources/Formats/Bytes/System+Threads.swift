// Threads of the system, with the usual deep stack, and things handed from one to the other.

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

extension System {
    /// The number of processors that may be used.
    package static var processorCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    /// A running thread.
    package struct Thread: @unchecked Sendable {
        fileprivate let handle: pthread_t

        /// Waits for its end; to be called once.
        package func join() { pthread_join(handle, nil) }
    }

    private final class ThreadJob {
        let job: @Sendable () -> Void

        init(_ job: @escaping @Sendable () -> Void) { self.job = job }

        static func run(_ raw: UnsafeMutableRawPointer) {
            Unmanaged<ThreadJob>.fromOpaque(raw).takeRetainedValue().job()
        }
    }

    /// Starts a thread; nil when the system gives none.
    package static func startThread(_ job: @escaping @Sendable () -> Void) -> Thread? {
        let box = Unmanaged.passRetained(ThreadJob(job))
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        // What the main thread has; readers may go as deep on any thread.
        pthread_attr_setstacksize(&attributes, 8 << 20)
        #if canImport(Glibc)
            var thread = pthread_t()
            let result = pthread_create(
                &thread, &attributes,
                { raw in
                    if let raw { ThreadJob.run(raw) }
                    return nil
                }, box.toOpaque())
            if result == 0 { return Thread(handle: thread) }
        #else
            var thread: pthread_t?
            let result = pthread_create(
                &thread, &attributes,
                { raw in
                    ThreadJob.run(raw)
                    return nil
                }, box.toOpaque())
            if result == 0, let thread { return Thread(handle: thread) }
        #endif
        box.release()
        return nil
    }

    /// Runs a job for each number below `count`, each on a thread of its own, and waits for all.
    package static func inParallel(_ count: Int, _ job: @escaping @Sendable (Int) -> Void) {
        var threads: [Thread] = []
        for number in 1..<max(count, 1) {
            if let thread = startThread({ job(number) }) {
                threads.append(thread)
            } else {
                job(number)
            }
        }
        if count > 0 { job(0) }
        for thread in threads { thread.join() }
    }
}

/// Hands things from one thread to another, in order.
package final class Handoff<Element>: @unchecked Sendable {
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>
    private var elements: [Element] = []
    private var isClosed = false

    /// Nothing handed over yet.
    package init() {
        lock = .allocate(capacity: 1)
        lock.initialize(to: pthread_mutex_t())
        pthread_mutex_init(lock, nil)
        changed = .allocate(capacity: 1)
        changed.initialize(to: pthread_cond_t())
        pthread_cond_init(changed, nil)
    }

    deinit {
        pthread_cond_destroy(changed)
        changed.deallocate()
        pthread_mutex_destroy(lock)
        lock.deallocate()
    }

    /// Hands something over; after the end it is dropped.
    package func give(_ element: Element) {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        if !isClosed { elements.append(element) }
        pthread_cond_signal(changed)
    }

    /// Waits for the next; nil at the end.
    package func take() -> Element? {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        while elements.isEmpty, !isClosed { pthread_cond_wait(changed, lock) }
        return elements.isEmpty ? nil : elements.removeFirst()
    }

    /// Says that no more will come.
    /// - Parameter dropping: what was handed over and not taken yet is dropped.
    package func close(dropping: Bool = false) {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        isClosed = true
        if dropping { elements.removeAll() }
        pthread_cond_broadcast(changed)
    }
}
