// The upgrade of a to-do app of 2016, on its stores in every file format: tasks without a key
// become tasks with ids and clock times, blank notes null, finished tasks dropped by a line.

import Foundation
import TestSupport
import Testing

@testable import Formats
@testable import Migrator

@Suite("The to-do app of 2016") struct WorkedCaseTests {
    static let stores = Shared.files("corpus/realm", "/realmtodo.realm", deep: true)

    static let plan = #"""
        {"rtoolPlan": 1, "name": "to the task manager", "steps": [{"from": 0, "to": 1, "changes": [
          {"splitClass": "Task", "into": "Finished", "where": "done == true"},
          {"dropClass": "Finished"},
          {"setPrimaryKey": "Task.id", "type": "objectId", "value": {"derive": "row"}},
          {"renameProperty": "Task.taskTitle", "to": "name"},
          {"addProperty": "Task.type", "type": "string",
           "value": {"coalesce": [{"property": "taskDescription"}, ""]}},
          {"addProperty": "Task.startTime", "type": "string", "value":
            {"convert": {"property": "date"}, "using": {"formatDate": "HH:mm", "zone": "Europe/Paris"}}},
          {"addProperty": "Task.endTime", "type": "string", "value":
            {"convert": {"addSeconds": [{"property": "date"}, 3600]},
             "using": {"formatDate": "HH:mm", "zone": "Europe/Paris"}}},
          {"makeOptional": "Task.taskDescription", "blank": "null"},
          {"renameProperty": "Task.taskDescription", "to": "notes"},
          {"dropProperty": "Task.done"}, {"dropProperty": "Task.date"}
        ], "expect": [{"distinct": "Task.id"}, {"none": "Task", "where": "notes == ''"}]}]}
        """#

    @Test(arguments: stores) func tasksGetIdsAndClockTimes(_ path: String) throws {
        let folder = TemporaryFolder()
        let old = try ReadStore(path)
        var plan = try MigrationPlan(json: Array(Self.plan.utf8))
        plan.steps[0].from = old.schema.version == .max ? 0 : old.schema.version ?? 0
        plan.steps[0].to = plan.steps[0].from + 1
        let outcome = try migrate(path, plan, in: folder)
        let store = try #require(outcome.store, "\(outcome.report.findings)")
        let task = try #require(old.definition("Task"))
        let at = ["taskTitle", "taskDescription", "done", "date"].map { task.index(of: $0) ?? 0 }
        let zone = try #require(TimeZone.named("Europe/Paris"))
        func clock(_ seconds: Int64) -> Value {
            let local = seconds + Int64(zone.offset(at: seconds))
            let minutes = ((local % 86_400 + 86_400) % 86_400) / 60
            func two(_ n: Int64) -> String { n < 10 ? "0\(n)" : "\(n)" }
            return .string("\(two(minutes / 60)):\(two(minutes % 60))")
        }
        var expected: [[Value]] = []
        var blank = 0
        var finished = 0
        for row in old.rows("Task") {
            guard row[at[2]] == .bool(false) else {
                finished += 1
                continue
            }
            guard case .date(let date) = row[at[3]] else { continue }
            let notes = row[at[1]]
            if notes == .string("") { blank += 1 }
            // Times are cut, not rounded, also before 1970.
            let seconds = date.nanoseconds < 0 ? date.seconds - 1 : date.seconds
            expected.append([
                row[at[0]], notes == .string("") ? .null : notes,
                notes == .null ? .string("") : notes, clock(seconds), clock(seconds + 3600),
            ])
        }
        #expect(!expected.isEmpty)
        let new = try #require(store.definition("Task"))
        #expect(new.primaryKey == "id")
        let order = ["name", "notes", "type", "startTime", "endTime"].map { new.index(of: $0) ?? 0 }
        #expect(store.rows("Task").map { row in order.map { row[$0] } } == expected)
        #expect(outcome.count(.handled, "blank-to-null") == blank)
        #expect(outcome.count(.lost, "class-dropped") == finished)
        #expect(outcome.report.zones == ["Europe/Paris"])
    }
}
