import SyncGraph
import SyncStore
import TestSupport
import Testing

/// Delete rules exist twice: in memory, and as set operations on rows. The same graph is deleted
/// from both ways, and has to look the same.
@Suite struct DeleteRuleTests {
  private static func model(_ rule: DeleteRule) throws -> ManagedObjectModel {
    try ManagedObjectModel([
      EntityDraft(
        "Owner",
        [
          "id", .toMany("parts", to: "Part", inverse: "owner", deleteRule: rule),
          .toMany("linked", to: "Part", inverse: "links", deleteRule: rule),
          .toOne("main", to: "Part", inverse: "mainOf", deleteRule: rule),
        ]),
      EntityDraft(
        "Part",
        [
          "id", "owner -> Owner.parts", "links ->> Owner.linked", "mainOf -> Owner.main",
          .toMany("children", to: "Part", inverse: "parent", deleteRule: rule),
          "parent -> Part.children",
        ]),
    ])
  }

  /// Two owners, twelve parts, connected at random; the store has them.
  private func makeGraph(_ rule: DeleteRule, seed: UInt64) throws -> DataStack {
    let stack = try DataStack(model: Self.model(rule), store: .inMemory)
    let context = stack.newBackgroundContext()
    var random = SeededGenerator(seed: seed)
    try context.edit {
      let owners = try (0..<3).map { number in try context.make("Owner", ["id": number]) }
      let parts = try (0..<12).map { number in try context.make("Part", ["id": number]) }
      for part in parts {
        if Bool.random(using: &random) { part["owner"] = owners.randomElement(using: &random) }
        if Bool.random(using: &random) { part["parent"] = parts.randomElement(using: &random) }
        if Int.random(in: 0..<4, using: &random) == 0 { part["mainOf"] = owners[0] }
        part["links"] = Set(owners.filter { _ in Int.random(in: 0..<4, using: &random) == 0 })
      }
    }
    return stack
  }

  /// The objects by keys: each with the destinations of its relationships.
  private static func describe(_ context: ManagedObjectContext) throws -> [String] {
    try ["Owner", "Part"].flatMap { entity in
      try context.fetch(Fetch<ManagedObject>(entityNamed: entity)).map { object in
        let relationships = object.entity.relationships.map { relationship in
          let value = object.value(forKey: relationship.name)
          let related =
            (value as? Set<ManagedObject>).map(Array.init)
            ?? (value as? ManagedObject).map { [$0] } ?? []
          let ids = related.compactMap { $0["id"] as? Int64 }.sorted()
          return "\(relationship.name) \(ids)"
        }
        return "\(entity) \(object["id"] as? Int64 ?? -1): \(relationships.sorted())"
      }
    }
  }

  @Test(arguments: [DeleteRule.nullify, .cascade, .deny, .noAction], 0..<8 as Range<UInt64>)
  func memoryAndStoreAgree(rule: DeleteRule, seed: UInt64) throws {
    let stack = try makeGraph(rule, seed: seed)
    let context = stack.newBackgroundContext()
    let fresh = stack.newBackgroundContext()
    let model = stack.model

    // In memory, before anything is saved, and in the store.
    var inMemory: [String] = []
    var afterSave: [String] = []
    var denied = false
    try context.performAndWait {
      let owner = try #require(
        try context.fetch(Fetch<ManagedObject>(entityNamed: "Owner").limit(1)).first)
      context.delete(owner)
      inMemory = try Self.describe(context)
      do {
        try context.save()
      } catch let error as GraphError where error.code == .deletionDenied {
        denied = true
        #expect(!error.objects.isEmpty)
        context.rollback()
      }
    }
    try fresh.performAndWait { afterSave = try Self.describe(fresh) }

    // The same, rows only.
    let other = try makeGraph(rule, seed: seed)
    let owner = try #require(model.entity(named: "Owner"))
    var storeDenied = false
    do {
      let store = try other.store
      let entity = try other.model.requireEntity(named: owner.name)
      let row = try #require(try store.read { try $0.fetch(.init(entity: entity)) }.first?.row)
      _ = try store.write { try $0.delete([row], of: entity) }
    } catch let error as StoreError where error.code == .deletionDenied {
      storeDenied = true
    }
    let reader = other.newBackgroundContext()
    let byRows = try reader.performAndWait { try Self.describe(reader) }

    #expect(denied == storeDenied)
    #expect(afterSave == byRows)
    if !denied, rule != .noAction { #expect(inMemory == afterSave) }
  }

