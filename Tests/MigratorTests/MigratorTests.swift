import Formats
import Migrator
import Testing

@Suite("Migrator") struct MigratorTests {
    @Test func aStoreWithoutVersionCountsAsZero() {
        let schema = Schema(version: nil, classes: [])
        #expect(Migrator.needsMigration(schema, to: 1))
        #expect(!Migrator.needsMigration(schema, to: 0))
    }
}
