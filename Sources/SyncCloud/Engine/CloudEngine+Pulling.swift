import Foundation
import SyncCore
import SyncEngine
import SyncStore

extension CloudEngine {
  /// Fetches what others sent and writes it here.
  ///
  /// Each page is one transaction together with its place, so a pull that ends early goes on from there.
  ///
  /// - Throws: ``CloudError``; `StoreError`; `CancellationError`, with the pages so far stored.
  /// - Complexity: Linear in what changed since the last pull.
  @discardableResult
  public func pull() async throws -> PullReport {
    try await pull(progress: Progress(totalUnitCount: 0))
  }

  /// Fetches what others sent, and sends what was saved here.
  ///
  /// - Returns: What both did.
  /// - Throws: As ``pull()`` and ``push()``.
  @discardableResult
  public func sync() async throws -> (pull: PullReport, push: PushReport) {
    let pulled = try await pull()
    return (pulled, try await push())
  }

  func pull(progress: Progress) async throws -> PullReport {
    try await turn.run {
      try await running(.pull) {
        let report = try await pullPages(progress)
        return (report, .pull(report))
      }
    }
  }

  func pullPages(_ progress: Progress) async throws -> PullReport {
    let isFresh = connection.withLock { $0 == nil }
    return try await pullPages(
      try await connect().limits, isChecked: isFresh, deletionGuard, progress)
  }

  /// Reads on from the place that is stored.
  ///
  /// - Parameter isChecked: Whether account and zone were looked at just now. Otherwise that is done before
  ///   anything that came is stored; a pull with nothing to do stays one request.
  func pullPages(
    _ limits: CloudLimits, isChecked: Bool, _ deletionGuard: DeletionGuard, _ progress: Progress
  ) async throws -> PullReport {
    var isChecked = isChecked
    var report = PullReport()
    var token = try await storedToken()
    var startsOver = false
    // What does not come is asked for in smaller pages, and the pull goes on in those.
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
      } catch let error as CloudError where error.code == .tokenRefused && !startsOver {
        // All that is known is compared by stamps, so starting over is complete.
        if !isChecked { try await checkZone() }
        (startsOver, isChecked, halvings) = (true, true, 0)
        token = nil
        continue
      } catch let error as CloudError where error.code == .zoneMissing {
        try await checkZone()
        throw error
      }
      if !isChecked, !page.records.isEmpty {
        try await checkZone()
        isChecked = true
      }
      report.pages += 1
      report.records += page.records.count
      progress.totalUnitCount = Int64(report.records + (page.hasMore ? limits.page : 0))
      report.add(try await store(page, deletionGuard))
      progress.completedUnitCount = Int64(report.records)
      token = page.token
      if !page.hasMore { return report }
      monitor.tell()
    }
  }

  private static let smallestPage = 25

  private func storedToken() async throws -> CloudToken? {
    let name = zone.name
    return try await read { reader in
      try reader.remoteZone(name)?.token.map(CloudToken.init)
    }
  }

  /// Writes a page together with its place.
  private func store(
    _ page: CloudPage, _ deletionGuard: DeletionGuard
  ) async throws -> RecordWriter.Counts {
    let records = Self.latest(page.records)
    do {
      return try await write(records[...], deletionGuard) { Self.note(page, in: $0) }
    } catch let error as StoreError where error.code == .notUnique {
      let counts = try await storeInParts(records[...], deletionGuard)
      try await write { Self.note(page, in: $0) }
      return counts
    }
  }

  private func write(
    _ records: ArraySlice<CloudRecord>, _ deletionGuard: DeletionGuard,
    _ note: @escaping @Sendable (CloudWriting) -> Void = { _ in }
  ) async throws -> RecordWriter.Counts {
    try await write { writing in
      var writer = RecordWriter(writing)
      try writer.write(Array(records), isFeed: true)
      writing.zone.deleted += Int64(writer.counts.deleted)
      try Self.check(deletionGuard, in: writing)
      note(writing)
      return writer.counts
    }
  }

  /// Refuses the page that would take more than may go, what the pages before it took counted, those of a pull that
  /// was refused or ended earlier among them.
  private static func check(_ limits: DeletionGuard, in writing: CloudWriting) throws {
    let deleted = Int(writing.zone.deleted)
    guard limits.isOn, deleted > limits.count else { return }
    let left = try writing.transaction.countRemoteObjects(in: writing.zone.name)
    guard Double(deleted) > limits.share * Double(left + deleted) else { return }
    throw CloudError(
      .deletionRefused,
      message: "The pull would delete \(deleted) objects of \(left + deleted). This page and what "
        + "comes after it was not stored. If the deletions are meant, set deletionGuard of the "
        + "engine to off and pull again; uploadEverything() is the way back if they are not.")
  }

  private static func note(_ page: CloudPage, in writing: CloudWriting) {
    if !page.hasMore { writing.zone.deleted = 0 }
    guard writing.zone.token != page.token.rawValue else { return }
    writing.zone.token = page.token.rawValue
    writing.zone.lastPull = writing.transaction.milliseconds
  }

  /// Finds the records that break a uniqueness constraint by halves, and puts them aside.
  private func storeInParts(
    _ records: ArraySlice<CloudRecord>, _ deletionGuard: DeletionGuard
  ) async throws -> RecordWriter.Counts {
    do {
      return try await write(records, deletionGuard)
    } catch let error as StoreError where error.code == .notUnique {
      guard records.count > 1 else {
        return try await write { writing in
          var writer = RecordWriter(writing)
          for record in records { try writer.setAside(record, error.message) }
          return writer.counts
        }
      }
      let middle = records.startIndex + records.count / 2
      var counts = try await storeInParts(records[..<middle], deletionGuard)
      counts.add(try await storeInParts(records[middle...], deletionGuard))
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
