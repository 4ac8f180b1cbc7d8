import Foundation
import SyncStack
import TestSupport

/// Features of syncs: how a payload comes, and what is asked of it.
extension PairFeature {
  static let deliveryFeatures = [
    deltas, pages, keptPages, batches, dryRun, quarantine, deletionGuard, lists, imports,
    predicates, parents, noFingerprints, metadata, deferredReferences,
    cancellation, serializers, nestedSerializers,
  ]

  static let deltas = PairFeature("deltas") { feature in
    feature.steps = [
      { world in
        let sync = try world.operation(
          world.items(world.truth.depots.filter { _ in world.random.chance(50) }))
        sync.settings.operations.remove(.delete)
        world.note("delta")
        try await world.run(sync)
      }
    ]
  }

  static let pages = PairFeature("sessions of pages") { feature in
    feature.delivery = { try await bringPages($0, name: nil) }
  }

  static let keptPages = PairFeature("kept sessions") { feature in
    feature.delivery = { try await bringPages($0, name: "nightly") }
  }

  /// Brings all depots page by page; a session with a name goes on after the file was opened again.
  private nonisolated(nonsending) static func bringPages(
    _ world: PairWorld, name: String?
  ) async throws {
    world.note("pages\(name.map { " of \($0)" } ?? "")")
    let before = try world.shots()
    var report = SyncReport()
    func session() throws -> SyncSession {
      let session = try SyncSession(entity: "Depot", dataStack: world.stack, name: name)
      session.settings = world.settings
      return session
    }
    var current = try session()
    let pages = pages(of: world.noisyItems(), &world.random)
    for page in pages {
      report.add(try await current.sync(try world.payload(page)))
      guard name != nil, world.random.chance(30) else { continue }
      try world.reopen()
      current = try session()
    }
    report.add(try await current.finish())
    try world.compare(report, before, try world.shots(), isOneCommit: false)
  }

  /// Items as pages, at least one.
  static func pages(of items: [JSONValue], _ random: inout SeededGenerator) -> [[JSONValue]] {
    let size = Int.random(in: 1...3, using: &random)
    return stride(from: 0, to: max(items.count, 1), by: size).map {
      Array(items[$0..<min($0 + size, items.count)])
    }
  }

  static let batches = PairFeature("batches") { feature in
    feature.form = { sync, world in
      sync.transaction = .perBatch(Int.random(in: 1...3, using: &world.random))
    }
  }

  static let dryRun = PairFeature("dry run") { feature in
    feature.delivery = { world in
      world.note("dry run, and the real one")
      let items = world.noisyItems()
      let trial = try world.operation(items)
      trial.isDryRun = true
      let first = try await world.run(trial)
      let real = try world.operation(items)
      real.transaction = trial.transaction
      let second = try await world.run(real)
      guard first.entities == second.entities else {
        return try world.fail("The dry run says:\n\(first)\nthe real one:\n\(second)")
      }
    }
  }

  static let quarantine = PairFeature("quarantine") { feature in
    feature.shape = { shape in
      shape.replace(.attribute("code", .string, isOptional: false), of: "Depot")
      shape.hasCode = true
    }
    feature.settings = { $0.onItemError = .quarantine }
    feature.depot = { values, _, _ in values["code"] = "here" }
    feature.noise = { world in
      world.random.chance(50) ? [["id": 901, "name": "no code"]] : []
    }
    feature.check = { world in
      if try world.picture().contains(where: { $0.hasPrefix("Depot 901:") }) {
        try world.fail("A depot without the code that it requires is stored.")
      }
      for item in try world.stack.quarantine.items() where item.key != .int(901) {
        try world.fail("The quarantine has a good item: \(item)")
      }
    }
    feature.steps = [
      { world in
        world.note("bad item")
        let sync = try world.operation([["id": 901, "name": "no code"]])
        sync.settings.operations.remove(.delete)
        let report = try await world.run(sync)
        guard report.quarantined == 1, try !world.stack.quarantine.items().isEmpty else {
          return try world.fail("A bad item is not named:\n\(report)")
        }
        if world.random.chance(50) { try world.stack.quarantine.discard() }
      }
    ]
  }

  static let deletionGuard = PairFeature("deletion guard") { feature in
    feature.steps = [
      { world in
        let before = try world.shots()
        let sync = try world.operation(world.items())
        sync.settings.deletionGuard = .on(count: 0, share: 0, emptyPayload: 0)
        sync.transaction = .whole
        world.note("guarded")
        do {
          let report = try await world.run(sync)
          if report["Depot"].deleted > 0 { try world.fail("Nothing was guarded:\n\(report)") }
        } catch let error as SyncError where error.code == .deletionRefused {
          guard before == (try world.shots()) else {
            return try world.fail("A refused sync left traces.")
          }
        }
      }
    ]
  }

