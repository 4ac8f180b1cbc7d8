import SyncGraph
import SyncStore
import TestSupport
import Testing

/// A one-to-one is one thing: an object that loses it loses it on both sides, whichever policy
/// decides.
@Suite struct PairConflictTests {
  private let stack: DataStack
  private let a: ManagedObjectContext
  private let b: ManagedObjectContext

  init() throws {
    stack = try DataStack(model: Self.model(), store: .inMemory)
    (a, b) = (stack.newBackgroundContext(), stack.newBackgroundContext())
  }

  private static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel([
      "User: id, name, passport -> Passport.user, notes ->> Note.user, tasks ->> Task.user ordered",
      "Passport: id, name, user -> User.passport",
      "Note: id, user -> User.notes",
      "Task: id, user -> User.tasks",
    ])
  }

  private func store(_ entity: String, _ count: Int) throws -> [ManagedObjectID] {
    try a.performAndWait {
      let objects = try (1...count).map { number in try a.make(entity, ["id": number]) }
      try a.save()
      return objects.map(\.objectID)
    }
  }

  private func edit(
    _ context: ManagedObjectContext, _ body: (ManagedObjectContext) throws -> Void
  ) throws {
    try context.performAndWait { try body(context) }
  }

  /// Gives a passport to a user in the first context, and saves.
  private func store(_ passport: ManagedObjectID, of user: ManagedObjectID) throws {
    try edit(a) {
      $0.object(with: user)["passport"] = $0.object(with: passport)
      try $0.save()
    }
  }

  /// The pairs of the one-to-one in a context, as `owner-passport` by their numbers; both sides.
  private func pairs(_ context: ManagedObjectContext) throws -> (
    users: [String], passports: [String]
  ) {
    func number(_ value: Any?) -> String {
      ((value as? ManagedObject)?["id"]).map { "\($0)" } ?? ""
    }
    func all(_ entity: String) throws -> [ManagedObject] {
      try context.fetch(Fetch<ManagedObject>(entityNamed: entity))
    }
    return try context.performAndWait {
      let users = try all("User").filter { $0["passport"] != nil }
        .map { "\(number($0))-\(number($0["passport"]))" }
      let passports = try all("Passport").filter { $0["user"] != nil }
        .map { "\(number($0["user"]))-\(number($0))" }
      return (users.sorted(), passports.sorted())
    }
  }

  private func expect(
    _ expected: [String], _ policy: MergePolicy, location: SourceLocation = #_sourceLocation
  ) throws {
    for context in [stack.newBackgroundContext(), a, b] {
      let found = try pairs(context)
      #expect(found.users == expected, "\(policy)", sourceLocation: location)
      #expect(found.passports == expected, "\(policy)", sourceLocation: location)
    }
    let problems = try stack.store.read { try $0.checkConsistency() }
    #expect(problems.isEmpty, "\(policy)", sourceLocation: location)
  }

  /// Saves under a policy; edits that `error` refuses are rolled back.
  private func save(_ policy: MergePolicy) throws {
    try b.performAndWait {
      b.mergePolicy = policy
      do { try b.save() } catch let error as GraphError where policy == .error {
        #expect(error.code == .conflict)
        b.rollback()
      }
    }
  }

  @Test(arguments: MergePolicy.allCases, [false, true])
  func twoNewPartnersOfOneOwner(policy: MergePolicy, isMergedBefore: Bool) throws {
    let user = try store("User", 1)[0]
    func give(_ context: ManagedObjectContext, _ number: Int) throws {
      let passport = try context.make("Passport", ["id": number])
      context.object(with: user)["passport"] = passport
    }
    try edit(b) { try give($0, 2) }
    try edit(a) {
      try give($0, 1)
      try $0.save()
    }
    if isMergedBefore { b.performAndWait {} }
    try save(policy)
    try expect(policy.keepsEdits ? ["1-2"] : ["1-1"], policy)
  }

  @Test(arguments: MergePolicy.allCases)
  func twoStoredPartnersOfOneOwner(policy: MergePolicy) throws {
    let user = try store("User", 1)[0]
    let passports = try store("Passport", 2)
    try edit(b) { $0.object(with: user)["passport"] = $0.object(with: passports[1]) }
    try store(passports[0], of: user)
    try save(policy)
    try expect(policy.keepsEdits ? ["1-2"] : ["1-1"], policy)
  }

  @Test(arguments: MergePolicy.allCases, [false, true])
  func onePartnerOfTwoOwners(policy: MergePolicy, isMergedBefore: Bool) throws {
    let users = try store("User", 3)
    let passport = try store("Passport", 1)[0]
    try store(passport, of: users[0])
    try edit(b) { $0.object(with: users[1])["passport"] = $0.object(with: passport) }
    try store(passport, of: users[2])
    if isMergedBefore { b.performAndWait {} }
    try save(policy)
    try expect(policy.keepsEdits ? ["2-1"] : ["3-1"], policy)
  }

  @Test(arguments: MergePolicy.allCases)
  func aPartnerTakenFromAnOwnerWhoseNameAnotherContextChanged(policy: MergePolicy) throws {
    let users = try store("User", 2)
    let passport = try store("Passport", 1)[0]
    try store(passport, of: users[0])
    try edit(b) { $0.object(with: users[1])["passport"] = $0.object(with: passport) }
    try edit(a) {
      $0.object(with: users[0])["name"] = "Theirs"
      try $0.save()
    }
    try save(policy)
    try expect(policy == .error ? ["1-1"] : ["2-1"], policy)
  }

  @Test(arguments: MergePolicy.allCases)
  func anOwnerWithAnotherEditWhosePartnerAnotherContextMoved(policy: MergePolicy) throws {
    let users = try store("User", 2)
    let passports = try store("Passport", 2)
    try store(passports[0], of: users[0])
    try edit(b) {
      _ = $0.object(with: users[0])["passport"]
      $0.object(with: users[0])["name"] = "Mine"
    }
    try edit(a) {
      $0.object(with: users[1])["passport"] = $0.object(with: passports[0])
      $0.object(with: users[0])["passport"] = $0.object(with: passports[1])
      try $0.save()
    }
    try save(policy)
    // The partner was not edited here, so the block that saves knows the new one.
    try expect(["1-2", "2-1"], policy)
  }

  @Test(arguments: MergePolicy.allCases)
  func aSaveSaysWhatItDidNotStore(policy: MergePolicy) throws {
    let user = try store("User", 1)[0]
    try edit(b) {
      let object = $0.object(with: user)
      object["name"] = "Mine"
      object["id"] = 9
      let new = try $0.insert(entityNamed: "Passport")
      object["passport"] = new
    }
    try edit(a) {
      let object = $0.object(with: user)
      object["name"] = "Theirs"
      let new = try $0.insert(entityNamed: "Passport")
      object["passport"] = new
      try $0.save()
    }
    guard policy != .error else { return }
    b.mergePolicy = policy
    try edit(b) {
      let overruled = try $0.save().overruled
      guard policy == .storeWins || policy == .storeWinsPerProperty else {
        #expect(overruled.isEmpty)
        return
      }
      let conflict = try #require(overruled.first { $0.objectID == user })
      #expect(conflict.edited["name"] == "Mine" && conflict.stored?["name"] == "Theirs")
      #expect(conflict.edited["id"] == (policy == .storeWins ? 9 : nil))
      #expect(conflict.edited.keys.contains("passport") && overruled.count >= 2)
    }
  }

  @Test(
    arguments: [MergePolicy.storeWins, .storeWinsPerProperty],
    [(list: "notes", isRead: false), ("notes", true), ("tasks", false), ("tasks", true)])
  func theListsFollowTheOwnerThatWon(
    policy: MergePolicy, lists: (list: String, isRead: Bool)
  ) throws {
    let (list, isRead) = lists
    let users = try store("User", 3)
    let member = try store(list == "notes" ? "Note" : "Task", 1)[0]
    try edit(a) {
      $0.object(with: member)["user"] = $0.object(with: users[0])
      try $0.save()
    }
    var kept: [ManagedObject] = []
    func counts(_ context: ManagedObjectContext) -> [Int] {
      users.map { id in
        let object = context.object(with: id)
        kept.append(object)
        return (object[list] as? [ManagedObject])?.count ?? (object[list] as? Set<ManagedObject>)?
          .count
          ?? -1
      }
    }
    try edit(b) {
      if isRead { #expect(counts($0) == [1, 0, 0]) }
      $0.object(with: member)["user"] = $0.object(with: users[1])
    }
    try edit(a) {
      $0.object(with: member)["user"] = $0.object(with: users[2])
      try $0.save()
    }
    b.mergePolicy = policy
    try edit(b) {
      try $0.save()
      #expect(($0.object(with: member)["user"] as? ManagedObject)?.objectID == users[2])
      #expect(counts($0) == [0, 0, 1])
    }
    try edit(b) { #expect(counts($0) == [0, 0, 1]) }
    let problems = try stack.store.read { try $0.checkConsistency() }
    #expect(problems.isEmpty)
    kept = []
  }
}

extension MergePolicy {
  /// Whether an edit here is stored where another context has changed the same.
  fileprivate var keepsEdits: Bool { self == .objectWins || self == .objectWinsPerProperty }
}

/// Two contexts that put one member into one list agree on its place: where the first of them has
/// stored it.
@Suite struct PlaceConflictTests {
  @Test(arguments: [MergePolicy.objectWins, .objectWinsPerProperty])
  func aMemberThatIsThereAlreadyKeepsItsPlace(_ policy: MergePolicy) throws {
    let model = try ManagedObjectModel([
      "List: id, items ->> Item.list ordered",
      "Item: id, list -> List.items",
    ])
    let stack = try DataStack(model: model, store: .inMemory)
    let (early, late) = (stack.newBackgroundContext(), stack.newBackgroundContext())
    late.mergePolicy = policy
    let (list, items) = try early.performAndWait {
      let list = try early.make("List", ["id": 1])
      let items = try (1...3).map { number in try early.make("Item", ["id": number]) }
      try early.save()
      return (list.objectID, items.map(\.objectID))
    }
    late.performAndWait {
      late.object(with: list)["items"] = [late.object(with: items[0])]
    }
    try early.edit { early.object(with: list)["items"] = items.map(early.object) }
    func order(_ context: ManagedObjectContext) -> [Int64] {
      context.performAndWait {
        let members = context.object(with: list)["items"] as? [ManagedObject] ?? []
        return members.compactMap { $0["id"] as? Int64 }
      }
    }
    #expect(order(late) == [1, 2, 3])
    try late.performAndWait { try late.save() }
    #expect(order(late) == [1, 2, 3])
    #expect(order(stack.newBackgroundContext()) == [1, 2, 3])
  }
}
