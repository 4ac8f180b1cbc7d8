import Foundation
import SyncGraph
import SyncStore
import TestSupport
import Testing

@Suite struct ChildContextObservingTests {
  /// The changes that were told, in short.
  private final class Log {
    var lines: [String] = []
    func take() -> [String] {
      defer { lines = [] }
      return lines
    }
  }

  private func short(_ change: LiveResultsChange) -> String {
    let difference = change.difference
    return "-\(difference.deletions) +\(difference.insertions) ~\(difference.updates.map(\.to))"
  }

  @Test(arguments: [Kinship.sameQueue, .mainQueue, .ownQueues, .grandchild])
  func liveResultsOfAChildFollowTheParent(kinship: Kinship) throws {
    let scene = try ChildScene(kinship)
    let log = Log()
    let results = try scene.inChild { child in
      let results = try LiveResults(Fetch<User>("age >= 10").sorted(by: "age"), in: child)
      results.onChange = { log.lines.append(short($0)) }
      #expect(results.objects.map(\.id) == [1, 2, 4])
      return results
    }
    try scene.inParent { parent in
      try parent.user(1).name = "Anna"
      try parent.user(2).age = 5
      parent.insertUser(5, age: 15)
    }
    scene.inChild { child in
      child.performAndWait {}
      #expect(results.objects.map(\.id) == [1, 5, 4])
      #expect(log.take() == ["-[1] +[1] ~[0]"])
    }
    scene.inParent { $0.rollback() }
    scene.inChild { child in
      child.performAndWait {}
      #expect(results.objects.map(\.id) == [2, 3])
      _ = log.take()
    }
    try scene.saveParents()
    scene.inChild { _ in #expect(log.take().isEmpty) }
  }

  /// An object with a reference to a deleted one is as before, and no change of it is told: it
  /// looks at an object of its own entity that is not there any more.
  @Test(arguments: [DeleteRule.deny, .noAction, nil], [true, false])
  func liveResultsMissNoDeletionThatIsToldOfByNothingElse(
    rule: DeleteRule?, isUnsaved: Bool
  ) throws {
    let staff = rule.map {
      PropertyDraft.toMany("staff", to: "Node", inverse: "boss", deleteRule: $0)
    }
    let node = EntityDraft(
      "Node",
      [
        .attribute("id", .integer64),
        .toOne("boss", to: "Node", inverse: rule.map { _ in "staff" }),
      ]
        + [staff].compactMap { $0 })
    let stack = try DataStack(model: ManagedObjectModel([node]), store: .inMemory)
    let parent = stack.newBackgroundContext()
    let child = parent.newChildContext(.privateQueue)
    try parent.performAndWait {
      let nodes = try (0...1).map { _ in try parent.insert(entityNamed: "Node") }
      for (index, node) in nodes.enumerated() { node["id"] = index }
      nodes[1]["boss"] = nodes[0]
      try parent.save()
      parent.reset()
    }
    let request = Fetch<ManagedObject>(entityNamed: "Node", "boss.id == 0")
    let results = try child.performAndWait { try LiveResults(request, in: child) }
    child.performAndWait { #expect(results.objects.count == 1) }
    let other = isUnsaved ? parent : stack.newBackgroundContext()
    try other.performAndWait {
      try other.fetch(Fetch<ManagedObject>(entityNamed: "Node", "id == 0")).forEach(other.delete)
      // The rule denies to save it.
      if !isUnsaved, rule != .deny { try other.save() }
    }
    try child.performAndWait { () throws -> Void in
      #expect(try results.objects == child.fetch(request))
      #expect(results.objects.isEmpty == (isUnsaved || rule != .deny))
    }
  }

  /// A child with an edit of a user that another context has deleted meanwhile.
  private func withLostUser(
    _ body: (_ child: ManagedObjectContext, _ results: LiveResults<User>) throws -> Void
  ) throws {
    let stack = try DataStack.social()
    let (other, parent) = (stack.newBackgroundContext(), stack.newBackgroundContext())
    try other.edit { other.insert(User.self).id = 1 }
    let child = parent.newChildContext()
    try parent.performAndWait { () throws -> Void in
      let results = try LiveResults(Fetch<User>("age < 10"), in: child)
      try child.user(1).age = 5
      child.processPendingChanges()
      let token = NotificationCenter.default.addObserver(
        forName: .managedObjectContextObjectsDidChange, object: child, queue: nil
      ) { _ = $0.deletedObjects }
      defer { NotificationCenter.default.removeObserver(token) }
      try other.edit { other.delete(try other.user(1)) }
      parent.processPendingChanges()
      child.processPendingChanges()
      try body(child, results)
    }
  }

  @Test func liveResultsForgetWhatASaveGaveUp() throws {
    try withLostUser { (child, results) throws -> Void in
      child.mergePolicy = .storeWins
      #expect(try child.save().overruled.map(\.objectID.description) == ["User/1"])
      child.processPendingChanges()
      #expect(results.objects.isEmpty)
    }
  }

  @Test func aRefusedSaveKeepsEditsOfTheDeleted() throws {
    try withLostUser { (child, _) throws -> Void in
      #expect(throws: GraphError.self) { try child.save() }
      #expect(try child.user(1).age == 5)
    }
  }

  @Test func liveResultsOfTheParentFollowSavesOfAChild() throws {
    let scene = try ChildScene(.sameQueue)
    try scene.inChild { child in
      let log = Log()
      let results = try LiveResults(Fetch<User>("age >= 10").sorted(by: "age"), in: scene.parent)
      results.onChange = { log.lines.append(short($0)) }
      try child.user(1).age = 100
      child.performAndWait {}
      #expect(log.lines.isEmpty)
      try child.save()
      scene.parent.processPendingChanges()
      #expect(results.objects.map(\.id) == [2, 4, 1])
      #expect(log.take() == ["-[] +[] ~[2]"])
    }
  }

  @Test func anObservationInAChildRunsNoStatementForWhatItDoesNotWatch() throws {
    let scene = try ChildScene(.ownQueues)
    let results = try scene.inChild { child in
      try LiveResults(Fetch<User>("age >= 10").sorted(by: "age"), in: child)
    }
    let held = try scene.inParent { Held(objects: [try $0.user(1)]) }
    let before = try scene.stack.store.recorder.executed
    scene.inParent { _ in (held.objects[0] as? User)?.email = "x" }
    scene.inChild { _ in #expect(results.objects.count == 3) }
    #expect(try scene.stack.store.recorder.executed == before)
  }

  @Test func notificationsSayWhoChangedWhat() throws {
    let scene = try ChildScene(.sameQueue)
    let log = Locked<[String]>([])
    let names: [Notification.Name] = [
      .managedObjectContextObjectsDidChange, .managedObjectContextDidSave,
    ]
    let observations = [("parent", scene.parent), ("child", scene.child)].flatMap { who, context in
      names.map { name in
        NotificationTests.Observation(name, context) { note in
          let line = Self.line(note, who)
          log.withLock { $0.append(line) }
        }
      }
    }
    try scene.inChild { child in
      child.performAndWait {}
      scene.parent.processPendingChanges()
      log.withLock { $0 = [] }
      try child.user(1).name = "Anna"
      let eve = child.insertUser(5)
      try child.save()
      #expect(
        log.withLock { $0 } == [
          "child changed +[5] ~[1] -0", "child saved +[5] ~[1] -0",
          "parent changed +[5] ~[1] -0",
        ])
      log.withLock { $0 = [] }
      try scene.parent.user(2).name = "Bobby"
      scene.parent.delete(try scene.parent.user(5))
      scene.parent.processPendingChanges()
      _ = try child.count(Fetch<Note>())
      #expect(
        log.withLock { $0 } == [
          "parent changed +[] ~[2] -1", "child changed +[] ~[2] -1",
        ])
      withExtendedLifetime((observations, eve)) {}
    }
  }

  /// A notification by the numbers of its users. Nothing of it is committed.
  private static func line(_ note: Notification, _ who: String) -> String {
    func ids(_ objects: Set<ManagedObject>) -> [Int64] {
      objects.compactMap { $0["id"] as? Int64 }.sorted()
    }
    let verb = note.name == .managedObjectContextDidSave ? "saved" : "changed"
    #expect(note.changeSet.isEmpty)
    return "\(who) \(verb) +\(ids(note.insertedObjects)) ~\(ids(note.updatedObjects)) "
      + "-\(note.deletedObjects.count)"
  }
}
