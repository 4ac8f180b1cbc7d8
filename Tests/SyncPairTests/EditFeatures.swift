import SyncStack
import TestSupport

/// Features of programs that change what they show.
extension PairFeature {
  static let editFeatures = [
    edits, trackedEdits, deletionsHere, insertionsHere, childContexts, liveLists, outbox, undo,
  ]

  static let edits = PairFeature("edits") { feature in
    feature.steps = [
      { try $0.edit() },
      { world in
        guard !world.tracksChanges else { return }
        world.note("deletes a depot")
        try world.context.edit {
          let depots = try world.context.fetch(Fetch<ManagedObject>(entityNamed: "Depot"))
            .sorted { $0.objectID < $1.objectID }
          guard let depot = depots.randomElement(using: &world.random) else { return }
          world.context.delete(depot)
        }
      },
    ]
  }

  static let trackedEdits = PairFeature("tracked edits") { feature in
    feature.tracksChanges = true
    feature.steps = [{ try $0.edit() }]
    feature.acknowledges = true
  }

  static let deletionsHere = PairFeature("tracked deletions") { feature in
    feature.tracksChanges = true
    feature.steps = [{ try $0.deleteDepot() }]
    feature.acknowledges = true
  }

  static let insertionsHere = PairFeature("tracked insertions") { feature in
    feature.tracksChanges = true
    feature.steps = [{ try $0.makeDepot(hasKey: true) }]
    feature.acknowledges = true
  }

  static let liveLists = PairFeature("live lists") { feature in
    feature.check = { world in
      let context = world.context
      try context.performAndWait {
        let request = Fetch<ManagedObject>(entityNamed: "Depot", "zone == 1")
          .sorted(by: "name", "id")
        let list = try world.list ?? LiveResults(request, in: context)
        world.list = list
        guard try list.objects == context.fetch(request) else {
          return try world.fail("A live list shows \(list.objects).")
        }
      }
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
        let id = try world.makeDepot(hasKey: false)
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
        guard change.kind == .insert, change.key == nil else { return .accepted() }
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
    if world.shape.hasPhoto { values["photo"] = .null }
    world.truth.add(values)
    // Until every sender has sent it, a payload changes nothing of it.
    try await world.settle()
  }

  static let undo = PairFeature("undo") { feature in
    feature.keepsValues = true
    feature.tracksChanges = true
    feature.acknowledges = true
    feature.steps = [
      { world in
        let before = (try world.picture(), try world.stack.latestHistoryToken())
        world.note("a payload, and its undo")
        try await world.run(try world.operation(world.noisyItems()))
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
