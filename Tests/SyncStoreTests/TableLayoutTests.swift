import SyncStore
import TestSupport
import Testing

/// Names in the database are the model's, and never collide.
@Suite struct TableLayoutTests {
  @Test func namesAreThoseOfTheModel() throws {
    let layout = TableLayout(model: try TestModels.social())
    #expect(layout.tables.map(\.identifier.name) == ["User", "Note", "Company", "Tag", "Task"])
    #expect(
      layout.tables[0].columns.map(\.identifier.name)
        == ["id", "name", "email", "age", "score", "isActive", "createdAt", "company"])
    #expect(layout.links.map(\.identifier.name) == ["User_tags"])
    #expect(layout.tables[4].positions.map(\.identifier.name) == ["user_position"])
    #expect(
      layout.tables.flatMap { $0.indexes.map(\.identifier.name) } == [
        "User_id_index", "User_company_index", "Note_id_index", "Note_user_index",
        "Company_id_index", "Tag_id_index", "Task_id_index", "Task_user_index",
      ])
  }

  @Test func namesThatDifferInCaseOnlyAreKeptApart() throws {
    let model = try ManagedObjectModel([
      "Thing: name, NAME",
      "THING: rowid",
      "Kind < Thing: size",
      "Other < Thing: size integer64",
    ])
    let layout = TableLayout(model: model)
    #expect(layout.tables.map(\.identifier.name) == ["Thing", "THING_table"])
    #expect(
      layout.tables[0].columns.map(\.identifier.name)
        == ["name", "Thing_NAME", "size", "Other_size"])
    #expect(layout.tables[1].columns.map(\.identifier.name) == ["THING_rowid"])
    let temporary = try TemporaryStore(model)
    try temporary.store.write { try $0.insert("Other", [["name": "a", "NAME": "b", "size": 7]]) }
    let other = try model.requireEntity(named: "Other")
    let rows = try temporary.store.read { try $0.rows(other, rows: [1]) }
    #expect(rows.first?.values.array == ["a", "b", 7])
  }

  @Test func numbersOfEntitiesSurviveAModelThatGrows() throws {
    let first = TableLayout(model: try TestModels.vehicles())
    let grown = try ManagedObjectModel([
      EntityDraft("Boat", superentity: "Vehicle"),
      EntityDraft("Bicycle", superentity: "Vehicle"),
      "Vehicle: id",
    ])
    let second = TableLayout(model: grown, entityNumbers: first.entityNumbers)
    #expect(second.entityNumbers["Bicycle"] == first.entityNumbers["Bicycle"])
    let boat = try #require(second.entityNumbers["Boat"])
    #expect(!first.entityNumbers.values.contains(boat))
  }

  @Test func quotesInNamesAreDoubled() {
    #expect(Identifier("a\"b").quoted == "\"a\"\"b\"")
  }
}
