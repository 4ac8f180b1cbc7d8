import SyncCloud
import SyncStack
import TestSupport

/// A second machine, and the server between it and the first one. With shared depots another
/// account has a machine, too. Confined to its test.
final class PairMachines {
  private let server = MemoryTransport()
  private let there: Machine
  private var guest: Machine?

  /// The engine of the first machine; nil after its stack was opened anew.
  var here: CloudEngine?

  /// A machine beside the first one.
  private struct Machine {
    let stack: DataStack
    let engine: CloudEngine

    init(_ world: PairWorld, _ server: MemoryTransport) throws {
      stack = try PairWorld.open(world.model, world.features, nil)
      engine = try CloudEngine(stack, transport: server)
    }
  }

  init(_ world: PairWorld) throws { there = try Machine(world, server) }

  func close() throws {
    try there.stack.close()
    try guest?.stack.close()
  }

  // MARK: - Steps

  /// Sets a value of a depot on the second machine.
  func edit(_ property: String, to value: some ValueConvertible, _ world: PairWorld) throws {
    world.note("an edit on the other machine")
    try edit(there.stack, world) { $0.setValue(value, forKey: property) }
  }

  /// Edits a shared depot, and a crate of it, on the machine of the other account: properties that
  /// no edit of this account sets, as the later edit counts.
  func editAsGuest(_ world: PairWorld) throws {
    guard let guest else { return }
    world.note("an edit of the other account")
    try edit(guest.stack, world) { depot in
      depot.setValue("from the guest", forKey: "name")
      let crates = RelationshipSides.targets(depot, "crates").sorted { $0.objectID < $1.objectID }
      crates.randomElement(using: &world.random)?.setValue(9, forKey: "size")
    }
  }

  private func edit(
    _ stack: DataStack, _ world: PairWorld, _ body: (ManagedObject) -> Void
  ) throws {
    try stack.edit { context in
      guard let depot = try Self.depots(in: context).randomElement(using: &world.random) else {
        return
      }
      body(depot.object)
    }
  }

  /// Shares one more depot with the other account, which accepts.
  nonisolated(nonsending) func share(_ world: PairWorld) async throws {
    let guest = try guest ?? Machine(world, server.signedIn(as: "guest"))
    self.guest = guest
    guard let (here, key, id) = try pick(world, isShared: false) else { return }
    world.note("shares depot \(key)")
    let share = try await here.share(id, with: [CloudParticipant("guest", .readWrite)])
    _ = try await guest.engine.accept(share.invitation)
  }

  /// Shares one depot less.
  nonisolated(nonsending) func stopSharing(_ world: PairWorld) async throws {
    guard let (here, key, id) = try pick(world, isShared: true) else { return }
    world.note("shares depot \(key) no more")
    try await here.stopSharing(id)
  }

  /// A depot of the first machine, with its key and the engine there.
  private func pick(
    _ world: PairWorld, isShared: Bool
  ) throws -> (here: CloudEngine, key: Int64, id: ManagedObjectID)? {
    guard let here else { return nil }
    return try world.stack.inBackground { context in
      try Self.depots(in: context).map { (here, $0.key, $0.object.objectID) }
        .filter { try here.isShared($0.2) == isShared }.randomElement(using: &world.random)
    }
  }

  private static func depots(
    in context: ManagedObjectContext
  ) throws -> [(key: Int64, object: ManagedObject)] {
    try context.fetch(Fetch<ManagedObject>(entityNamed: "Depot", "id != nil"))
      .map { ($0.value(forKey: "id", as: Int64.self) ?? 0, $0) }.sorted { $0.0 < $1.0 }
  }

  // MARK: - Meeting

  /// All machines send and fetch until nothing moves, and are equal then.
  nonisolated(nonsending) static func exchange(_ world: PairWorld) async throws {
    let machines = try world.machines ?? PairMachines(world)
    world.machines = machines
    let here = try machines.here ?? CloudEngine(world.stack, transport: machines.server)
    machines.here = here
    world.note("exchange")
    let engines = [here, machines.there.engine] + [machines.guest?.engine].compactMap(\.self)
    var isMoving = true
    for round in 1...6 where isMoving {
      isMoving = false
      for engine in engines {
        let (pull, push) = try await engine.sync()
        isMoving = isMoving || pull.inserted + pull.updated + pull.deleted + push.sent > 0
      }
      if round == 6, isMoving { try world.fail("Machines do not come to rest.") }
    }
    let problems = engines.flatMap(\.status.problems)
    guard problems.isEmpty else { return try world.fail("Problems: \(problems)") }
    try machines.compare(world)
    world.forgetEdits(sentBy: ["remote sync", "sharing", "files"])
  }

  private func compare(_ world: PairWorld) throws {
    if let difference = PairPicture.difference(
      try world.picture(), try world.picture(of: there.stack))
    {
      try world.fail("Two machines differ:\n\(difference)")
    }
    guard let here, let guest else { return }
    if let difference = PairPicture.difference(
      try lines(of: world.stack) { try here.isShared($0) }, try lines(of: guest.stack) { _ in true }
    ) {
      try world.fail("Two accounts differ in shared depots:\n\(difference)")
    }
  }

  /// Depots of a store with their crates: nothing else of a share is for both accounts.
  private func lines(
    of stack: DataStack, where isMeant: (ManagedObjectID) throws -> Bool
  ) throws -> [String] {
    return try stack.inBackground { context in
      try Self.depots(in: context).filter { try isMeant($0.object.objectID) }.map { depot in
        let crates = RelationshipSides.targets(depot.object, "crates")
          .map { "\($0.entity.name) \(PairPicture.values($0))" }
        let list = depot.object.entity.property(named: "crates")?.relationship
        return "\(PairPicture.values(depot.object)): "
          + "\(list?.isOrdered == true ? crates : crates.sorted())"
      }
    }
  }
}
