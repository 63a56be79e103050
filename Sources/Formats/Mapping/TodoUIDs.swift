// UIDs for to-dos whose format has none, and the way to tell such a UID from one that somebody gave.

/// UIDs for formats whose records have none: 24 hex digits derived from the content, which are
/// then the id as well.
final class TodoUIDs {
    private let minter = TodoIdentity.minter()
    /// How often each content was met among UIDs that turned out to be derived.
    private var met: [UInt64: UInt64] = [:]

    /// What to-dos are called that others may be below, by UID: their titles from the top. A task
    /// below one without a UID is the same task whatever else that one says by now.
    private var names: [String: String] = [:]
    private static let mostNames = 100_000
    private static let longestName = 1000

    /// - Parameter parent: what stands for the to-do it is below.
    private func content(_ draft: TodoDraft, parent: String?) -> SipHash {
        var hash = minter.content()
        for text in [
            draft.title, draft.notes, draft.start?.local, draft.due?.local, draft.created?.local,
            parent,
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
        let parent = draft.parent.map { names[$0] ?? $0 }
        draft.uid = TodoUIDs.text(of: minter.id(content: content(draft, parent: parent)))
        keepName(of: draft)
    }

    private func keepName(of draft: TodoDraft) {
        guard let uid = draft.uid, names.count < Self.mostNames else { return }
        let above = draft.parent.map { names[$0] ?? $0 } ?? ""
        // A hostile file may nest as deep as it likes.
        let name = above + "\u{0}" + (draft.title ?? "")
        names[uid] = name.utf8.count <= Self.longestName ? name : uid
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
        keepName(of: draft)
        let parent = draft.parent
        if isMade(uid, content(draft, parent: parent.map { names[$0] ?? $0 })) {
            draft.hasMadeUID = true
        } else if let parent, names[parent] != nil {
            // The one it is below may have had that UID from the beginning.
            draft.hasMadeUID = isMade(uid, content(draft, parent: parent))
        }
    }

    /// True for the UID that content has, so many times as it was met.
    private func isMade(_ uid: String, _ hash: SipHash) -> Bool {
        let plain = hash.finish128()
        let number = met[plain.0, default: 0]
        var made = plain
        if number > 0 {
            var numbered = hash
            numbered.add(number)
            made = numbered.finish128()
        }
        guard uid == TodoUIDs.text(of: IdentityMinter.id(made)) else { return false }
        met[plain.0] = number + 1
        return true
    }

    /// An id as a UID.
    static func text(of id: ObjectID) -> String {
        let out = RawVector<UInt8>(capacity: 24)
        defer { out.destroy() }
        ScalarText.write(id, to: out)
        return String(decoding: out.elements, as: UTF8.self)
    }
}
