// UIDs for to-dos whose format has none, and the way to tell such a UID from one that somebody gave.

/// UIDs for formats whose records have none: 24 hex digits derived from the content, which are
/// then the id as well.
final class TodoUIDs {
    private let minter = TodoIdentity.minter()
    /// How often each content was met among UIDs that turned out to be derived.
    private var met: [UInt64: UInt64] = [:]

    private func content(_ draft: TodoDraft) -> SipHash {
        var hash = minter.content()
        for text in [
            draft.title, draft.notes, draft.start?.local, draft.due?.local, draft.created?.local,
            draft.parent,
        ] {
            if let text { hash.add(text) }
            hash.add(0 as UInt8)
        }
        for category in draft.categories {
            hash.add(category)
            hash.add(0 as UInt8)
        }
        for recurrence in draft.recurrence {
            hash.add(recurrence)
            hash.add(0 as UInt8)
        }
        return hash
    }

    /// Gives a draft a UID when it has none.
    func assign(_ draft: inout TodoDraft) {
        guard draft.uid == nil else { return }
        draft.uid = TodoUIDs.text(of: minter.id(content: content(draft)))
    }

    /// Sees whether the UID of a draft is one that `assign` would give, in the order of a file;
    /// a draft without one gets its row's id.
    func mark(_ draft: inout TodoDraft, id: ObjectID?) {
        guard let uid = draft.uid else {
            draft.uid = id.map(TodoUIDs.text)
            draft.hasMadeUID = true
            return
        }
        if let parent = draft.parent, uid.hasPrefix(parent + "-item-") {
            draft.hasMadeUID = true
            return
        }
        guard uid.utf8.count == 24 else { return }
        let hash = content(draft)
        let plain = hash.finish128()
        let number = met[plain.0, default: 0]
        var made = plain
        if number > 0 {
            var numbered = hash
            numbered.add(number)
            made = numbered.finish128()
        }
        guard uid == TodoUIDs.text(of: IdentityMinter.id(made)) else { return }
        met[plain.0] = number + 1
        draft.hasMadeUID = true
    }

    /// An id as a UID.
    static func text(of id: ObjectID) -> String {
        let out = RawVector<UInt8>(capacity: 24)
        defer { out.destroy() }
        ScalarText.write(id, to: out)
        return String(decoding: out.elements, as: UTF8.self)
    }
}
