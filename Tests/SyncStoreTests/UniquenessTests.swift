import SyncStore
import TestSupport
import Testing

/// Uniqueness constraints hold when a transaction commits, not at each step inside it.
@Suite struct UniquenessTests {
  private let temporary: TemporaryStore
  private var store: Store { temporary.store }

  init() throws {
    temporary = try TemporaryStore(
      ManagedObjectModel([
        EntityDraft("User", ["id", "name", "city"], uniquenessConstraints: [["name", "city"]]),
        EntityDraft("Admin", superentity: "User", uniquenessConstraints: [["id"]]),
      ]))
    try temporary.store.write {
      try $0.insert(
        "User", [["id": 1, "name": "a", "city": "x"], ["id": 1, "name": "b", "city": "x"]])
    }
  }

  @Test func swappingTwoValuesIsLegal() throws {
    try store.write {
      try $0.update("User", 1, ["name": "b"])
      try $0.update("User", 2, ["name": "a"])
    }
  }

  @Test func theValueOfADeletedObjectIsFree() throws {
    try store.write {
      try $0.insert("User", [["id": 3, "name": "a", "city": "x"]])
      try $0.delete("User", [1])
    }
  }

  @Test func aRepeatedValueNamesTheObjectsAndChangesNothing() throws {
    let before = try store.read { try $0.dump() }
    let error = #expect(throws: StoreError.self) {
      try store.write { try $0.insert("Admin", [["id": 3, "name": "a", "city": "x"]]) }
    }
    #expect(error?.code == .notUnique && error?.keys == [1, 3])
    #expect(error?.message.hasPrefix("User 1 and Admin 3 both have name “a” and city “x”") == true)
    #expect(try store.read { try $0.dump() } == before)
  }

  @Test func absentValuesNeverConflict() throws {
    try store.write { try $0.insert("User", [["name": "n"], ["name": "n"]]) }
  }

  @Test func aConstraintHoldsForItsEntityOnly() throws {
    try store.write { try $0.insert("Admin", [["id": 1]]) }
    #expect(throws: StoreError.self) { try store.write { try $0.insert("Admin", [["id": 1]]) } }
  }
}
