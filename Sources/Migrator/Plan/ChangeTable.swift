// All kinds of changes: a new one is one line here.

/// The kinds of changes a plan can name.
enum ChangeTable {
    /// By the member that names them.
    static let kinds: [String: any PlannedChange.Type] = {
        let all: [any PlannedChange.Type] = [
            RenameProperty.self, AddProperty.self, DropProperty.self,
            RenameClass.self, AddClass.self, DropClass.self, SetIndex.self,
            SetPrimaryKey.self, ChangeKeys.self, RemovePrimaryKey.self,
            MakeRequired.self, MakeOptional.self,
            ChangeType.self, MapValues.self, SetValues.self,
            MergeProperties.self, SplitProperty.self, SplitText.self,
            LinkBy.self, Unlink.self, ToMany.self, ToOne.self, MoveLink.self,
            UnwrapList.self, Collect.self, Nest.self, Flatten.self,
            Embed.self, Unembed.self, SplitClass.self, MergeClasses.self, ExtractClass.self,
            Ask.self,
        ]
        return Dictionary(all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }()
}
