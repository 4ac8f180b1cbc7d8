public import Foundation
import SyncCore
import SyncEngine
import SyncStore

extension CloudEngine {
  /// Fetches the records that others sent, and writes them here.
  ///
  /// Each page is one transaction together with its place, so a pull that ends early goes on from
  /// there.
  ///
  /// - Parameter progress: Counts records, of those that are known of; one that is its parent's
  ///   child counts in that.
  /// - Throws: ``CloudError``; `StoreError`; `CancellationError`, with the pages so far stored.
  /// - Complexity: Linear in the changes since the last pull.
  @discardableResult
  public func pull(progress: Progress = Progress(totalUnitCount: 0)) async throws -> PullReport {
    let report = try await pullRecords(progress)
    try await fetchEagerAssets()
    return report
  }

  private func pullRecords(_ progress: Progress) async throws -> PullReport {
    try await turn.run {
      try await running(.pull) {
        let report = try await pullPages(progress)
        progress.endCount()
        return (report, .pull(report))
      }
    }
  }

  /// Fetches the records that others sent, and sends the edits that were saved here.
  ///
  /// - Parameter progress: Half of it is for the pull, half for the push.
  /// - Returns: The reports of both.
  /// - Throws: As ``pull(progress:)`` and ``push(progress:)``.
  @discardableResult
  public func sync(
    progress: Progress = Progress(totalUnitCount: 0)
  ) async throws -> (pull: PullReport, push: PushReport) {
    progress.totalUnitCount = 2
    let (pulling, pushing) = (Progress(totalUnitCount: 0), Progress(totalUnitCount: 0))
    progress.addChild(pulling, withPendingUnitCount: 1)
    progress.addChild(pushing, withPendingUnitCount: 1)
    let pulled = try await pullRecords(pulling)
    let pushed = try await push(progress: pushing)
    // Files may take long; edits do not wait for them.
    try await fetchEagerAssets()
    try await removeUnusedAssetsWhenDue()
    return (pulled, pushed)
  }

  /// Pulls the engine's own zone, then those that are shared.
  func pullPages(_ progress: Progress) async throws -> PullReport {
    let zone = zone
    let isFresh = connections.withLock { $0[zone] == nil }
    let limits = try await connect().limits
    var report = try await pullPages(
      zone, limits, isChecked: isFresh, deletionGuard, progress)
    try await pullShared(limits, &report, progress)
    return report
  }

  /// Reads on from the place that is stored.
  ///
  /// - Parameter isChecked: Whether account and zone were looked at just now. Otherwise that is
  ///   done before anything that came is stored; a pull with nothing to do stays one request.
  func pullPages(
    _ zone: CloudZone, _ limits: CloudLimits, isChecked: Bool, _ deletionGuard: DeletionGuard,
    _ progress: Progress = Progress(totalUnitCount: 0)
  ) async throws -> PullReport {
    var isChecked = isChecked
    var hasLookedAhead = false
    var report = PullReport()
    let known = try await kept(zone)
    var token = known.token.map(CloudToken.init)
    var lost = token == Self.startingOver ? LostRecords() : nil
    if lost != nil { token = nil }
    // A page that does not come is asked for in smaller ones, and the pull goes on in those.
    var halvings = 0
    while true {
      let page: CloudPage
      do {
        let place = token
        page = try await request {
          let size = max(limits.page >> halvings, min(limits.page, Self.smallestPage))
          halvings += 1
          return try await transport.changes(in: zone, after: place, limit: size)
        }
        halvings -= 1
      } catch let error as CloudError where error.code == .tokenRefused && lost == nil {
        if !isChecked { try await check(zone) }
        (isChecked, halvings) = (true, 0)
        (token, lost) = (nil, try await startOver(zone))
        continue
      } catch let error as CloudError where error.code == .zoneMissing {
        try await check(zone)
        throw error
      }
      if lost == nil, report.pages == 0, try await isTakenBack(zone, known, page) {
        if !isChecked { try await check(zone) }
        isChecked = true
        (token, lost) = (nil, try await startOver(zone))
        continue
      }
      if !isChecked, !page.records.isEmpty {
        try await check(zone)
        isChecked = true
      }
      if try await mayHaveMoved(page, zone) {
        // A machine that moves objects has said so in the own zone before.
        report.add(try await pullPages(self.zone, limits, isChecked: false, deletionGuard))
      }
      if page.hasMore, !hasLookedAhead, page.records.contains(where: \.isDeletion) {
        try await lookAhead(page, zone, limits, deletionGuard)
        hasLookedAhead = true
      }
      report.pages += 1
      report.records += page.records.count
      if !page.records.isEmpty { report.zones.insert(zone) }
      progress.expect(page.records.count + (page.hasMore ? limits.page : 0))
      lost?.note(page)
      let counts = try await store(page, zone, lost, deletionGuard)
      report.add(counts)
      progress.advance(page.records.count)
      if lost == nil, counts.isBehind {
        (token, lost) = (nil, LostRecords())
        continue
      }
      token = page.token
      if !page.hasMore { break }
      monitor.tell()
    }
    report.add(try await retrySetAside(zone, deletionGuard))
    return report
  }

