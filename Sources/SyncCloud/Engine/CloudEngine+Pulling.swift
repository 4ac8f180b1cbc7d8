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
    var report = try await pullPages(zone, limits, isChecked: isFresh, deletionGuard, progress)
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
}
