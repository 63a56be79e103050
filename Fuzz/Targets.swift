// The targets by name. Several ways through one format take turns by the length of the input, so
// that an input always takes the same one.

@testable import Formats

/// What each target does with one input.
nonisolated(unsafe) let targets: [String: (UnsafeRawBufferPointer) -> Void] = [
    "vcard": turns([line(.vcard), line(.vcard, version("2.1")), line(.vcard, version("4.0"))]),
    "contacts": { ContactTrip.run($0) },
    "contact-versions": turns([
        RoundTrip(read: .vcard, write: .vcard, law: .text, options: version("2.1")).run,
        RoundTrip(read: .vcard, write: .vcard, law: .text, options: version("3.0")).run,
        RoundTrip(read: .vcard, write: .vcard, law: .text, options: version("4.0")).run,
        RoundTrip(read: .vcard, write: .csv, law: .text).run,
        RoundTrip(read: .vcard, write: .json, law: .text).run,
        RoundTrip(read: .vcard, write: .jcard, law: .none).run,
    ]),
    "jcard": turns([
        RoundTrip(read: .jcard, write: .jcard, law: .text).run,
        RoundTrip(read: .jcard, write: .vcard, law: .text).run,
    ]),
    "csv": RoundTrip(read: .csv, write: .csv, wish: .plainRows, law: .rows).run,
    "address-books": turns([
        RoundTrip(read: .csv, write: .csv, wish: .contacts, law: .text, options: profile("plain"))
            .run,
        RoundTrip(read: .csv, write: .csv, wish: .contacts, law: .none, options: profile("google"))
            .run,
        RoundTrip(read: .csv, write: .csv, wish: .contacts, law: .none, options: profile("outlook"))
            .run,
        RoundTrip(read: .csv, write: .vcard, wish: .whatItIs, law: .none).run,
    ]),
    "json": turns([
        RoundTrip(read: .json, write: .json, law: .rows).run,
        RoundTrip(read: .ndjson, write: .ndjson, law: .rows).run,
        RoundTrip(read: .json, write: .csv, law: .none).run,
        RoundTrip(read: .realmStudio, write: .json, law: .none).run,
    ]),
    "ical": line(.ical),
    "todos": turns([
        RoundTrip(read: .ical, write: .ical).run,
        RoundTrip(read: .ical, write: .json, law: .text).run,
    ]),
    "google-tasks": turns([
        RoundTrip(read: .googleTasks, write: .googleTasks, law: .text).run,
        RoundTrip(read: .googleTasks, write: .ical, law: .text).run,
    ]),
    "ms-todo": turns([
        RoundTrip(read: .msToDo, write: .ical, law: .text).run,
        RoundTrip(read: .msToDo, write: .googleTasks, law: .none).run,
    ]),
    "todoist": turns([
        RoundTrip(read: .todoist, write: .todoist, law: .text).run,
        RoundTrip(read: .todoist, write: .ical, law: .text).run,
    ]),
    "ticktick": turns([
        RoundTrip(read: .ticktick, write: .ical, law: .text).run,
        RoundTrip(read: .ticktick, write: .todoTxt, law: .none).run,
    ]),
    "todotxt": turns([
        RoundTrip(read: .todoTxt, write: .todoTxt, law: .text).run,
        RoundTrip(read: .todoTxt, write: .ical, law: .text).run,
    ]),
    "outlook-tasks": turns([
        RoundTrip(read: .outlookTasks, write: .outlookTasks, law: .text).run,
        RoundTrip(read: .outlookTasks, write: .ical, law: .text).run,
    ]),
    "detect": { bytes in
        for format in Registry.formats { _ = format.detect(bytes) }
    },
    "store": { StoreTrip.run($0) },
    "damage": { StoreDamage.run($0) },
]

private func turns(_ ways: [(UnsafeRawBufferPointer) -> Void]) -> (UnsafeRawBufferPointer) -> Void {
    { bytes in ways[bytes.count % ways.count](bytes) }
}

private func line(_ format: Format, _ options: ExchangeOptions = ExchangeOptions())
    -> (UnsafeRawBufferPointer) -> Void
{
    guard let convert = format.convertLines else { finding("no lines") }
    var trip = LineTrip(convert: convert, options: options)
    if format.name == Format.vcard.name { trip.isSame = { ContactTrip.isSame($0, $1) } }
    return { trip.run($0) }
}

private func version(_ version: String) -> ExchangeOptions {
    var options = ExchangeOptions()
    options.extra["vcard-version"] = version
    return options
}

private func profile(_ name: String) -> ExchangeOptions {
    var options = ExchangeOptions()
    options.extra["profile"] = name
    return options
}

/// True for cards that say their version first, as 3.0 and 4.0 want it.
func saysVersion(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let head = Array("BEGIN:VCARD\r\nVERSION:".utf8)
    return bytes.count > head.count && bytes.prefix(head.count).elementsEqual(head)
}
