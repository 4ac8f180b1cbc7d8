import SyncStack
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct ChildContextSyncTests {
  private let stack: DataStack
  private let parent: ManagedObjectContext
  private let child: ManagedObjectContext

  init() throws {
    stack = try DataStack.social()
    parent = stack.newBackgroundContext()
    child = parent.newChildContext(.privateQueue)
  }

  private func names(_ context: ManagedObjectContext) throws -> [String] {
    try context.performAndWait {
      try context.fetch(Fetch<ManagedObject>(entityNamed: "User").sorted(by: "id"))
        .map { $0["name"] as? String ?? "" }
    }
  }

  @Test func aSyncWritesToTheStoreAndEverybodyMergesIt() throws {
    try parent.performAndWait {
      try parent.sync([["id": 1, "name": "Ann"]] as JSONValue, inEntityNamed: "User")
      let user = try #require(try parent.fetch(1, inEntityNamed: "User"))
      user["name"] = "edited"
    }
    try child.performAndWait { () throws in
      let items: JSONValue = [["id": 1, "name": "Anna"], ["id": 2, "name": "Bob"]]
      #expect(try child.sync(items, inEntityNamed: "User").inserted == 1)
      #expect(try names(child) == ["edited", "Bob"])
    }
    #expect(try names(parent) == ["edited", "Bob"])
    #expect(try names(stack.newBackgroundContext()) == ["Anna", "Bob"])
  }

  @Test func objectsAreNotStoredThroughAChild() throws {
    try child.performAndWait { () throws in
      let item: JSONValue = ["id": 1, "name": "Ann"]
      try #expect(
        #require(throws: SyncError.self) {
          try child.insertOrUpdate(item, inEntityNamed: "User")
        }.code == .invalidRequest)
      try parent.performAndWait { _ = try parent.insertOrUpdate(item, inEntityNamed: "User") }
      try child.delete(1, inEntityNamed: "User")
      #expect(try child.fetch(1, inEntityNamed: "User") == nil && !child.hasChanges)
    }
    #expect(parent.performAndWait { parent.deletedObjects.count } == 1)
    #expect(try names(stack.newBackgroundContext()) == ["Ann"])
  }
}