  private static let smallestPage = 25

  /// Writes a page together with its place.
  private func store(
    _ page: CloudPage, _ zone: CloudZone, _ lost: LostRecords?, _ deletionGuard: DeletionGuard
  ) async throws -> RecordWriter.Counts {
    try await store(
      Self.latest(page.records), in: zone, isFeed: lost == nil, deletionGuard
    ) { writing in
      if !page.hasMore {
        writing.zone.deleted = 0
        try lost?.sendAgain(in: writing)
      }
      // A pull that starts over, or has to, does not go on from a place on its way.
      let isPlace = lost == nil ? writing.zone.token != Self.startingOver.rawValue : !page.hasMore
      guard isPlace, writing.zone.token != page.token.rawValue else { return }
      writing.zone.token = page.token.rawValue
      writing.zone.lastPull = writing.transaction.milliseconds
    }
  }

  /// Writes records that the server shows, all or none; those that break a uniqueness constraint
  /// are put aside.
  ///
  /// - Parameters:
  ///   - isFeed: Whether versions that are known already may be passed over.
  ///   - sent: Records that the server has as they were here when they were sent.
  ///   - note: Runs in the same transaction, or in a last one.
  @discardableResult
  func store(
    _ records: [CloudRecord], in zone: CloudZone, isFeed: Bool, sent: [String: RemoteRecord] = [:],
    _ deletionGuard: DeletionGuard, _ note: @escaping @Sendable (CloudWriting) throws -> Void
  ) async throws -> RecordWriter.Counts {
    do {
      return try await write(records[...], zone, isFeed: isFeed, sent: sent, deletionGuard, note)
    } catch let error as StoreError where error.code == .notUnique {
      let counts = try await inHalves(records[...]) { part in
        try await write(part, zone, isFeed: isFeed, deletionGuard)
      } alone: { record in
        try await write(in: zone) { writing in
          var writer = RecordWriter(writing)
          try writer.setAside(record)
          return writer.counts
        }
      }
      try await write(in: zone, note)
      return counts
    }
  }

  private func write(
    _ records: ArraySlice<CloudRecord>, _ zone: CloudZone, isFeed: Bool,
    sent: [String: RemoteRecord] = [:], _ deletionGuard: DeletionGuard,
    _ note: @escaping @Sendable (CloudWriting) throws -> Void = { _ in }
  ) async throws -> RecordWriter.Counts {
    try await write(in: zone) { writing in
      var writer = RecordWriter(writing)
      try writer.write(Array(records), isFeed: isFeed, sent: sent)
      if writer.counts.isBehind { writing.zone.token = Self.startingOver.rawValue }
      try Self.count(writer.counts.deleted, deletionGuard, in: writing)
      try note(writing)
      return writer.counts
    }
  }

  /// Tries once more the records that were put aside, as far as no object is in their way any more.
  private func retrySetAside(
    _ zone: CloudZone, _ deletionGuard: DeletionGuard
  ) async throws -> RecordWriter.Counts {
    var counts = RecordWriter.Counts()
    let name = zone.key
    guard try await read({ try !$0.remoteProblems(in: name).isEmpty }) else { return counts }
    let (free, deleted) = try await write(in: zone) { writing in
      let aside = SetAside(writing)
      let deleted = try aside.deleteDenied()
      try Self.count(deleted, deletionGuard, in: writing)
      writing.zone.deleted = 0
      return (try aside.free(), deleted)
    }
    counts.deleted = deleted
    if !free.isEmpty {
      // A record that fails alone stays aside.
      counts.add(
        try await inHalves(free[...]) { part in
          try await write(in: zone) { try SetAside($0).read(Array(part)) }
        } alone: { _ in
          RecordWriter.Counts()
        })
    }
    counts.problems = 0
    return counts
  }

  /// Writes records, and finds those by halves that break a uniqueness constraint.
  private func inHalves<Record: Sendable>(
    _ records: ArraySlice<Record>,
    _ write: (ArraySlice<Record>) async throws -> RecordWriter.Counts,
    alone: (Record) async throws -> RecordWriter.Counts
  ) async throws -> RecordWriter.Counts {
    do {
      return try await write(records)
    } catch let error as StoreError where error.code == .notUnique {
      guard let record = records.first else { throw error }
      if records.count == 1 { return try await alone(record) }
      let middle = records.startIndex + records.count / 2
      var counts = try await inHalves(records[..<middle], write, alone: alone)
      counts.add(try await inHalves(records[middle...], write, alone: alone))
      return counts
    }
  }

  /// The last version of each record of a page.
  private static func latest(_ records: [CloudRecord]) -> [CloudRecord] {
    var places: [String: Int] = [:]
    for (index, record) in records.enumerated() { places[record.name] = index }
    guard places.count < records.count else { return records }
    return records.enumerated().filter { places[$1.name] == $0 }.map(\.element)
  }
}
