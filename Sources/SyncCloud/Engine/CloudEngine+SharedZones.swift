import Foundation
import SyncCore
import SyncStore

/// Shared zones: where they are known from, how they are opened and pulled, and how they end.
extension CloudEngine {
  /// The zones that the account shares or takes part in, as far as it is known here.
  func sharedZones() async throws -> [CloudZone] {
    let name = zone.key
    return try await read { try $0.sharedZones(home: name) }
  }

  // MARK: - Opening

  /// Opens a zone, once.
  func connect(_ zone: CloudZone) async throws -> CloudConnection {
    let home = try await connect()
    if let known = connections.withLock({ $0[zone] }) { return known }
    let state = try await look(at: zone)
    let made = CloudConnection(limits: home.limits, access: state.access)
    connections.withLock { $0[zone] = made }
    return made
  }

  /// Asks for the account's rights in a shared zone. One that was made anew is read from the
  /// beginning.
  @discardableResult
  func look(at zone: CloudZone) async throws -> CloudZoneState {
    let state = try await request { try await transport.open(zone, create: false) }
    let isReadOnly = state.access == .readOnly
    let known = try await kept(zone)
    readOnly.set(isReadOnly, zone)
    guard known.generation != state.generation || known.isReadOnly != isReadOnly,
      known.generation != Self.stopping
    else { return state }
    try await write(in: zone) { writing in
      writing.zone.isReadOnly = isReadOnly
      if let before = writing.zone.generation, before != state.generation {
        writing.zone.token = Self.startingOver.rawValue
        (writing.zone.newest, writing.zone.witness) = (0, nil)
      }
      writing.zone.generation = state.generation
    }
    return state
  }

  // MARK: - Pulling

  /// Pulls one zone.
  func pullPages(in zone: CloudZone) async throws -> PullReport {
    try await pullPages(zone, try await connect(zone).limits, isChecked: false, deletionGuard)
  }

