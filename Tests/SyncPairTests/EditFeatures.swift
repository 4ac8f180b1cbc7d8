import SyncStack
import TestSupport

/// Features of programs that change what they show.
extension PairFeature {
  static let editFeatures = [edits, trackedEdits, childContexts, outbox, undo]

  static let edits = PairFeature("edits") { feature in
    feature.steps = [
      { try $0.edit() },
      { world in
        guard !world.tracksChanges else { return }
        world.note("deletes a depot")
        try world.context.performAndWait {
          let depots = try world.context.fetch(Fetch<ManagedObject>(entityNamed: "Depot"))
            .sorted { $0.objectID < $1.objectID }
          guard let depot = depots.randomElement(using: &world.random) else { return }
          world.context.delete(depot)
          try world.context.save()
        }
      },
    ]
  }

  static let trackedEdits = PairFeature("tracked edits") { feature in
    feature.tracksChanges = true
    feature.steps = [{ try $0.edit() }]
    feature.settle = { world in
      let token = try world.stack.latestHistoryToken()
      try world.stack.acknowledge(through: token, for: "server")
    }
  }

  static let childContexts = PairFeature("child contexts") { feature in
    feature.steps = [
      { world in
        let child = world.context.performAndWait { world.context.newChildContext() }
        try world.edit(in: child, savingInto: world.context)
      }
    ]
  }

  static let outbox = PairFeature("outbox") { feature in
    feature.tracksChanges = true
    feature.shape = { $0.editsCrates = false }
    feature.settle = { try await send($0, inserted: nil) }
    feature.steps = [
      { try $0.edit() },
      { world in
        // A depot that is made here gets its key from the server.
        world.note("a depot is made here")
        let id = try world.context.performAndWait {
          let depot = try world.context.insert(entityNamed: "Depot")
          depot.setValue("made here", forKey: "name")
          if world.shape.hasCode { depot.setValue("here", forKey: "code") }
          try world.context.save()
          return depot.objectID
        }
        try await send(world, inserted: id)
      },
    ]
  }

  /// Sends what is unsent; a server gives the key 5000 plus the row to a depot that was made here.
  private nonisolated(nonsending) static func send(
    _ world: PairWorld, inserted: ManagedObjectID?
  ) async throws {
    let outbox = try world.outbox ?? Outbox(world.stack, name: "api")
    world.outbox = outbox
    for entity in ["Depot", "Crate", "Sticker"] {
      outbox.send(with: Conventional(entity)) { change in
        guard change.kind == .insert else { return .accepted() }
        return .accepted(["id": .integer(5_000 + change.objectID.row)])
      }
    }
    let report = try await outbox.send()
    world.note("sends: \(report)")
    guard report.refused == 0, try outbox.pending.isEmpty else {
      return try world.fail("The outbox sent not all:\n\(report)\n\(try outbox.pending)")
    }
    guard let inserted else { return }
    let key = 5_000 + inserted.row
    guard try world.storedDepot(key) == inserted else {
      return try world.fail("\(inserted) was accepted, and has not the key \(key).")
    }
    var values: JSONObject = [
      "id": .integer(key), "name": "made here", "note": .null, "zone": .null,
    ]
    if world.shape.hasCode { values["code"] = "here" }
    world.truth.add(values)
    // Until every sender has sent it, a payload changes nothing of it.
    try await world.settle()
  }

  static let undo = PairFeature("undo") { feature in
    feature.keepsValues = true
    feature.tracksChanges = true
    feature.settle = trackedEdits.settle
    feature.steps = [
      { world in
        let before = (try world.picture(), try world.stack.latestHistoryToken())
        world.note("a payload, and its undo")
        try await world.run(world.operation(world.noisyItems()))
        let commits = try world.stack.history(since: before.1)
        guard let first = commits.first, let last = commits.last else { return }
        let report = try await world.stack.undo(first.token...last.token, deletionGuard: .off)
        guard report.left.isEmpty else { return world.note("left: \(report)") }
        if let difference = PairPicture.difference(try world.picture(), before.0) {
          try world.fail("The undo left no difference, but there is one:\n\(difference)\n\(report)")
        }
      }
    ]
  }
}
