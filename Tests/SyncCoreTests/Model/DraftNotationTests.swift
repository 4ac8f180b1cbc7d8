import SyncCore
import TestSupport
import Testing

/// Models in a line for each entity say what drafts in code say.
@Suite struct DraftNotationTests {
  static let properties: [(PropertyDraft, PropertyDraft)] = [
    ("id", .attribute("id", .integer64)),
    ("id string key", .attribute("id", .string, isPrimaryKey: true)),
    ("name", .attribute("name", .string)),
    (
      "born date required transient from meta.born was birth",
      .attribute(
        "born", .date, isOptional: false, remoteKey: "meta.born", isTransient: true,
        renamingIdentifier: "birth")
    ),
    (
      "photo binary cloud.asset=eager",
      .attribute("photo", .binary, userInfo: ["cloud.asset": "eager"])
    ),
    ("boss -> User.team", .toOne("boss", to: "User", inverse: "team")),
    (
      "boss -> User deny required from b was chief",
      .toOne(
        "boss", to: "User", deleteRule: .deny, isOptional: false, remoteKey: "b",
        renamingIdentifier: "chief")
    ),
    ("boss -> User sync.stub=YES", .toOne("boss", to: "User", userInfo: ["sync.stub": "YES"])),
    (
      "team ->> User.boss ordered cascade required from t was crew",
      .toMany(
        "team", to: "User", inverse: "boss", isOrdered: true, deleteRule: .cascade,
        isOptional: false, remoteKey: "t", renamingIdentifier: "crew")
    ),
  ]

  @Test(arguments: properties.indices)
  func aPropertyInWordsIsTheOneInCode(_ index: Int) {
    let (words, code) = Self.properties[index]
    #expect("\(words)" == "\(code)")
  }

  static let entities: [(EntityDraft, EntityDraft)] = [
    ("Empty:", EntityDraft("Empty", [])),
    ("User: id, name", EntityDraft("User", [.attribute("id", .integer64), "name"])),
    (
      "abstract Car < Vehicle was Auto cloud.scope=none: doors integer16",
      EntityDraft(
        "Car", [.attribute("doors", .integer16)], superentity: "Vehicle", isAbstract: true,
        userInfo: ["cloud.scope": "none"], renamingIdentifier: "Auto")
    ),
  ]

  @Test(arguments: entities.indices)
  func anEntityInWordsIsTheOneInCode(_ index: Int) {
    let (words, code) = Self.entities[index]
    #expect("\(words)" == "\(code)")
  }
}