  static let lists = PairFeature("many lists") { feature in
    feature.delivery = { world in
      world.note("lists")
      let depots = SyncList.list(try world.payload(world.noisyItems()), of: "Depot")
      let stickers = SyncList.list(try world.payload(world.truth.stickerItems), of: "Sticker")
      let sync = Sync(
        lists: world.random.chance(50) ? [depots, stickers] : [stickers, depots],
        dataStack: world.stack)
      sync.settings = world.settings
      try await world.run(sync)
    }
  }

  static let imports = PairFeature("imports") { feature in
    feature.delivery = { world in
      let pages = pages(of: world.noisyItems(), &world.random)
      let run = Import(named: world.random.chance(50) ? "nightly" : nil, into: world.stack) {
        Feed("Depot") { place in
          let number = place.flatMap { Int($0) } ?? 0
          let next = number + 1 < pages.count ? "\(number + 1)" : nil
          return FeedPage(Data(JSONValue.array(pages[number]).description.utf8), next: next)
        }
      }
      run.settings = world.settings
      run.commits = world.random.pick(ImportCommits.allCases)
      world.note("import \(run.commits)")
      let before = try world.shots()
      let report = try await world.stack.run(run)
      try world.compare(report.changes, before, try world.shots(), isOneCommit: false)
    }
  }

  static let predicates = PairFeature("scopes") { feature in
    feature.steps = [
      { world in
        let zone = Int64.random(in: 1...2, using: &world.random)
        let depots = world.truth.depots.filter { $0.values["zone"] == .integer(zone) }
        let sync = try world.operation(world.items(depots))
        sync.settings.filter = Filter("zone == %@", zone)
        world.note("zone \(zone)")
        try await world.run(sync)
        guard !world.hasUnsent else { return }
        let stored = try world.picture().count {
          $0.hasPrefix("Depot ") && $0.contains(" zone=\(zone) ")
        }
        guard stored == depots.count else {
          return try world.fail("Zone \(zone) has \(depots.count) depots, the store \(stored).")
        }
      }
    ]
  }

  static let parents = PairFeature("parents") { feature in
    feature.steps = [
      { world in
        guard let depot = world.truth.depots.randomElement(using: &world.random),
          let id = try world.storedDepot(depot.id)
        else { return }
        let sync = Sync(
          try world.payload(depot.crates.map { .object($0) }), inEntityNamed: "Crate",
          dataStack: world.stack)
        sync.settings = world.settings
        sync.parent = id
        world.note("crates of depot \(depot.id)")
        try await world.run(sync)
      }
    ]
  }

  static let noFingerprints = PairFeature("no fingerprints") { feature in
    feature.form = { sync, world in sync.usesFingerprints = world.random.chance(50) }
  }

  static let metadata = PairFeature("metadata") { feature in
    feature.form = { sync, world in
      sync.metadata["cursor"] = .int(Int64.random(in: 0..<1_000, using: &world.random))
    }
    feature.check = { world in
      let stored = try world.stack.metadata["cursor"]
      guard stored == world.cursor else {
        return try world.fail(
          "The metadata are \(stored ?? .null) in place of \(world.cursor ?? .null).")
      }
    }
  }

  static let cancellation = PairFeature("cancellation") { feature in
    feature.steps = [
      { world in
        let before = try world.shots()
        let sync = try world.operation(world.noisyItems())
        let last = Int.random(in: 0..<12, using: &world.random)
        let steps = Locked(0)
        sync.stepObserver = { [weak sync] _ in
          let count = steps.withLock { steps in
            steps += 1
            return steps
          }
          if count > last { sync?.cancel() }
        }
        world.note("cancelled after \(last) steps")
        do {
          try await world.run(sync)
        } catch is CancellationError {
          guard try sync.transaction != .whole || before == world.shots() else {
            return try world.fail("A cancelled sync left traces.")
          }
        }
      }
    ]
  }

  static let deferredReferences = PairFeature("deferred references") { feature in
    feature.settings = { $0.deferReferences = true }
  }
}

extension PairWorld {
  /// The identifier of the depot of a key.
  func storedDepot(_ key: Int64) throws -> ManagedObjectID? {
    return try stack.inBackground { fresh in
      try fresh.identifiers(Fetch<ManagedObject>(entityNamed: "Depot", "id == %@", key)).first
    }
  }
}
