import SyncGraph
import SyncStore
import TestSupport
import Testing

@Suite struct LiveResultsTests {
  let stack: DataStack
  let context: ManagedObjectContext
  let other: ManagedObjectContext

  init() throws {
    stack = try .social()
    context = stack.newBackgroundContext()
    other = stack.newBackgroundContext()
    let other = other
    try other.edit {
      for name in ["Acme", "Bolt"] { other.insertCompany(name == "Acme" ? 1 : 2, name) }
      let companies = try other.fetch(Fetch<Company>())
      for number in 1...6 as ClosedRange<Int64> {
        let user = other.insertUser(number)
        user.name = "user \(number)"
        user.age = number * 10
        user.company = companies[number.isMultiple(of: 2) ? 1 : 0]
      }
    }
  }

  private func edit(
    in context: ManagedObjectContext, isSaving: Bool = true,
    _ body: (ManagedObjectContext) throws -> Void
  ) throws {
    try context.performAndWait { () throws -> Void in
      try body(context)
      if isSaving { try context.save() }
    }
  }

  private func user(_ id: Int64, in context: ManagedObjectContext) throws -> User {
    try #require(try context.fetch(Fetch<User>("id == %@", id)).first)
  }

  /// The changes that were told since the last call.
  private final class Log {
    var changes: [LiveResultsChange] = []
    func take() -> [LiveResultsChange] {
      defer { changes = [] }
      return changes
    }
  }

  @Test func commitsOfOthersAreTold() throws {
    try context.performAndWait { () throws -> Void in
      let log = Log()
      let results = try LiveResults(Fetch<User>("age >= 20").sorted(by: "-age"), in: context)
      results.onChange = { log.changes.append($0) }
      #expect(results.objects.map(\.id) == [6, 5, 4, 3, 2])

      try edit(in: other) { try user(2, in: $0).age = 100 }
      context.performAndWait {}
      context.processPendingChanges()
      _ = try context.count(Fetch<Company>())
      #expect(results.objects.map(\.id) == [2, 6, 5, 4, 3])
      let moved = try #require(log.take().first)
      #expect(moved.difference.moves == [.init(from: 4, to: 0)])
      #expect(moved.difference.updates == [.init(from: 4, to: 0)])

      try edit(in: other) {
        $0.delete(try user(5, in: $0))
        let user = $0.insert(User.self)
        user.id = 45
        user.age = 45
      }
      context.processPendingChanges()
      let changed = try #require(log.take().first)
      #expect(changed.difference.deletions == [2])
      #expect(changed.difference.insertions == [2])
      #expect(changed.identifiers == results.objects.map(\.objectID))
    }
  }

  @Test func unsavedChangesTakePart() throws {
    let log = Log()
    let results = try context.performAndWait {
      let results = try LiveResults(Fetch<User>("age >= 40").sorted(by: "age"), in: context)
      results.onChange = { log.changes.append($0) }
      return results
    }
    try edit(in: context, isSaving: false) {
      try user(1, in: $0).age = 50
      try user(5, in: $0).age = 1
      $0.delete(try user(6, in: $0))
      $0.insert(User.self).age = 70
    }
    try context.performAndWait { () throws -> Void in
      #expect(results.objects.map(\.age) == [40, 50, 70])
      let first = try #require(log.take().first)
      #expect(first.difference.deletions.count == 2 && first.difference.insertions.count == 2)
    }
    try edit(in: context, isSaving: false) { $0.rollback() }
    context.performAndWait {
      #expect(results.objects.map(\.id) == [4, 5, 6])
      #expect(log.take().count == 1)
    }
    try edit(in: context) { try user(1, in: $0).age = 41 }
    context.performAndWait {
      #expect(results.objects.map(\.id) == [4, 1, 5, 6])
      #expect(log.take().count == 1)
      context.reset()
      #expect(results.objects.map(\.id) == [4, 1, 5, 6])
      #expect(results.objects.allSatisfy { $0.managedObjectContext === context })
    }
  }

