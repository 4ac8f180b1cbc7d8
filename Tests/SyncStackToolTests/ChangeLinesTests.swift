import SyncStack
import TestSupport
import Testing

@testable import SyncStackTool

@Suite struct ChangeLinesTests {
  @Test func writesAnObjectALine() throws {
    let model = try TestModels.userNotes()
    let user = try model.requireEntity(named: "User")
    let note = try model.requireEntity(named: "Note")
    var users = ChangeSet.EntityChanges(entity: user)
    users.inserted = [7]
    users.insertedKeys = [.int(70)]
    var slots: SlotSet = []
    for name in ["email", "name"] { slots.insert(try #require(user.property(named: name)).slot) }
    users.updated = [(3, slots)]
    users.updatedKeys = [.string("thr\"ee")]
    var notes = ChangeSet.EntityChanges(entity: note)
    notes.deleted = [1, 2]
    notes.deletedKeys = [.int(10), .null]
    let changes = ChangeSet(entities: [users, notes], generation: 5)
    #expect(
      ChangeLines(changes: changes).text == #"""
        {"entity":"User","change":"inserted","row":7,"key":70,"generation":5}
        {"entity":"User","change":"updated","row":3,"key":"thr\"ee","properties":["name","email"],"generation":5}
        {"entity":"Note","change":"deleted","row":1,"key":10,"generation":5}
        {"entity":"Note","change":"deleted","row":2,"key":null,"generation":5}

        """#)
  }

  @Test func leavesTheKeyOutWhereThereIsNone() throws {
    let note = try TestModels.userNotes().requireEntity(named: "Note")
    var notes = ChangeSet.EntityChanges(entity: note)
    notes.inserted = [1]
    #expect(
      ChangeLines(changes: ChangeSet(entities: [notes])).text
        == #"{"entity":"Note","change":"inserted","row":1,"generation":0}"# + "\n")
  }
}
