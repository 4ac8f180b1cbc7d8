import SyncGraph
import SyncStore
import TestSupport
import Testing

/// Both sides of a one-to-one say the same although a block has read them at two times. A row that
/// a context has not read yet is read as it is stored then, so that it may write one side alone
/// without a conflict in any row.
@Suite struct PairSettlingTests {
  enum Scene: CaseIterable {
    /// Another context takes the partner that is read afterwards.
    case partnerTaken
    /// Another context parts the pair whose partner was read before; here they are paired again.
    case pairParted
    /// Another context gives the partner that was read before an owner; here the owner gets another
    /// one.
    case ownerPaired
  }

  static let policies: [MergePolicy] = [
    .storeWins, .storeWinsPerProperty, .objectWins, .objectWinsPerProperty,
  ]

  @Test(arguments: Scene.allCases, policies)
  func theStoreAgreesWithItself(_ scene: Scene, _ policy: MergePolicy) async throws {
    let stack = try DataStack(model: TestModels.relationships(), store: .inMemory)
    let early = stack.newBackgroundContext()
    let late = stack.newBackgroundContext()
    late.mergePolicy = policy
    try early.edit {
      for id in 1...2 as ClosedRange<Int64> { try early.insert(entityNamed: "A")["id"] = id }
      for id in ["p", "q", "r"] { try early.insert(entityNamed: "B")["id"] = id }
      try a(1, early)["partner"] = b("p", early)
    }
    try late.edit {
      let first =
        switch scene {
        case .partnerTaken: try a(1, late)
        case .pairParted: try b("p", late)
        case .ownerPaired: try b("q", late)
        }
      _ = first["partner"]
      try early.edit {
        switch scene {
        case .partnerTaken: try a(2, early)["partner"] = b("q", early)
        case .pairParted, .ownerPaired: try a(1, early)["partner"] = b("q", early)
        }
      }
      switch scene {
      case .partnerTaken: try b("q", late)["partner"] = a(1, late)
      case .pairParted: try a(1, late)["partner"] = b("p", late)
      case .ownerPaired: try a(1, late)["partner"] = b("r", late)
      }
    }
    let report = try await stack.checkConsistency()
    #expect(report.isConsistent, "\(report)")
    let reader = stack.newBackgroundContext()
    for context in [early, late, reader] {
      try context.performAndWait {
        for owner in try context.fetch(Fetch<ManagedObject>(entityNamed: "A")) {
          guard let partner = owner["partner"] as? ManagedObject else { continue }
          #expect(partner["partner"] as? ManagedObject === owner)
        }
        for partner in try context.fetch(Fetch<ManagedObject>(entityNamed: "B")) {
          guard let owner = partner["partner"] as? ManagedObject else { continue }
          #expect(owner["partner"] as? ManagedObject === partner)
        }
        // The pair that was stored here last, without a conflict, is in the store.
        switch scene {
        case .partnerTaken: break
        case .pairParted:
          #expect(try a(1, context)["partner"] as? ManagedObject === b("p", context))
        case .ownerPaired:
          #expect(try a(1, context)["partner"] as? ManagedObject === b("r", context))
        }
      }
    }
  }

  /// Two accounts become one: objects that the old one gave away are not deleted with it.
  @Test(arguments: policies + [.error], [2, nil] as [Int64?])
  func whatLeftADeletedObjectStays(_ policy: MergePolicy, _ heir: Int64?) async throws {
    let stack = try DataStack(
      model: ManagedObjectModel([
        "A: id, partner -> B.partner cascade",
        "B: id string, partner -> A.partner",
      ]), store: .inMemory)
    let context = stack.newBackgroundContext()
    context.mergePolicy = policy
    try context.edit {
      for id in 1...2 as ClosedRange<Int64> { try context.insert(entityNamed: "A")["id"] = id }
      try context.insert(entityNamed: "B")["id"] = "p"
      try a(1, context)["partner"] = b("p", context)
      try context.save()
      try b("p", context)["partner"] = heir.map { try a($0, context) }
      context.delete(try a(1, context))
    }
    try await stack.performBackgroundTask { other in
      let partner = try b("p", other)["partner"] as? ManagedObject
      #expect(partner?["id"] as? Int64 == heir)
      #expect(try other.count(Fetch<ManagedObject>(entityNamed: "A")) == 1)
    }
    #expect(try await stack.checkConsistency().isConsistent)
  }

  private func a(_ id: Int64, _ context: ManagedObjectContext) throws -> ManagedObject {
    try #require(try context.fetch(Fetch<ManagedObject>(entityNamed: "A", "id == %@", id)).first)
  }

  private func b(_ id: String, _ context: ManagedObjectContext) throws -> ManagedObject {
    try #require(try context.fetch(Fetch<ManagedObject>(entityNamed: "B", "id == %@", id)).first)
  }
}
