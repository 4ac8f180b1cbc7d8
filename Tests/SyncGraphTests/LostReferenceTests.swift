import SyncGraph
import SyncStore
import TestSupport
import Testing

/// References to an object that another context deletes between the last merge and the save. No
/// reference is ever stored to a row that is not there.
@Suite struct LostReferenceTests {
  private let stack: DataStack
  private let early: ManagedObjectContext
  private let late: ManagedObjectContext

  init() throws {
    stack = try DataStack(model: TestModels.relationships(), store: .inMemory)
    early = stack.newBackgroundContext()
    late = stack.newNonMergingBackgroundContext()
  }

  enum Way: String, CaseIterable {
    case toOne = "other"
    case partner, owner
    case oneWayList = "others"
    case items, links, linked

    /// Whether the relationship belongs to B.
    var isTurned: Bool { self == .owner || self == .linked }

    func set(_ object: ManagedObject, _ other: ManagedObject) {
      let (source, target) = isTurned ? (other, object) : (object, other)
      switch source.entity.property(named: rawValue)?.relationship {
      case let relationship? where !relationship.isToMany: source[rawValue] = target
      case let relationship? where relationship.isOrdered: source[rawValue] = [target]
      default: source[rawValue] = Set([target])
      }
    }

    func isEmpty(_ source: ManagedObject) -> Bool {
      switch source[rawValue] {
      case nil: true
      case let list as [ManagedObject]: list.isEmpty
      case let set as Set<ManagedObject>: set.isEmpty
      default: false
      }
    }
  }

  /// Hands over an A and a B as the late context has read them, one of which is deleted in the
  /// store.
  private func scene(
    deleting name: String, then body: (_ a: ManagedObject, _ b: ManagedObject) throws -> Void
  ) throws {
    let ids = try early.performAndWait {
      let a = try early.make("A", ["id": 1])
      let b = try early.insert(entityNamed: "B")
      b["id"] = "b"
      try early.save()
      return [a.objectID, b.objectID]
    }
    try late.performAndWait {
      let a = try late.existingObject(with: ids[0])
      let b = try late.existingObject(with: ids[1])
      try early.edit { early.delete(early.object(with: name == "A" ? ids[0] : ids[1])) }
      try body(a, b)
    }
  }

  /// The number of a relationship's references in the store, dangling or not.
  private func stored(_ way: Way) throws -> Int {
    try stack.store.read { reader in
      let entity = try stack.model.requireEntity(named: way.isTurned ? "B" : "A")
      guard let relationship = entity.property(named: way.rawValue)?.relationship else { return -1 }
      if !relationship.isToMany {
        var count = 0
        try reader.scan(entity, .all) { if $0.integer(relationship.slot) != nil { count += 1 } }
        return count
      }
      let owners = [Int64](1...4)
      if relationship.kind == .oneToMany {
        return try reader.members(of: relationship, in: entity, owners: owners).count
      }
      var count = 0
      try reader.scanLinks(of: relationship, in: entity, owners: owners[...]) { _, _ in count += 1 }
      return count
    }
  }

  @Test(arguments: Way.allCases, MergePolicy.allCases)
  func theObjectAtTheOtherEndIsGone(way: Way, policy: MergePolicy) throws {
    late.mergePolicy = policy
    try scene(deleting: way.isTurned ? "A" : "B") { a, b in
      let (stays, gone) = way.isTurned ? (b, a) : (a, b)
      way.set(a, b)
      stays["id"] = way.isTurned ? "edited" : 2
      try saved(stays, gone, way, policy)
      #expect(try stored(way) == 0)
    }
  }

  @Test(arguments: Way.allCases, MergePolicy.allCases)
  func theOwnerIsGone(way: Way, policy: MergePolicy) throws {
    late.mergePolicy = policy
    try scene(deleting: way.isTurned ? "B" : "A") { a, b in
      way.set(a, b)
      if policy == .storeWins || policy == .storeWinsPerProperty {
        try late.save()
        #expect(!late.hasChanges)
      } else {
        let error = #expect(throws: GraphError.self) { try late.save() }
        let lost = (way.isTurned ? b : a).objectID
        #expect(error?.code == .conflict)
        #expect(error?.conflicts.contains { $0.objectID == lost && $0.stored == nil } == true)
      }
      #expect(try stored(way) == 0)
    }
  }

  @Test(arguments: MergePolicy.allCases)
  func newObjectsLeadToNothingThatIsGone(policy: MergePolicy) throws {
    late.mergePolicy = policy
    try scene(deleting: "B") { _, b in
      let new = try late.make("A", ["id": 2, "other": b, "others": Set([b]), "items": [b]])
      try saved(new, b, .toOne, policy)
      #expect(try stored(.toOne) == 0 && stored(.oneWayList) == 0 && stored(.items) == 0)
    }
  }

