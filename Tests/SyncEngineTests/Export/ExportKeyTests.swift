import SyncStack
import TestSupport
import Testing

@Suite struct ExportKeyTests {
  private func keys(
    _ properties: [PropertyDraft], in entity: String = "User",
    _ options: ExportOptions = ExportOptions()
  ) throws -> [String] {
    let bench = try ExportBench(entity, properties)
    return try bench.exportNew([:], entity, options).objectValue?.keys ?? []
  }

  private let custom = ["sync.remoteKey": "age_of_person"]

  @Test(arguments: [
    ("User", "createdAt", "created_at", "createdAt"), ("User", "id", "id", "id"),
    ("User", "remoteID", "id", "id"), ("User", "plannedToIDs", "planned_to_ids", "plannedToIDs"),
    ("User", "contractID", "contract_id", "contractID"), ("User", "userType", "type", "type"),
    ("User", "userDescription", "description", "description"),
    ("User", "userSigned", "signed", "signed"),
    ("OrderedUser", "orderedUserType", "type", "type"),
    ("InflectionUser", "inflectionUserDescription", "description", "description"),
    ("TwoLetterEntity", "twoLetterEntityDescription", "description", "description"),
    // Only the prefix goes, not every occurrence of it.
    ("User", "userUserType", "user_user_type", "userUserType"),
    ("User", "description", "description", "description"),
    ("User", "destroy", "destroy", "destroy"),
  ])
  func namesBecomeKeys(entity: String, name: String, snake: String, camel: String) throws {
    #expect(try keys([.attribute(name, .string)], in: entity) == [snake])
    #expect(try keys([.attribute(name, .string)], in: entity, .camelCase) == [camel])
  }

  @Test func theReservedPrefixOfASuperentityCounts() throws {
    let bench = try ExportBench(entities: [
      "Car: carType",
      "Racecar < Car",
    ])
    #expect(try bench.exportNew([:], "Racecar").objectValue?.keys == ["type"])
  }

  @Test(arguments: [ExportOptions(), .camelCase])
  func customKeysAreUsedAsTheyAre(options: ExportOptions) throws {
    let age = PropertyDraft.attribute("age", .integer16, userInfo: custom)
    #expect(try keys([age], options) == ["age_of_person"])
    let reserved = PropertyDraft.attribute(
      "kind", .string, userInfo: ["hyper.remoteKey": "userType"])
    #expect(try keys([reserved], options) == ["userType"])
  }

  @Test func destroyHasItsOwnKeyInTheNestedForm() throws {
    #expect(
      try keys([.attribute("destroy", .boolean)], ExportOptions(relationshipType: .nested))
        == ["_destroy"])
  }

  @Test func twoPropertiesNeverShareAKeyThatFillsOneOfThem() throws {
    // `type` is the key of the attribute of that name, so the other one keeps its own.
    let bench = try ExportBench([
      .attribute("id", .integer64), .attribute("type", .string), .attribute("userType", .string),
      .attribute("rawSigned", .string, userInfo: ["sync.remoteKey": "signed"]),
      .attribute("signed", .string),
    ])
    try bench.sync(#"{"id": 1, "type": "a", "user_type": "b", "signed": "c"}"#)
    let exported = try bench.first()
    #expect(exported["type"] == "a")
    #expect(exported["user_type"] == "b")
    #expect(exported["signed"] == "c")
    #expect(try bench.sync(.json(exported), "User").isUnchanged)
  }

  @Test(arguments: ["sync.nonExportable", "hyper.nonExportable"])
  func whatIsNotExportableIsLeftOutWhateverTheValue(annotation: String) throws {
    let secret = PropertyDraft.attribute("secret", .string, userInfo: [annotation: "false"])
    #expect(try keys([.attribute("id", .integer64), secret]) == ["id"])
  }
}
