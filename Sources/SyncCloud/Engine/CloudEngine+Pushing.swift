public import Foundation
import SyncCore
import SyncStore

extension CloudEngine {
  /// Sends the edits that were saved here since the last push, field by field.
  ///
  /// - Parameter progress: Counts records, of those that wait, zone by zone.
  /// - Throws: ``CloudError``, with everything that was not answered still waiting; `StoreError`;
  ///   `CancellationError`.
  /// - Complexity: Linear in the waiting records.
  @discardableResult
  public func push(progress: Progress = Progress(totalUnitCount: 0)) async throws -> PushReport {
    try await turn.run {
      try await running(.push) {
        let report = try await pushZones(progress)
        progress.endCount()
        return (report, .push(report))
      }
    }
  }

  /// Pushes the engine's own zone, then the shared ones: an object that went from one to the other
  /// is announced before it is there.
  func pushZones(_ progress: Progress) async throws -> PushReport {
    try await settle()
    var report = PushReport()
    var failure: CloudError?
    for zone in [zone] + (try await sharedZones()) {
      do {
        let isOwn = zone == self.zone
        if !isOwn, try await kept(zone).generation == Self.stopping { continue }
        report.add(try await pushBatches(zone, progress))
        if fields.hasAssets, !readOnly.contains(zone) {
          report.add(try await pushFiles(in: zone, progress))
        }
      } catch let error as CloudError where zone != self.zone && error.isOfZone {
        // A zone that is shared no more ends with the next pull; the edits of one that may only be
        // read are problems.
        guard error.code != .zoneMissing, try await !mayOnlyRead(zone, error) else { continue }
        failure = error
      }
    }
    try await endStopped()
    if let failure { throw failure }
    return report
  }

  /// Whether the server refuses edits of a shared zone because the account may only read it by now.
  private func mayOnlyRead(_ zone: CloudZone, _ error: CloudError) async throws -> Bool {
    guard error.code == .forbidden else { return false }
    connections.withLock { $0[zone] = nil }
    return try await look(at: zone).access == .readOnly
  }
}
