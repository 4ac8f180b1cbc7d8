import SyncCore
import SyncGraph
import SyncStore
import TestSupport
import Testing

/// A one-to-one relationship is one thing: whatever a merge policy decides about its two rows, both say the same.
@Suite struct PairSettlingTests {
  enum Scene: CaseIterable {
    case newPartners
    case storedPartners
    case onePartnerOfTwo
    case partnerTaken
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
    try early.performAndWait {
      for id in 1...3 as ClosedRange<Int64> { try early.insert(entityNamed: "A")["id"] = id }
      for id in ["p", "q", "r"] { try early.insert(entityNamed: "B")["id"] = id }
      if scene != .newPartners { try a(1, early)["partner"] = b("p", early) }
      try early.save()
    }
    try late.performAndWait {
      try edit(scene, late, isLate: true)
      try early.performAndWait {
        try edit(scene, early, isLate: false)
        try early.save()
      }
      try late.save()
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
      }
    }
  }

  private func edit(_ scene: Scene, _ context: ManagedObjectContext, isLate: Bool) throws {
    switch scene {
    case .newPartners:
      let partner = try context.insert(entityNamed: "B")
      partner["id"] = isLate ? "late" : "early"
      try a(1, context)["partner"] = partner
    case .storedPartners: try a(1, context)["partner"] = b(isLate ? "q" : "r", context)
    case .onePartnerOfTwo: try a(isLate ? 2 : 3, context)["partner"] = b("p", context)
    case .partnerTaken:
      if isLate {
        try b("q", context)["partner"] = a(1, context)
      } else {
        try a(2, context)["partner"] = b("q", context)
      }
    }
  }

  private func a(_ id: Int64, _ context: ManagedObjectContext) throws -> ManagedObject {
    try #require(try context.fetch(Fetch<ManagedObject>(entityNamed: "A", "id == %@", id)).first)
  }

  private func b(_ id: String, _ context: ManagedObjectContext) throws -> ManagedObject {
    try #require(try context.fetch(Fetch<ManagedObject>(entityNamed: "B", "id == %@", id)).first)
  }
}
