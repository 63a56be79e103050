// Schema-version migrations. The room stands ready; its changes arrive with the migration plan.

public import Formats

/// Upgrades stores from one schema version to another.
public enum Migrator {
    /// True when a store's schema version is below `version`; a store without one counts as 0.
    public static func needsMigration(_ schema: Schema, to version: UInt64) -> Bool {
        (schema.version ?? 0) < version
    }
}