  @Test func aNewObjectOfTheFilterMayBeSaved() throws {
    let context = context
    try context.performAndWait {
      let company = context.insertCompany(3)
      context.insertUser(7).company = company
      let results = try LiveResults(
        Fetch<User>("company == %@", company).sorted(by: "id"), in: context)
      #expect(results.objects.map(\.id) == [7])
      try context.save()
      results.refetch()
      #expect(results.objects.map(\.id) == [7])
      context.insertUser(8).company = company
      context.processPendingChanges()
      #expect(results.objects.map(\.id) == [7, 8])
    }
  }

  /// The edits that the list was made of are unsaved no more, and not stored either.
  @Test(arguments: [MergePolicy.storeWins, .storeWinsPerProperty])
  func editsThatASaveGaveUpTakePartNoMore(policy: MergePolicy) throws {
    let context = context
    context.mergePolicy = policy
    let (young, acme) = try context.performAndWait {
      let young = try LiveResults(Fetch<User>("age < 15").sorted(by: "id"), in: context)
      let acme = try LiveResults(
        Fetch<User>("company.name == 'Acme'").sorted(by: "id"), in: context)
      let (first, second) = (try user(1, in: context), try user(2, in: context))
      (first.age, first.company) = (99, second.company)
      context.processPendingChanges()
      #expect(young.objects.isEmpty)
      #expect(acme.objects.map(\.id) == [3, 5])
      return (Unchecked(young), Unchecked(acme))
    }
    try edit(in: other) { context in
      let first = try user(1, in: context)
      (first.age, first.company) = (11, nil)
    }
    try context.performAndWait { () throws -> Void in
      #expect(try context.save().overruled.map { "\($0.objectID)" } == ["User/1"])
      #expect(young.value.objects.map { $0.age } == [11])
      #expect(acme.value.objects == (try context.fetch(acme.value.request)))
    }
  }

  /// A member that goes leaves its owner's row as it was.
  @Test func membersOfTheSameEntityThatAreDeletedCount() throws {
    let stack = try DataStack(
      model: ManagedObjectModel(["Node: id, parent -> Node.kids, kids ->> Node.parent"]),
      store: .inMemory)
    let (context, other) = (stack.newBackgroundContext(), stack.newBackgroundContext())
    try other.edit {
      let nodes = try (1...2).map { _ in try other.insert(entityNamed: "Node") }
      for (index, node) in nodes.enumerated() { node["id"] = index }
      nodes[1]["parent"] = nodes[0]
    }
    try context.performAndWait { () throws -> Void in
      let request = Fetch<ManagedObject>(entityNamed: "Node", "kids.@count > 0")
      let owners = try LiveResults(request, in: context)
      #expect(owners.objects.count == 1)
      try other.edit {
        try other.fetch(Fetch<ManagedObject>(entityNamed: "Node", "id == 1")).forEach(other.delete)
      }
      context.processPendingChanges()
      #expect(owners.objects.isEmpty)
    }
  }

  @Test func sectionsComeGoAndChange() throws {
    let log = Log()
    let results = try context.performAndWait {
      let results = try LiveResults(
        Fetch<User>().sorted(by: "id"), in: context, sectionedBy: "company.name")
      results.onChange = { log.changes.append($0) }
      #expect(results.sections.map(\.title) == ["Acme", "Bolt"])
      #expect(results.objects(inSection: 1).map(\.id) == [2, 4, 6])
      return results
    }
    try edit(in: other) {
      let user = try user(5, in: $0)
      user.company = try $0.fetch(Fetch<Company>("name == 'Bolt'")).first
    }
    try context.performAndWait { () throws -> Void in
      #expect(results.objects.map(\.id) == [1, 3, 2, 4, 5, 6])
      let change = try #require(log.take().first)
      let move = try #require(change.difference.moves.first)
      #expect(change.oldPosition(move.from) == .init(section: 0, item: 2))
      #expect(change.newPosition(move.to) == .init(section: 1, item: 2))
    }
    // Across the relationship: the section has another name, its objects moved there.
    try edit(in: other) { try $0.fetch(Fetch<Company>("name == 'Acme'")).first?.name = "Zenith" }
    try context.performAndWait { () throws -> Void in
      #expect(results.sections.map(\.title) == ["Bolt", "Zenith"])
      let change = try #require(log.take().first)
      #expect(change.sectionDeletions == [0] && change.sectionInsertions == [1])
    }
    // Same place in the list, other section.
    try edit(in: context, isSaving: false) { try user(1, in: $0).company = nil }
    try context.performAndWait { () throws -> Void in
      #expect(results.sections.map(\.title) == ["", "Bolt", "Zenith"])
      #expect(log.take().first?.sectionInsertions == [0])
      #expect(results.index(of: try user(3, in: context)) == 5)
    }
  }