  /// Saves, and checks the outcome of the policy.
  private func saved(
    _ owner: ManagedObject, _ gone: ManagedObject, _ way: Way, _ policy: MergePolicy
  ) throws {
    if policy == .storeWins || policy == .storeWinsPerProperty {
      try late.save()
      #expect(!late.hasChanges && way.isEmpty(owner) && gone.isDeleted)
      let id = owner.objectID
      let number = try early.performAndWait { () throws -> String in
        let stored = try early.existingObject(with: id)
        #expect(way.isEmpty(stored))
        return "\(stored["id"] ?? "")"
      }
      #expect(number == "\(owner["id"] ?? "nothing")")
      return
    }
    let error = try #require(throws: GraphError.self) { try late.save() }
    #expect(error.code == .conflict && error.objects.contains(gone.objectID))
    // The column is in the row of the member, which is an edited object that is gone.
    if way == .items {
      let conflict = try #require(error.conflicts.first { $0.objectID == gone.objectID })
      #expect(conflict.edited["owner"] != nil)
    } else {
      #expect(error.entity == owner.entity.name && error.objects.contains(owner.objectID))
    }
    #expect(error.conflicts.contains { $0.objectID == gone.objectID && $0.stored == nil })
    #expect(error.message.contains("\(gone.objectID)") && error.message.contains("policy"))
    #expect(late.hasChanges && !way.isEmpty(owner))
    late.rollback()
    try late.save()
  }

  @Test func aMergingContextEmptiesTheReferenceWhenTheSaveIsTriedAgain() throws {
    let stack = try DataStack(model: ManagedObjectModel(Goal.self, Runner.self), store: .inMemory)
    let context = stack.newBackgroundContext()
    let other = stack.newBackgroundContext()
    try context.performAndWait {
      let goal = context.insert(Goal.self)
      try context.save()
      let target = goal.objectID
      let runner = context.insert(Runner.self)
      runner.goal = goal
      // Runs after the merge that begins the save, before the rows are written.
      runner.atWillSave = {
        runner.atWillSave = nil
        #expect(throws: Never.self) {
          try other.edit { other.delete(other.object(with: target)) }
        }
      }
      let error = #expect(throws: GraphError.self) { try context.save() }
      #expect(error?.code == .conflict && error?.objects.contains(target) == true)
      context.processPendingChanges()
      try context.save()
      #expect(runner.goal == nil && !context.hasChanges && goal.isDeleted)
    }
  }

  @Test func whatMustLeadSomewhereIsRefused() throws {
    let model = try ManagedObjectModel(["Owner: id", "Part: owner -> Owner required"])
    let stack = try DataStack(model: model, store: .inMemory)
    let (early, late) = (stack.newBackgroundContext(), stack.newNonMergingBackgroundContext())
    late.mergePolicy = .storeWins
    let id = try early.stored { try early.insert(entityNamed: "Owner") }
    try late.performAndWait {
      let part = try late.make("Part", ["owner": try late.existingObject(with: id)])
      try early.edit { early.delete(early.object(with: id)) }
      let error = #expect(throws: GraphError.self) { try late.save() }
      #expect(error?.code == .validation && error?.failures.first?.rule == .required)
      #expect(part.isInserted)
    }
  }

  @Test func valuesThatTheWholeRowBringsBackDoNotLeadToLostObjects() throws {
    late.mergePolicy = .objectWins
    let ids = try early.performAndWait {
      let a = try early.insert(entityNamed: "A")
      a["other"] = try early.insert(entityNamed: "B")
      try early.save()
      return [a.objectID, (a["other"] as? ManagedObject)?.objectID].compactMap { $0 }
    }
    try late.performAndWait {
      let a = try late.existingObject(with: ids[0])
      #expect(a["other"] != nil)
      try early.edit { early.delete(early.object(with: ids[1])) }
      a["id"] = 7
      try late.save()
      #expect(a["id"] as? Int64 == 7 && a["other"] == nil)
    }
    #expect(try stored(.toOne) == 0)
  }

  @Test func anIdentifierOfNothingIsNoDestination() throws {
    try scene(deleting: "B") { a, b in
      let id = b.objectID
      late.reset()
      let again = try late.existingObject(with: a.objectID)
      again["other"] = late.object(with: id)
      #expect(throws: GraphError.self) { try late.save() }
    }
    #expect(try stored(.toOne) == 0)
  }

  @Test func destinationsAreLookedUpInOneStatementAndOnlyWhenSomethingLeadsToThem() throws {
    try late.performAndWait {
      let targets = try (0..<700).map { _ in try late.insert(entityNamed: "B") }
      let owners = try targets.map { _ in try late.insert(entityNamed: "A") }
      try late.save()
      func selects() throws -> Int {
        try stack.store.recorder.record { try late.save() }.filter { $0.hasPrefix("SELECT") }.count
      }
      for (number, owner) in owners.enumerated() { owner["id"] = number }
      let plain = try selects()
      for (owner, target) in zip(owners, targets) { owner["other"] = target }
      #expect(try selects() - plain <= 2)
      owners[0]["other"] = targets[1]
      #expect(try selects() - plain <= 1)
    }
  }
}

private final class Goal: ManagedObject {}

private final class Runner: ManagedObject {
  @ToOne var goal: Goal?

  /// Something to do in the middle of a save.
  var atWillSave: (() -> Void)?

  override func willSave() { atWillSave?() }
}