  /// Pulls shared zones, and ends those that are shared no more.
  func pullShared(
    _ limits: CloudLimits, _ report: inout PullReport, _ progress: Progress
  ) async throws {
    let zones = try await sharedZones()
    try await dropOthers(than: zones, &report)
    if let driver = driver.withLock({ $0 }) { follow(lines(of: zones), driver) }
    var failure: CloudError?
    for zone in zones {
      guard try await kept(zone).generation != Self.stopping else { continue }
      do {
        // Only so it is heard that one may write now.
        if readOnly.contains(zone) { connections.withLock { $0[zone] = nil } }
        let isFresh = connections.withLock { $0[zone] == nil }
        _ = try await connect(zone)
        report.add(try await pullPages(zone, limits, isChecked: isFresh, deletionGuard, progress))
      } catch let error as CloudError where error.code == .zoneMissing {
        report.add(try await endMissing(zone))
      } catch let error as CloudError where error.isOfZone {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }

  /// Whether a page of a shared zone shows records that are in the account's own here, or says that
  /// some went: another machine of the account may have moved them.
  func mayHaveMoved(_ page: CloudPage, _ zone: CloudZone) async throws -> Bool {
    guard zone != self.zone, !page.records.isEmpty else { return false }
    let (names, home) = (page.records.map(\.name), self.zone.key)
    let left = page.records.filter { RemoteRecord.Move($0.content?["m"]) == .to("") }.map(\.name)
    return try await read { reader in
      let known = try reader.remoteRecords(names, in: zone.key)
      if left.contains(where: { known[$0]?.row != nil }) { return true }
      return try reader.remoteRecords(names, in: home).values.contains {
        $0.row != nil && known[$0.name] == nil
      }
    }
  }

  /// Moves objects that machines have moved and edited at once to where they belong.
  func settle() async throws {
    let mayBe = mayStray.withLock { mayStray in
      defer { mayStray = false }
      return mayStray
    }
    guard mayBe, fields.hasParents, try await !sharedZones().isEmpty else { return }
    if try await write({ try ZoneMove(writing: $0).settle() }) { mayStray.withLock { $0 = true } }
  }

  // MARK: - Ending

  /// Stands for the generation of a zone that is shared no more, until the server was told.
  static let stopping = "stopping"

  /// Zones that are shared no more, and are on the server still.
  func stoppedZones() async throws -> [CloudZone] {
    try await read { reader in
      try reader.remoteZoneNames().filter {
        try reader.remoteZone($0)?.generation == Self.stopping
      }.map(CloudZone.init(key:))
    }
  }

  /// Ends a zone that is missing, once the account is sure.
  private func endMissing(_ zone: CloudZone) async throws -> PullReport {
    do {
      try await check(zone)
      return PullReport()
    } catch let error as CloudError where error.code == .zoneMissing {
      return try await end(zone)
    }
  }

  /// Ends a zone here: objects that others share go, the account's own come home. Other machines of
  /// the account hear of it.
  func end(_ zone: CloudZone) async throws -> PullReport {
    var report = PullReport()
    try await drop(zone, &report)
    try await register(zone, isShared: false)
    return report
  }

  private func drop(_ zone: CloudZone, _ report: inout PullReport) async throws {
    report.deleted += try await forget([zone])
    readOnly.set(false, zone)
    _ = followed.withLock { $0.remove(zone) }
    if zone.owner != nil { report.ended.append(zone) }
  }

  /// Zones that another machine of the account has ended.
  private func dropOthers(than zones: [CloudZone], _ report: inout PullReport) async throws {
    guard self.zone.scope == .private else { return }
    let known = Set(zones.map(\.key) + CloudZone.Scope.allCases.map { CloudZone($0).key })
    let others = try await read { try $0.remoteZoneNames().filter { !known.contains($0) } }
    for zone in others.map(CloudZone.init(key:)) {
      if try await kept(zone).generation != Self.stopping { try await drop(zone, &report) }
    }
  }

  /// Takes the objects of another account's share out of the store, with their files, and keeps
  /// unsent edits as conflicts; or brings home the objects of the account's own share.
  ///
  /// - Returns: How many objects went.
  func forget(_ zones: some Collection<CloudZone> & Sendable) async throws -> Int {
    let (count, files) = try await write { writing in
      try zones.reduce(into: (count: 0, files: Set<String>())) { result, zone in
        if zone.owner != nil {
          result.files.formUnion(try writing.enter(zone.key) { try Self.fileNames(in: writing) })
        }
        result.count += try Self.forget(zone, in: writing)
      }
    }
    try await removeUnnamedAssets(files)
    return count
  }

  private static func forget(_ zone: CloudZone, in writing: CloudWriting) throws -> Int {
    var gone: [String] = []
    if zone.owner == nil {
      let stamp = writing.clock.next(at: writing.transaction.milliseconds)
      try ZoneMove(writing: writing).moveAll(from: zone.key, stamp, buries: false)
    } else {
      gone = try writing.enter(zone.key) {
        try keepUnsent(in: writing)
        return try wipe(in: writing)
      }
    }
    try writing.remove(zone.key)
    // Objects that were shared anew meanwhile are here under the same names.
    try writing.follow(gone)
    return gone.count
  }

  /// Keeps values that were not sent, and can be sent no more, as conflicts.
  private static func keepUnsent(in writing: CloudWriting) throws {
    let reader = FieldReader(
      reader: writing.transaction, zone: writing.zone.name, fields: writing.fields)
    for record in try writing.transaction.allRemoteRecords(in: writing.zone.name) {
      guard !record.waiting.isEmpty, let row = record.row,
        let entity = writing.model.entity(named: record.entity),
        let stored = try writing.transaction.rows(entity, rows: [row]).first
      else { continue }
      let sent = writing.fields.rules(of: entity, named: record.name, in: record.zone).sent
      let values = try reader.values(stored, of: record) {
        sent.contains($0) && record.isWaiting($0)
      }
      for (field, value) in values where !value.isNull {
        try writing.transaction.addRemoteConflict(
          RemoteConflict(
            name: record.name, entity: entity.name, field: field.name, value: value.description,
            stamp: record.stamp(of: field.name), winner: ""),
          in: writing.homeName, limit: CloudConflictLimit.count)
      }
    }
  }

  /// Tells the server that zones are shared no more, once their objects are home.
  func endStopped() async throws {
    for zone in try await stoppedZones() {
      for part in (fields.hasAssets ? ServedFile.zones(of: zone) : []) + [zone] {
        try await request { try await transport.remove(part) }
      }
      _ = try await end(zone)
    }
  }

  // MARK: - The record that stands for a zone

  /// Has all machines of the account know whether a zone is shared.
  func register(_ zone: CloudZone, isShared: Bool) async throws {
    let (name, home) = (SharedZones.name(of: zone), self.zone)
    for _ in 1...3 {
      let (save, isDone) = try await write { writing in
        let known = try writing.transaction.remoteRecord(name, in: home.key)
        let isKnown = known.map { SharedZones.zone($0) != nil } ?? !isShared
        let deletion = isShared ? nil : writing.clock.next(at: writing.transaction.milliseconds)
        let content = SharedZones.content(of: zone, deletion: deletion)
        guard let tag = known?.tag else {
          return (CloudSave.create(name: name, content: content), isKnown == isShared && !isShared)
        }
        return (.replace(name: name, tag: tag, content: content), isKnown == isShared)
      }
      if isDone { return }
      let result = try await request { try await transport.save([save], in: home) }.first
      switch result {
      case .saved(let record)?, .conflict(let record)?:
        try await store([record], in: home, isFeed: false, deletionGuard) { _ in }
      case .missing?:
        try await write { try $0.transaction.removeRemoteRecord(name, in: home.key) }
      case .refused?, nil:
        throw CloudError(.forbidden, message: "The server does not keep the records of shares.")
      }
    }
  }
}
