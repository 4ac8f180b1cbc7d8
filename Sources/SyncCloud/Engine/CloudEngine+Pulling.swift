import Foundation
import SyncCore
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
      monitor.began()
      do {
        let report = try await pullPages(progress)
        monitor.ended(pulled: true)
        return report
      } catch {
        disconnect()
        monitor.ended(error: error)
        throw error
      }
    }
  }

  func pullPages(_ progress: Progress) async throws -> PullReport {
    let limits = try await connect().limits
    var report = PullReport()
    var token = try await storedToken()
    var startsOver = false
    while true {
      let page: CloudPage
      do {
        let place = token
        page = try await request {
          try await transport.changes(in: zone, after: place, limit: limits.page)
        }
      } catch let error as CloudError where error.code == .tokenRefused && !startsOver {
        // All that is known is compared by stamps, so starting over is complete.
        startsOver = true
        token = nil
        continue
      } catch let error as CloudError where error.code == .zoneMissing {
        try await checkZone()
        throw error
      }
      report.pages += 1
      report.records += page.records.count
      progress.totalUnitCount = Int64(report.records + (page.hasMore ? limits.page : 0))
      report.add(try await store(page))
      progress.completedUnitCount = Int64(report.records)
      token = page.token
      if !page.hasMore { return report }
      monitor.tell()
    }
  }

  private func storedToken() async throws -> CloudToken? {
    let name = zone.name
    return try await read { reader in
      try reader.remoteZone(name)?.token.map(CloudToken.init)
    }
  }

  /// Writes a page together with its place.
  private func store(_ page: CloudPage) async throws -> RecordWriter.Counts {
    var counts: RecordWriter.Counts
    do {
      counts = try await write { writing in
        var writer = RecordWriter(writing)
        try writer.write(Self.latest(page.records), isFeed: true)
        Self.note(page, in: writing)
        return writer.counts
      }
    } catch let error as StoreError where error.code == .notUnique {
      counts = try await storeInParts(Self.latest(page.records)[...])
      try await write { Self.note(page, in: $0) }
    }
    return counts
  }

  private static func note(_ page: CloudPage, in writing: CloudWriting) {
    guard writing.zone.token != page.token.rawValue else { return }
    writing.zone.token = page.token.rawValue
    writing.zone.lastPull = writing.transaction.milliseconds
  }

  /// Finds the records that break a uniqueness constraint by halves, and puts them aside.
  private func storeInParts(
    _ records: ArraySlice<CloudRecord>
  ) async throws -> RecordWriter.Counts {
    do {
      return try await write { writing in
        var writer = RecordWriter(writing)
        try writer.write(Array(records), isFeed: true)
        return writer.counts
      }
    } catch let error as StoreError where error.code == .notUnique {
      guard records.count > 1 else {
        return try await write { writing in
          var writer = RecordWriter(writing)
          for record in records { try writer.setAside(record, error.message) }
          return writer.counts
        }
      }
      let middle = records.startIndex + records.count / 2
      var counts = try await storeInParts(records[..<middle])
      counts.add(try await storeInParts(records[middle...]))
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