  @Test func whatWasMovedAwayIsNotTakenAlong() throws {
    let stack = try DataStack.social()
    try stack.inBackground { context in
      let users = (0..<2).map { (number: Int64) in context.insertUser(number) }
      let notes = (0..<2).map { (number: Int64) in context.insertNote(number, of: users[0]) }
      try context.save()
      notes[0].user = users[1]
      context.delete(users[0])
      #expect(notes[1].isDeleted && !notes[0].isDeleted)
      try context.save()
      #expect(try context.fetch(Fetch<Note>()) == [notes[0]])
      #expect(users[1].notes == [notes[0]])
      #expect(users[0].isDeleted && notes[1].isDeleted)
    }
  }

  @Test func denyLetsGoWhatGoesTogether() throws {
    let stack = try DataStack.social()
    try stack.inBackground { context in
      let company = context.insertCompany(1)
      let user = context.insertUser(1)
      user.company = company
      try context.save()
      context.delete(company)
      #expect {
        try context.save()
      } throws: { error in
        (error as? GraphError)?.code == .deletionDenied
          && (error as? GraphError)?.objects == [user.objectID]
      }
      context.delete(user)
      try context.save()
      #expect(try context.count(Fetch<Company>()) == 0)
    }
  }

  /// The values that the context has read say nothing of it.
  @Test func denyHoldsForObjectsThatAnotherContextHasStoredMeanwhile() throws {
    let stack = try DataStack.social()
    let (context, other) = (stack.newBackgroundContext(), stack.newBackgroundContext())
    try context.performAndWait { () throws -> Void in
      let company = context.insertCompany(1)
      try context.save()
      #expect(company.employees.isEmpty)
      try other.edit {
        let user = other.insertUser(1)
        user.company = try other.fetch(Fetch<Company>()).first
      }
      context.delete(company)
      let error = #expect(throws: GraphError.self) { try context.save() }
      #expect(error?.code == .deletionDenied && error?.entity == "Company")
    }
  }

  @Test(arguments: MergePolicy.allCases)
  func requiredValuesHoldForObjectsThatAnotherContextHasStoredMeanwhile(
    policy: MergePolicy
  ) throws {
    let model = try ManagedObjectModel([
      "Owner: id, parts ->> Part.owner nullify", "Part: id, owner -> Owner.parts required",
    ])
    let stack = try DataStack(model: model, store: .inMemory)
    let (context, other) = (stack.newBackgroundContext(), stack.newBackgroundContext())
    context.mergePolicy = policy
    try context.performAndWait { () throws -> Void in
      let owner = try context.make("Owner", ["id": 1])
      try context.save()
      #expect(owner["parts"] as? Set<ManagedObject> == [])
      let part = try other.stored {
        try other.make("Part", ["id": 5, "owner": other.object(with: owner.objectID)])
      }
      context.delete(owner)
      let error = #expect(throws: GraphError.self) { try context.save() }
      #expect(error?.code == .validation && error?.objects == [part] && context.hasChanges)
      try context.delete(context.existingObject(with: part))
      try context.save()
      #expect(try context.count(Fetch<ManagedObject>(entityNamed: "Part")) == 0)
    }
  }

  /// The row that the new object leads to goes by a cascade that the context could not know.
  @Test func requiredValuesHoldForNewObjects() throws {
    let model = try ManagedObjectModel([
      "Root: id, owners ->> Owner.root cascade",
      "Owner: id, root -> Root.owners, parts ->> Part.owner nullify",
      "Part: id, owner -> Owner.parts required",
    ])
    let stack = try DataStack(model: model, store: .inMemory)
    let (context, other) = (stack.newBackgroundContext(), stack.newBackgroundContext())
    context.mergePolicy = .objectWins
    try context.performAndWait { () throws -> Void in
      let root = try context.make("Root", ["id": 1])
      let owner = try context.make("Owner", ["id": 1])
      try context.save()
      #expect(root["owners"] as? Set<ManagedObject> == [])
      try other.edit {
        try other.existingObject(with: owner.objectID)["root"] = other.object(with: root.objectID)
      }
      let part = try context.make("Part", ["id": 1, "owner": owner])
      context.delete(root)
      let error = #expect(throws: GraphError.self) { try context.save() }
      #expect(error?.code == .validation && error?.failures.map(\.key) == ["owner"])
      #expect(part.isInserted)
    }
  }

  @Test func aDeletionInACircleComesToItsEnd() throws {
    let stack = try DataStack(model: Self.model(.cascade), store: .inMemory)
    try stack.inBackground { context in
      let parts = try (0..<3).map { _ in try context.insert(entityNamed: "Part") }
      for (index, part) in parts.enumerated() { part["parent"] = parts[(index + 1) % 3] }
      try context.save()
      context.delete(parts[0])
      #expect(parts.allSatisfy { $0.isDeleted })
      try context.save()
      #expect(try context.count(Fetch<ManagedObject>(entityNamed: "Part")) == 0)
    }
  }
}
