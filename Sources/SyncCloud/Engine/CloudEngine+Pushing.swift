import Foundation
import SyncCore
import SyncStore

extension CloudEngine {
  /// Sends what was saved here since the last push, field by field.
  ///
  /// - Throws: ``CloudError``, with everything that was not answered still waiting; `StoreError`;
  ///   `CancellationError`.
  /// - Complexity: Linear in what waits.
  @discardableResult
  public func push() async throws -> PushReport {
    try await push(progress: Progress(totalUnitCount: 0))
  }

  func push(progress: Progress) async throws -> PushReport {
    try await turn.run {
      try await running {
        let report = try await pushBatches(progress)
        return (report, .push(report))
      }
    }
  }

  /// Batches and where they have come to.
  private struct Course {
    var report = PushReport()

    /// The last record of the batch before; batches go by name.
    var cursor = ""

    /// Records in a batch; halved when the server does not take them.
    var size: Int

    /// Records that the server says it takes.
    var largest: Int

    /// Failures of the batch at the cursor, one after the other, and how many of them were of a record alone.
    var failures = 0
    var failuresAlone = 0
  }

  /// Failures of a record alone, with the server answering everything else, until it counts as a problem.
  private static let patience = 3

  /// Passes over all records that wait: a conflict leaves a record waiting for the next one.
  private static let passes = 5

  private func pushBatches(_ progress: Progress) async throws -> PushReport {
    let isFresh = connection.withLock { $0 == nil }
    let known = try await connect()
    let name = zone.name
    let count = try await write { try $0.transaction.countWaitingRemoteRecords(in: name) }
    guard count > 0 else { return PushReport() }
    guard known.access == .readWrite else {
      throw CloudError(
        .readOnly, message: "The zone can only be read. What was edited here stays waiting.")
    }
    if !isFresh { try await checkZone() }
    progress.totalUnitCount = Int64(count)
    var course = Course(size: known.limits.batch, largest: known.limits.batch)
    for _ in 0..<Self.passes {
      course.cursor = ""
      let before = course.report
      while try await pushBatch(&course) {
        progress.completedUnitCount = min(Int64(course.report.sent), progress.totalUnitCount)
        monitor.tell()
      }
      let isSettled = course.report.conflicts == before.conflicts
      if isSettled { break }
    }
    progress.completedUnitCount = progress.totalUnitCount
    return course.report
  }

  /// Sends the batch at the cursor.
  ///
  /// - Returns: Whether there may be more.
  private func pushBatch(_ course: inout Course) async throws -> Bool {
    let (name, cursor, size, fields) = (zone.name, course.cursor, course.size, fields)
    let (saves, last) = try await write { writing in
      let records = try writing.transaction.waitingRemoteRecords(
        in: name, after: cursor, limit: size)
      let builder = SaveBuilder(writing.transaction, zone: name, fields: fields)
      return (try builder.saves(records), records.last?.name)
    }
    guard let last else { return false }
    guard !saves.isEmpty else {
      course.cursor = last
      return true
    }
    do {
      let results = try await request(attempts: 0) {
        try await transport.save(saves, in: zone)
      }
      guard results.count == saves.count else { throw Self.incomplete }
      try await answer(saves, results, &course)
      course.cursor = last
      course.failures = 0
      course.failuresAlone = 0
      course.size = min(course.size * 2, course.largest)
    } catch let error as CloudError {
      try await recover(from: error, saves, &course)
    }
    return true
  }

  private static let incomplete = CloudError(
    .unreachable, message: "The server did not answer for every record. Sync again later.")

  /// Nothing is known about a batch: pulls, and goes on with less at once. A record that fails alone again and
  /// again, while the server answers everything else, is a problem of its own.
  private func recover(
    from error: CloudError, _ saves: [CloudSave], _ course: inout Course
  ) async throws {
    switch error.code {
    case .tooLarge:
      guard saves.count > 1 else { return try await refuse(saves, error.message, &course) }
      // The limit may have been lowered since it was read.
      course.largest = try await request { try await transport.limits() }.batch
      course.size =
        saves.count > course.largest ? course.largest : (saves.count + 1) / 2
    case .unreachable, .busy:
      course.failures += 1
      // What fails with the connection fails in the pull, too.
      try await pause(before: course.failures)
      _ = try await pullPages(Progress(totalUnitCount: 0))
      guard error.code == .unreachable else { break }
      if saves.count > 1 {
        course.size = (saves.count + 1) / 2
      } else {
        course.failuresAlone += 1
        if course.failuresAlone >= Self.patience {
          try await refuse(saves, error.message, &course)
        }
      }
    default: throw error
    }
    if course.failures > retry.attempts + 12 { throw error }
  }

  private func refuse(
    _ saves: [CloudSave], _ reason: String, _ course: inout Course
  ) async throws {
    try await answer(saves, saves.map { _ in .refused(reason) }, &course)
    course.cursor = saves.last?.name ?? course.cursor
    course.failures = 0
    course.failuresAlone = 0
  }

  /// Writes down what the server said of a batch, in one transaction.
  private func answer(
    _ saves: [CloudSave], _ results: [CloudSaveResult], _ course: inout Course
  ) async throws {
    let name = zone.name
    try await write { writing in
      var shown: [CloudRecord] = []
      for (save, result) in zip(saves, results) {
        switch result {
        case .saved(let record), .conflict(let record): shown.append(record)
        case .missing: try Self.forgetTag(of: save.name, in: writing)
        case .refused(let reason):
          guard var record = try writing.transaction.remoteRecord(save.name, in: name) else {
            continue
          }
          record.problem = reason
          try writing.transaction.setRemoteRecord(record)
        }
      }
      var writer = RecordWriter(writing)
      try writer.write(shown, isFeed: false)
      writing.zone.lastPush = writing.transaction.milliseconds
    }
    course.report.batches += 1
    for result in results {
      switch result {
      case .saved: course.report.sent += 1
      case .conflict, .missing: course.report.conflicts += 1
      case .refused: course.report.refused += 1
      }
    }
  }

  /// The server has no such record: it is sent as a whole, or, when the object is gone here too, not any more.
  private static func forgetTag(of name: String, in writing: CloudWriting) throws {
    guard var record = try writing.transaction.remoteRecord(name, in: writing.zone.name) else {
      return
    }
    record.tag = nil
    record.waiting = record.row == nil && !record.isJoined ? [] : [RemoteRecord.whole]
    try writing.transaction.setRemoteRecord(record)
  }
}
