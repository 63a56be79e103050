// The cards of a file, read ahead: while some are mapped or written, the next ones are read on a
// thread of their own. What the reader says reaches the context before the cards it belongs to, and
// in the same order on one thread.

/// Reads a file card by card.
final class CardReadAhead {
    private let reading: Reading
    private let context: ExchangeContext
    private let isThreaded: Bool
    private var thread: System.Thread?
    private var isBegun = false
    private var run: CardRun?
    @exclusivity(unchecked) private var at = 0

    /// A reader of an input, which it keeps.
    init(input: InputBytes, context: ExchangeContext) {
        self.context = context
        reading = Reading(input: input, options: context.options)
        isThreaded = (context.options.threads ?? System.processorCount) > 1
    }

    deinit {
        reading.free.close(dropping: true)
        thread?.join()
    }

    /// The next card, as `VCardReader.next(into:)` gives it; valid until the next call.
    /// - Returns: nil at the end.
    func next() throws(FormatError) -> ContentLines? {
        while true {
            if let run, at < run.count {
                at &+= 1
                return run[at &- 1]
            }
            guard try turn() else { return nil }
        }
    }

    /// Hands a card on as it stands, since it cannot be taken.
    func setAside(_ card: ContentLines, _ reason: FormatError) {
        reading.reader.setAside(card, reason, context)
    }

    /// Goes on to the next run.
    private func turn() throws(FormatError) -> Bool {
        if !isBegun {
            isBegun = true
            if isThreaded {
                let reading = reading
                for _ in 0..<3 { reading.free.give(CardRun()) }
                thread = System.startThread { reading.read() }
            }
        }
        if let run {
            if let failure = run.failure { throw failure }
            if thread != nil { reading.free.give(run) }
        }
        at = 0
        if thread == nil {
            let used = run ?? CardRun()
            run = reading.isAtEnd ? nil : used
            if run != nil { reading.fill(used) }
        } else {
            run = reading.full.take()
        }
        guard let run else { return false }
        context.report.take(run.report)
        for reject in run.rejects { context.onReject?(reject.bytes, reject.reason) }
        run.rejects.removeAll()
        return true
    }

    /// The reader's side.
    private final class Reading: @unchecked Sendable {
        let reader: VCardReader
        /// What the reader talks to; emptied into each run.
        private let context: ExchangeContext
        private let rejects: Rejects
        private(set) var isAtEnd = false
        /// Runs to be filled.
        let free = Handoff<CardRun>()
        /// Runs that were filled.
        let full = Handoff<CardRun>()

        /// What was set aside for the run at hand.
        private final class Rejects {
            var all: [(bytes: UnsafeRawBufferPointer, reason: FormatError)] = []
        }

        init(input: InputBytes, options: ExchangeOptions) {
            let context = ExchangeContext(options: options)
            let rejects = Rejects()
            context.onReject = { rejects.all.append(($0, $1)) }
            self.context = context
            self.rejects = rejects
            reader = VCardReader(input: input, context: context)
        }

        func fill(_ run: CardRun) {
            isAtEnd = !run.fill(from: reader)
            run.report.take(context.report)
            run.rejects = rejects.all
            rejects.all.removeAll()
        }

        /// Reads until the end, or until no run comes back.
        func read() {
            while !isAtEnd, let run = free.take() {
                fill(run)
                full.give(run)
            }
            full.close()
        }
    }
}
