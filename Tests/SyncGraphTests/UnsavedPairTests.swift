import Observation
import SyncGraph
import SyncStore
import TestSupport
import Testing

/// An unsaved pair of a many-to-many relationship is one fact of its context, whichever of its
/// sides is read while others store the same pair and remove it again.
@Suite struct UnsavedPairTests {
  /// The fate of the unsaved pair.
  enum Fate: CaseIterable { case saved, rolledBack, refreshed, takenBack, deleted }

  /// A relationship of users, and the sides that are read after the first commit of others.
  struct Case: CustomTestStringConvertible {
    let name: String
    let isGrandchild: Bool
    let isAdded: Bool
    let readsOwner: Bool
    let readsMember: Bool

    var testDescription: String {
      """
      \(name), \(isAdded ? "added" : "removed") in \(isGrandchild ? "a grandchild" : "a root"), \
      \(readsOwner ? "owner" : "no owner") and \(readsMember ? "member" : "no member") read
      """
    }

    static let all: [Case] = ["tags", "albums", "friends"].flatMap { name in
      (0..<16).map { bits in
        Case(
          name: name, isGrandchild: bits & 1 != 0, isAdded: bits & 2 != 0,
          readsOwner: bits & 4 != 0, readsMember: bits & 8 != 0)
      }
    }
  }

  private let stack: DataStack
  private let contexts: [ManagedObjectContext]
  private let other: ManagedObjectContext

  init() throws {
    stack = try DataStack(
      model: ManagedObjectModel([
        EntityDraft(
          "User",
          [
            "id", "tags ->> Tag.users", "albums ->> Album.users ordered",
            "friends ->> User.friends",
          ]),
        EntityDraft("Tag", ["id", "users ->> User.tags"]),
        EntityDraft("Album", ["id", "users ->> User.albums ordered"]),
      ]),
      store: .inMemory)
    let root = stack.newBackgroundContext()
    let child = root.newChildContext(.privateQueue)
    contexts = [root, child, child.newChildContext(.privateQueue)]
    let other = stack.newBackgroundContext()
    self.other = other
    try other.edit {
      for entity in ["User", "Tag", "Album"] {
        for id in 1...3 as ClosedRange<Int64> {
          try other.insert(entityNamed: entity)["id"] = id
        }
      }
    }
  }

  /// The first user, and the second object of a relationship, with the name of its way back.
  private static func pair(
    _ name: String, _ context: ManagedObjectContext
  ) throws -> (owner: ManagedObject, member: ManagedObject, inverse: String) {
    let entity = ["tags": "Tag", "albums": "Album"][name] ?? "User"
    return (
      try context.get("User", 1), try context.get(entity, 2),
      name == "friends" ? name : "users"
    )
  }

  private static func set(
    _ name: String, _ isMember: Bool, in context: ManagedObjectContext
  ) throws {
    let (owner, member, _) = try pair(name, context)
    var members = RelationshipSides.targets(owner, name).filter { $0 !== member }
    if isMember { members.append(member) }
    owner[name] = members
  }

  @Test(arguments: Case.all, Fate.allCases)
  func aPairIsOnBothSidesOrOnNone(_ test: Case, _ fate: Fate) throws {
    let other = other
    let context = test.isGrandchild ? contexts[2] : contexts[0]
    func commit(_ isMember: Bool) throws {
      try other.edit { try Self.set(test.name, isMember, in: other) }
    }
    try commit(!test.isAdded)
    try context.performAndWait { try Self.set(test.name, test.isAdded, in: context) }
    try commit(test.isAdded)
    try context.performAndWait {
      let (owner, member, inverse) = try Self.pair(test.name, context)
      if test.readsOwner { _ = owner[test.name] }
      if test.readsMember { _ = member[inverse] }
      if fate == .takenBack { try Self.set(test.name, !test.isAdded, in: context) }
      if fate == .deleted { context.delete(member) }
    }
    try commit(!test.isAdded)
    try context.performAndWait {
      try RelationshipSides.check(context)
      switch fate {
      case .saved, .takenBack: context.refreshAllObjects()
      case .rolledBack, .deleted: context.rollback()
      case .refreshed:
        context.refresh(try Self.pair(test.name, context).member, mergeChanges: false)
      }
      try RelationshipSides.check(context)
    }
    for context in contexts.reversed() {
      try context.performAndWait {
        try context.save()
        try RelationshipSides.check(context)
        #expect(!context.hasChanges)
      }
    }
    let stored = try other.performAndWait {
      RelationshipSides.targets(try Self.pair(test.name, other).owner, test.name).map(\.objectID)
    }
    for context in contexts {
      try context.performAndWait {
        let owner = try Self.pair(test.name, context).owner
        #expect(RelationshipSides.targets(owner, test.name).map(\.objectID) == stored)
      }
    }
    if fate != .saved { #expect(stored.isEmpty == test.isAdded) }
    #expect(try stack.store.read { try $0.checkConsistency() }.isEmpty)
  }

  /// The child passes the letter on that it is merging, while its parent saves the object that the
  /// letter names.
  @Test @MainActor func aPairReachesAGrandchildWhileItsOwnerGetsItsPermanentIdentifier() throws {
    let root = contexts[0]
    let child = root.newChildContext(.mainQueue)
    let grandchild = child.newChildContext(.privateQueue)
    try root.performAndWait { try root.insert(entityNamed: "User")["id"] = 9 as Int64 }
    try child.performAndWait {
      let owner = try child.get("User", 9)
      // Its row is read again in the midst of the merge.
      owner["id"] = 8 as Int64
      withObservationTracking {
        _ = owner["friends"]
      } onChange: {
        _ = root.performAndWait { Result { try root.save() } }
      }
    }
    let held = try grandchild.performAndWait {
      let owner = try grandchild.get("User", 8)
      _ = owner["friends"]
      return Held(objects: [owner])
    }
    try root.performAndWait {
      let owner = try root.get("User", 9)
      owner["id"] = 7 as Int64
      owner["friends"] = [try root.get("User", 1)]
    }
    try child.performAndWait { try RelationshipSides.check(child) }
    try grandchild.performAndWait {
      let owner = held.objects[0]
      #expect(!owner.objectID.isTemporary)
      #expect(try (owner["friends"] as? Set<ManagedObject>) == [grandchild.get("User", 1)])
      try RelationshipSides.check(grandchild)
    }
  }
}
