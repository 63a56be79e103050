// All kinds of changes: a new one is one line here.

/// The kinds of changes a plan can name.
enum ChangeTable {
    /// By the member that names them.
    static let kinds: [String: any PlannedChange.Type] = {
        let all: [any PlannedChange.Type] = [
            RenameProperty.self, AddProperty.self, DropProperty.self,
        ]
        return Dictionary(all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }()
}
