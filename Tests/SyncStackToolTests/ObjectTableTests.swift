import SyncStack
import TestSupport
import Testing

@testable import SyncStackTool

@Suite struct ObjectTableTests {
  @Test func showsAttributesKeysAndNumbersOfMembers() throws {
    let temporary = try TemporaryStore(
      ManagedObjectModel([
        "User: id, name, draft transient, notes ->> Note.user",
        "Note: id, user -> User.notes",
      ]))
    try temporary.store.write { transaction in
      let users = try transaction.insert(
        "User", [["id": 7, "name": "Ada"], ["id": 8], ["name": "Cy"]])
      try transaction.insert(
        "Note",
        users.map { ["id": .int($0 * 10), "user": .int($0)] } + [["id": 99], ["user": .int(1)]])
    }
    try temporary.store.read { reader in
      let user = try reader.model.requireEntity(named: "User")
      let users = try ObjectTable(entity: user, reader: reader).table(
        FetchPlan(entity: user, sort: ["-id"]))
      #expect(users.columns.map(\.title) == ["id", "name", "notes"])
      #expect(users.rows == [["8", "", "1"], ["7", "Ada", "2"], ["", "Cy", "1"]])
      let note = try reader.model.requireEntity(named: "Note")
      let notes = try ObjectTable(entity: note, reader: reader).table(FetchPlan(entity: note))
      #expect(notes.rows == [["10", "7"], ["20", "8"], ["30", "#3"], ["99", ""], ["", "7"]])
    }
  }

  @Test func namesTheEntityWhereThereAreSeveral() throws {
    let temporary = try TemporaryStore(TestModels.vehicles())
    try temporary.store.write { transaction in
      try transaction.insert("Car", [["id": 1, "doors": 4]])
      try transaction.insert("Bicycle", [["id": 2]])
    }
    try temporary.store.read { reader in
      let vehicle = try reader.model.requireEntity(named: "Vehicle")
      let table = try ObjectTable(entity: vehicle, reader: reader).table(FetchPlan(entity: vehicle))
      #expect(table.columns.map(\.title) == ["Entity", "id", "name", "owner"])
      #expect(table.rows == [["Car", "1", "", ""], ["Bicycle", "2", "", ""]])
    }
  }
}
