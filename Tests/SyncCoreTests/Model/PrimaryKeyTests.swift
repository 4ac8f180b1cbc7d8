import SyncCore
import TestSupport
import Testing

@Suite struct PrimaryKeyTests {
  @Test(arguments: [
    (["id": [:], "remoteID": [:]], "id"),
    (["remoteID": [:], "name": [:]], "remoteID"),
    (["name": [:]], nil),
    (["id": [:], "code": ["sync.isPrimaryKey": "YES"]], "code"),
    (["id": [:], "code": ["sync.isPrimaryKey": "true"]], "code"),
    (["id": [:], "code": ["hyper.isPrimaryKey": "YES"]], "code"),
    (["id": [:], "code": ["sync.isPrimaryKey": "yes"]], "id"),
    (["id": [:], "code": ["sync.isPrimaryKey": "1"]], "id"),
    (["id": [:], "code": ["sync.isPrimaryKey": "NO", "hyper.isPrimaryKey": "YES"]], "id"),
  ])
  func anAnnotationBeatsTheNames(_ attributes: [String: [String: String]], _ key: String?) throws {
    let model = try ManagedObjectModel([
      EntityDraft(
        "A",
        attributes.sorted { $0.key > $1.key }.map {
          .attribute($0.key, .string, userInfo: $0.value)
        }
      )
    ])
    #expect(model.entity(named: "A")?.primaryKey?.name == key)
  }

  @Test func inheritedAttributesCountAndASubentityMayHaveTheKeyItsSuperentityLacks() throws {
    let model = try ManagedObjectModel([
      "Racecar < Car: id",
      "Car: name",
      EntityDraft("Cabriolet", superentity: "Racecar"),
    ])
    #expect(model.entity(named: "Car")?.primaryKey == nil)
    #expect(model.entity(named: "Racecar")?.primaryKey?.slot == 1)
    #expect(model.entity(named: "Cabriolet")?.primaryKey?.slot == 1)
  }

  @Test func aTransientAttributeIsNoKeyByItsName() throws {
    let model = try ManagedObjectModel(["A: id string transient, remoteID"])
    #expect(model.entity(named: "A")?.primaryKey?.name == "remoteID")
  }
}
