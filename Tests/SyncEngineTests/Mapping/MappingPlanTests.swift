import SyncStack
import TestSupport
import Testing

@Suite struct MappingPlanTests {
  private let entities = [
    EntityDraft(
      "User",
      [
        "id required", .attribute("name", .string, defaultValue: "x"), "shade transient",
        "notes ->> Note.user",
      ]),
    "Note: id, user -> User.notes required, places ->> Place", "Place: name",
    "Island: id",
  ]

  @Test func everyEntityThatCanBeReachedIsANodeCyclesIncluded() throws {
    let plan = try plan(entities)
    #expect(plan.nodes.map(\.entity.name) == ["User", "Note", "Place"])
    #expect(plan.nodes[1].relationships[0].node == plan.root)
    #expect(plan.nodes.map(\.identity) == [[0], [0], []])
  }

  @Test func columnsDefaultsAndRequiredSlotsComeFromTheModel() throws {
    let plan = try plan(entities)
    let user = plan.rootNode
    #expect(user.columns.attributes == [0, 1])
    #expect(user.required == [0])
    #expect(user.columns.defaults.map(\.slot) == [1])
    #expect(plan.nodes[1].columns.toOne == [1])
    #expect(plan.nodes[1].columns.requiredToOne == [1])
    #expect(user.policy == .conventional)
  }

  @Test func settingsThatAreHardlyMeantAreRemarked() throws {
    let plan = try plan(entities)
    #expect(plan.remarks.map(\.property) == ["places"])
    #expect(plan.remarks.map(\.kind) == [.missingPrimaryKey])
    #expect(plan.remarks[0].message.contains("sync.isPrimaryKey"))
  }

  @Test func equalMappingsHaveEqualFingerprintsOthersDoNot() throws {
    let first = try plan([.attribute("a", .string)])
    #expect(try plan([.attribute("a", .string)]).key == first.key)
    #expect(try plan([.attribute("a", .integer64)]).key != first.key)
    #expect(try plan([.attribute("a", .string, remoteKey: "b")]).key != first.key)
  }

  @Test func eachOfFortyKeysIsFoundAndNothingElse() throws {
    let names = (0..<40).map { "property\($0)" }
    let members = try plan(names.map { .attribute($0, .string) }).rootNode.members
    for name in names {
      let found = members.find(name)
      try #require(found >= 0)
      #expect(members.entries[found].key == name)
    }
    #expect(members.find("property40") == -1)
  }

  @Test func theDescriptionSaysWhichKeyFillsWhichProperty() throws {
    let model = try ManagedObjectModel(entities)
    let description = MappingDescription(
      of: try model.requireEntity(named: "User"), transformers: TransformerRegistry())
    #expect(
      description.entities[0].description == """
        User
          id     → id     Integer 64, primary key, required
          name   → name   String
          notes  → notes  list of Note, identifiers under notes_ids, notesIDs, notesIds, note_ids, noteIDs, noteIds
        """)
    #expect(description.entities[0].fields.map(\.key) == ["id", "name", "notes"])
    #expect(description.entities[0].fields[2].referenceKeys.contains("notes_ids"))
    #expect(description.entities[2].description.hasPrefix("Place (no primary key)"))
    let all = MappingDescription(of: model, transformers: TransformerRegistry())
    #expect(all.entities.map(\.name) == ["User", "Note", "Place", "Island"])
    #expect(all.remarks.count == 1)
  }
}