  @Test func nothingIsAskedWhenNothingWatchedChanged() throws {
    let log = Log()
    let fetch = Fetch<User>("age >= 20 AND company.name != nil").sorted(by: "-age")
    let results = try context.performAndWait {
      let results = try LiveResults(fetch, in: context)
      results.onChange = { log.changes.append($0) }
      return results
    }
    func statements(_ body: @escaping (ManagedObjectContext) throws -> Void) throws -> Int {
      // Inside a block of the context, so that it merges the commit when it is told to, not before.
      try context.performAndWait {
        try edit(in: other, body)
        return try stack.store.recorder.record { context.processPendingChanges() }.count
      }
    }
    let run1 = try statements { $0.insert(Note.self).id = 1 }
    #expect(run1 == 0)
    #expect(log.take().isEmpty)
    let run2 = try statements { try user(3, in: $0).email = "not watched" }
    #expect(run2 == 0)
    let update = log.take()
    #expect(update.count == 1 && update.first?.difference.updates == [.init(from: 3, to: 3)])
    let run3 = try statements { $0.delete(try user(1, in: $0)) }
    #expect(run3 == 0)
    let run4 = try statements { try $0.fetch(Fetch<Company>()).first?.id = 77 }
    #expect(run4 == 0)
    #expect(log.take().isEmpty)
    let run5 = try statements { try user(3, in: $0).age = 99 }
    #expect(run5 > 0)
    #expect(log.take().count == 1)
    let run6 = try statements { try $0.fetch(Fetch<Company>()).first?.name = nil }
    #expect(run6 > 0)
    #expect(log.take().first?.difference.deletions.count == 2)
    context.performAndWait { #expect(results.objects.map(\.id) == [6, 4, 2]) }
  }

  @Test func unwatchedEditsOfTheContextAskNothing() throws {
    let results = try context.performAndWait {
      try LiveResults(Fetch<User>("age >= 20"), in: context)
    }
    let id = try context.performAndWait { try user(3, in: context).objectID }
    let count = try stack.store.recorder.record {
      context.performAndWait { (context.object(with: id) as? User)?.email = "new" }
    }
    #expect(count.isEmpty, "\(count)")
    withExtendedLifetime(results) {}
  }

  @Test func sequencesGiveChangesAndValues() async throws {
    let (changes, values) = try await context.perform { [context] in
      let results = try LiveResults(Fetch<User>("age > 40").sorted(by: "age"), in: context)
      return (results.changes, results.values { $0.id })
    }
    var change = changes.makeAsyncIterator()
    var value = values.makeAsyncIterator()
    #expect(await change.next()?.difference.insertions == [0, 1])
    #expect(await value.next() == [5, 6])
    try await other.perform { [other] in
      try other.fetch(Fetch<User>("id == 1")).first?.age = 55
      try other.save()
    }
    #expect(await change.next()?.difference.insertions == [1])
    #expect(await value.next() == [5, 1, 6])
  }

  @Test func relationshipsAreReadAhead() throws {
    try context.performAndWait { () throws -> Void in
      let results = try LiveResults(Fetch<User>().prefetching("company"), in: context)
      let run = try stack.store.recorder.record {
        #expect(Set(results.objects.map(\.company?.name)) == ["Acme", "Bolt"])
      }
      #expect(run.isEmpty, "\(run)")
    }
  }

  @Test func dropEmptiesTheList() throws {
    let fresh = try DataStack.social()
    let context = fresh.newBackgroundContext()
    let results = try context.performAndWait {
      context.insert(User.self).id = 1
      try context.save()
      return try LiveResults(Fetch<User>(), in: context)
    }
    try fresh.drop()
    context.performAndWait { #expect(results.objects.isEmpty) }
  }
}
