import SyncCloud
import SyncStack

/// A second machine, and the server between it and the first one.
final class PairMachines {
  private let server = MemoryTransport()
  private let stack: DataStack
  private let there: CloudEngine

  /// The engine of the first machine; nil after its stack was opened anew.
  var here: CloudEngine?

  init(_ world: PairWorld) throws {
    stack = try PairWorld.open(world.model, world.features, nil)
    there = try CloudEngine(stack, transport: server)
  }

  func close() throws { try stack.close() }

  /// Edits a depot on the second machine.
  func edit(_ world: PairWorld) throws {
    let context = stack.newBackgroundContext()
    world.note("an edit on the other machine")
    try context.performAndWait {
      let depots = try context.fetch(Fetch<ManagedObject>(entityNamed: "Depot", "id != nil"))
        .sorted {
          ($0.value(forKey: "id", as: Int64.self) ?? 0)
            < ($1.value(forKey: "id", as: Int64.self) ?? 0)
        }
      guard let depot = depots.randomElement(using: &world.random) else { return }
      depot.setValue("from there", forKey: "name")
      try context.save()
    }
  }

  /// Both machines send and fetch until nothing moves, and are equal then.
  nonisolated(nonsending) static func exchange(_ world: PairWorld) async throws {
    let machines = try world.machines ?? PairMachines(world)
    world.machines = machines
    let here = try machines.here ?? CloudEngine(world.stack, transport: machines.server)
    machines.here = here
    world.note("exchange")
    var isMoving = true
    for round in 1...6 where isMoving {
      isMoving = false
      for engine in [here, machines.there] {
        let (pull, push) = try await engine.sync()
        isMoving = isMoving || pull.inserted + pull.updated + pull.deleted + push.sent > 0
      }
      if round == 6, isMoving { try world.fail("Two machines do not come to rest.") }
    }
    let problems = here.status.problems + machines.there.status.problems
    guard problems.isEmpty else { return try world.fail("Problems: \(problems)") }
    if let difference = PairPicture.difference(
      try world.picture(), try world.picture(of: machines.stack))
    {
      try world.fail("Two machines differ:\n\(difference)")
    }
    world.forgetEdits(sentBy: "remote sync")
  }
}
