// When an alarm rings, where that is counted from a date of its to-do (RFC 5545, 3.8.6.3). A whole day
// counts from its first moment, so such an alarm must be counted anew when its date is written as
// another kind.

/// The trigger of an alarm that counts from a date.
struct AlarmTrigger {
    /// True for the due date, false for the start.
    let isFromEnd: Bool
    /// How much later than the date it rings.
    let seconds: Int64
    /// The line as it stands.
    let line: Substring

    /// nil for other components, for alarms at a time of their own, and for those at a place.
    init?(_ component: String) {
        guard TodoDraft.Alarm.isOne(component),
            let (name, value) = TodoDraft.Alarm.trigger(component),
            let length = TodoDuration(value.filter { !$0.isWhitespace })
        else { return nil }
        let lines = component.split(whereSeparator: \.isNewline)
        guard let at = lines.firstIndex(where: { $0.uppercased().hasPrefix("TRIGGER") }),
            // A folded line is not looked through.
            at + 1 == lines.count || lines[at + 1].first.map({ !$0.isWhitespace }) ?? true
        else { return nil }
        isFromEnd = name.contains("RELATED=END")
        let (days, overflow) = length.days.multipliedReportingOverflow(by: 86_400)
        let (sum, isOver) = days.addingReportingOverflow(length.seconds)
        guard !overflow, !isOver, sum.magnitude < 1 << 40 else { return nil }
        seconds = sum
        line = lines[at]
    }

    /// The component with an alarm that rings as before, though its date is said to be so many
    /// seconds earlier.
    func moved(_ component: String, by shift: Int64) -> String {
        let head = line.prefix { $0 != ":" }
        return component.replacing(
            line, with: head + ":" + TodoDuration.text(seconds &+ shift), maxReplacements: 1)
    }
}
