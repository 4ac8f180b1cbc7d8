import Foundation
import SyncStack
import TestSupport

/// How the server's depots come into the store.
extension PairWorld {
  /// Depots as the API sends them.
  func items(_ depots: [PairTruth.Depot]? = nil, of truth: PairTruth? = nil) -> [JSONValue] {
    let truth = truth ?? self.truth
    return (depots ?? truth.depots).map { depot in
      var item = truth.item(depot)
      for feature in features { feature.wire(&item) }
      return .object(item)
    }
  }

  /// All depots, with the items of features that mean no object.
  func noisyItems() -> [JSONValue] {
    (items() + features.flatMap { $0.noise(self) }).shuffled(using: &random)
  }

  /// Items in one of the forms that payloads have: values, a text, lines, a file.
  func payload(_ items: [JSONValue]) throws -> SyncPayload {
    lastPayload = JSONValue.array(items).description
    let text = Data(lastPayload.utf8)
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return .json(.array(items))
    case 1 where items.count > 1:
      return .data(Data(items.map(\.description).joined(separator: "\n").utf8))
    case 2:
      payloadCount += 1
      let url = folder.file("payload \(payloadCount).json")
      try text.write(to: url)
      return .file(url)
    default: return .data(text)
    }
  }

  var settings: SyncSettings {
    var settings = SyncSettings()
    for feature in features { feature.settings(&settings) }
    return settings
  }

  /// An operation that brings items in one piece.
  func operation(_ items: [JSONValue]) throws -> Sync {
    let sync = Sync(try payload(items), inEntityNamed: "Depot", dataStack: stack)
    sync.settings = settings
    for feature in features { feature.form(sync, self) }
    return sync
  }

  /// Runs an operation, and compares its report with the store before and after.
  @discardableResult
  func run(_ sync: Sync) async throws -> SyncReport {
    let before = try shots()
    let report = try await stack.sync(sync)
    let after = try shots()
    try compare(report, before, after, isOneCommit: sync.transaction == .whole)
    if let cursor = sync.metadata["cursor"], !sync.isDryRun { self.cursor = cursor }
    return report
  }

  /// Compares a report with the differences of the store.
  func compare(
    _ report: SyncReport, _ before: [ManagedObjectID: PairPicture.Shot],
    _ after: [ManagedObjectID: PairPicture.Shot], isOneCommit: Bool
  ) throws {
    if report.isDryRun {
      guard before == after else { return try fail("A dry run changed the store:\n\(report)") }
      return
    }
    for entity in model.entities {
      let entry = report[entity.name]
      let old = before.filter { $0.value.entity == entity.name }
      let new = after.filter { $0.value.entity == entity.name }
      let inserted = new.keys.count { old[$0] == nil }
      let deleted = old.keys.count { new[$0] == nil }
      let told = (entry.inserted, entry.deleted)
      if isOneCommit ? told != (inserted, deleted) : told.0 - told.1 != inserted - deleted {
        try fail(
          "\(entity.name): \(inserted) inserted, \(deleted) deleted, but the report says:\n\(report)"
        )
      }
      let kept = new.filter { old[$0.key] != nil }
      let changed = kept.count { old[$0.key]?.values != $0.value.values }
      let touched = kept.count { old[$0.key] != $0.value }
      if isOneCommit, !(changed...touched).contains(entry.updated) {
        try fail(
          """
          \(entity.name): \(changed) objects have other values, \(touched) other values or links, \
          but the report says:\n\(report)
          """)
      }
    }
  }

  /// Brings all that the server has, in one of the ways of the case.
  ///
  /// - Parameter isCompared: Whether the store is compared with the server.
  func deliver(isCompared: Bool = true) async throws {
    let ways = features.compactMap(\.delivery)
    if ways.isEmpty || random.chance(30) {
      note("whole payload")
      try await run(try operation(noisyItems()))
    } else {
      try await random.pick(ways)(self)
    }
    guard isCompared else { return }
    try await check()
    try expectTruth()
  }

  /// After a payload that is all of the server's truth the store is equal to one that never had
  /// another, apart from unsent edits.
  func expectTruth() throws {
    var truth = truth
    guard made.isEmpty, deleted.isEmpty || !shape.isTree else { return }
    for edit in edits where !edit.apply(to: &truth) { return }
    // Crates that went with their depot may have come elsewhere. That they went is not sent either.
    for depot in truth.depots where deleted.contains(depot.id) && !depot.crates.isEmpty { return }
    let crates = truth.depots.flatMap { $0.crates.map { PairTruth.key($0) } }
    guard deletedCrates.isDisjoint(with: crates) else { return }
    truth.depots.removeAll { deleted.contains($0.id) }
    let twin = try Self.open(model, features, nil)
    defer { try? twin.close() }
    _ = try twin.sync(SyncPayload.json(.array(items(of: truth))), inEntityNamed: "Depot")
    let wanted = try picture(of: twin)
    if let difference = PairPicture.difference(try picture(), wanted) {
      try fail("The store differs from the server:\n\(difference)")
    }
    let depots = wanted.count { $0.hasPrefix("Depot ") }
    guard depots == truth.depots.count else {
      return try fail("The server has \(truth.depots.count) depots, the store \(depots).")
    }
  }

  /// An import of an export changes nothing.
  func expectRoundTrip() async throws {
    let json = try stack.export("Depot")
    let report = try await stack.sync(SyncPayload.json(json), inEntityNamed: "Depot")
    guard report.isUnchanged else {
      return try fail("An import of an export changed something:\n\(report)\n\(json)")
    }
  }

  /// Ends a day: what was stored is still there when the file is opened again, and nothing in it
  /// is wrong.
  func endDay() async throws {
    try await expectRoundTrip()
    let stored = try picture()
    let report = try await stack.checkConsistency()
    guard report.isConsistent else { return try fail("\(report)") }
    try reopen()
    if let difference = PairPicture.difference(try picture(), stored) {
      try fail("The file has something else:\n\(difference)")
    }
    try await check()
  }
}
