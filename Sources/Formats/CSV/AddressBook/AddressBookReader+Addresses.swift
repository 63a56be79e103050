// The addresses of a row, each in several columns, as lines of the card.

extension AddressBookReader {
    // Places among `BookSteps.addressParts`.
    private static let street = 2
    private static let city = 5
    private static let formatted = 9

    /// Google joins the parts of several addresses of one kind with `:::`, part by part.
    func addresses(_ item: BookItem) {
        pieces.removeAll()
        // Where the pieces of each part end.
        var ends = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &ends) { raw in
            let ends = raw.bindMemory(to: Int.self)
            var count = 1
            for part in 0..<ends.count {
                let cell = cells[steps.addressColumns[item.number &* ends.count &+ part]]
                if !cell.isEmpty {
                    count = max(count, cell.split(into: pieces, keepsEmpty: true))
                }
                ends[part] = pieces.count
            }
            // A label alone is no address.
            if pieces.isEmpty { return }
            let label = label(item, count)
            for i in 0..<count {
                fields.removeAll()
                for part in 0..<ends.count {
                    let at = (part == 0 ? 0 : ends[part &- 1]) &+ i
                    fields.append(at < ends[part] ? pieces[at] : .empty)
                }
                address(head(item, label, i))
            }
        }
    }

    /// Adds the address whose parts are in `fields`.
    private func address(_ head: CardHead) {
        let formatted = fields[AddressBookReader.formatted]
        card.open(head)
        if !formatted.isEmpty {
            told.removeAll()
            for i in 0..<AddressBookReader.formatted { told.add(fields[i]) }
            if !told.tells(formatted) { card.addParameter("LABEL", formatted.bytes) }
        }
        for i in 0..<AddressBookReader.formatted {
            if i > AddressBookReader.street, i < AddressBookReader.city { continue }
            if i > 0 { card.append(separator: 0x3B) }
            card.append(i == AddressBookReader.street ? street.bytes : fields[i].bytes)
        }
        card.close(head)
    }

    /// The lines of the street.
    private var street: CellSlice {
        var street = fields[AddressBookReader.street]
        for i in AddressBookReader.street + 1..<AddressBookReader.city where !fields[i].isEmpty {
            if street.isEmpty {
                street = fields[i]
                continue
            }
            // Built anew from the first line on.
            let first = street.bytes
            if first.baseAddress != UnsafeRawPointer(scratch.base) {
                scratch.removeAll()
                scratch.append(bytes: first)
            }
            scratch.append(10)
            scratch.append(bytes: fields[i].bytes)
            street = CellSlice(UnsafeRawBufferPointer(scratch.elements))
        }
        return street
    }
}
