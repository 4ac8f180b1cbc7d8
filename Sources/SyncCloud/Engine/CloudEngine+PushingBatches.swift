import Foundation
import SyncCore
import SyncStore

/// The batches of a zone.
extension CloudEngine {
  /// Passes over all records that wait: a conflict leaves a record waiting for the next one.
  private static let passes = 5

  /// Failures in a row that find out about one record that always fails: with a whole batch, with
  /// half of it, and with the record alone.
  private static let fewestAttempts = 3

  /// Records after which a push pulls, so that the place in the changes passes over the versions
  /// that it has written, and they are never read.
  private static let longestUnread = 1000

  /// Sends the waiting records of a zone, but for those whose files are not on the server. The
  /// edits in a shared zone that may only be read are among the problems: see
  /// ``CloudEngine/waiting()``.
  func pushBatches(
    _ zone: CloudZone, _ progress: Progress, _ portion: AssetPortion = AssetPortion()
  ) async throws -> PushReport {
    let isFresh = connections.withLock { $0[zone] == nil }
    let name = zone.key
    if zone != self.zone {
      guard try await read({ try $0.hasWaitingRemoteRecords(in: name) }) else {
        return PushReport()
      }
    }
    let known = try await connect(zone)
    let count = try await write(in: zone) { try $0.transaction.countWaitingRemoteRecords(in: name) }
    guard count > 0 else { return PushReport() }
    guard known.access == .readWrite else {
      if zone != self.zone { return PushReport() }
      throw CloudError(
        .readOnly, message: "The zone can only be read. Edits made here stay waiting.")
    }
    if !isFresh { try await check(zone) }
    try await catchUp(zone)
    if portion.through == nil { progress.expect(count) }
    var course = PushCourse(
      zone: zone, size: known.limits.batch, portion: portion, largest: known.limits.batch,
      later: Set(suspects.withLock { $0[zone]?.keys }.map(Array.init) ?? []))
    var (passes, sent) = (0, 0)
    while passes < Self.passes {
      course.cursor = portion.after
      let before = course.report
      while try await pushBatch(&course) {
        progress.advance(course.report.sent - sent)
        sent = course.report.sent
        monitor.tell()
      }
      if course.suspects.contains(where: { $0.error.isTemporary }) {
        // Nothing came after them that would have told whose fault it is.
        course.suspects = []
        continue
      }
      let isSettled = course.report.conflicts == before.conflicts
      if isSettled, course.later.isEmpty { break }
      if isSettled { (course.later, course.size) = ([], 1) } else { passes += 1 }
    }
    // The last record failed alone, behind others that the server took.
    if course.report.batches > 0 { try await settle(&course) }
    let failed = course.suspects.map { ($0.save.name, $0.error) } + course.failed.map { ($0, $1) }
    if let first = failed.min(by: { $0.0 < $1.0 }) { throw Self.left(failed.count, first.1) }
    if course.deleted > 0 { try await write(in: zone) { $0.zone.deleted = 0 } }
    return course.report
  }

  private static func left(_ count: Int, _ error: CloudError) -> CloudError {
    CloudError(
      error.code,
      message: "\(error.message) \(count == 1 ? "One record stays" : "\(count) records stay") "
        + "waiting because of that; the others were sent.", retryAfter: error.retryAfter)
  }

  /// Sends the batch at the cursor.
  ///
  /// - Returns: Whether there may be more.
  private func pushBatch(_ course: inout PushCourse) async throws -> Bool {
    let (zone, portion) = (course.zone, course.portion)
    let (name, cursor, size, fields) = (zone.key, course.cursor, course.size, fields)
    var (saves, sent, last) = try await write(in: zone) { writing in
      let records = try writing.transaction.waitingRemoteRecords(
        in: name, after: cursor, limit: size
      ).filter { record in portion.through.map { record.name <= $0 } ?? true }
      let builder = SaveBuilder(
        writing.transaction, zone: name, fields: fields, ready: portion.ready)
      let sent = Dictionary(records.map { ($0.name, $0) }) { first, _ in first }
      return (try builder.saves(records), sent, records.last?.name)
    }
    guard let last else { return false }
    let (failed, later) = (course.failed, course.later)
    let left = chosen(saves.filter { failed[$0.name] == nil && !later.contains($0.name) }, &sent)
    guard !left.isEmpty else {
      course.cursor = last
      return true
    }
    do {
      let results = try await attempt(&course.patience) {
        try await transport.save(left, in: course.zone)
      }
      guard results.count == left.count else {
        throw CloudError(
          .unreachable, message: "The server did not answer for every record. Sync again later.")
      }
      try await answer(left, results, sent, &course)
    } catch let error as CloudError {
      try await recover(from: error, left, last, &course)
      return true
    }
    course.cursor = last
    course.size = min(course.size * 2, course.largest)
    try await settle(&course)
    return true
  }

  /// The server takes records: those that it would not take alone are at fault themselves. One that
  /// is too large is a problem; one with which the server fails waits, because that is a fault of
  /// the server.
  private func settle(_ course: inout PushCourse) async throws {
    course.patience = CloudPatience()
    let suspects = course.suspects
    course.suspects = []
    for (save, error) in suspects {
      if error.code == .tooLarge {
        try await answer([save], [.refused(error.message)], [:], &course)
      } else {
        course.failed[save.name] = error
      }
    }
    guard course.unread >= Self.longestUnread else { return }
    course.unread = 0
    _ = try await pullPages(in: course.zone)
  }

  /// Nothing is known about a batch: goes on with fewer at once, and past a record that fails
  /// alone, until it has failed too often without any answer.
  private func recover(
    from error: CloudError, _ saves: [CloudSave], _ last: String, _ course: inout PushCourse
  ) async throws {
    switch error.code {
    case .tooLarge where saves.count > 1:
      // The limit may have been lowered since it was read.
      course.largest = try await request { try await transport.limits() }.batch
      course.size = saves.count > course.largest ? course.largest : (saves.count + 1) / 2
      return
    case .tooLarge, .unreachable: break
    case .busy:
      try await fail(error, &course)
      return
    default: throw error
    }
    if saves.count == 1 {
      course.suspects.append((saves[0], error))
      let (zone, name) = (course.zone, saves[0].name)
      suspects.withLock { $0[zone, default: [:]][name] = error }
      course.cursor = last
    } else {
      // Twice in a row is no matter of how many.
      course.size = course.patience.failures > 0 ? 1 : (saves.count + 1) / 2
    }
    try await fail(error, &course)
  }

  /// Counts a failure, and pulls: a batch whose answer was lost may have been written all the same.
  private func fail(_ error: CloudError, _ course: inout PushCourse) async throws {
    course.patience.fail()
    guard course.patience.failures <= max(retry.attempts, Self.fewestAttempts) else { throw error }
    // A failure of the connection ends the pull, too.
    try await pause(&course.patience)
    _ = try await pullPages(in: course.zone)
  }

  /// Writes down the server's answer to a batch, in one transaction.
  ///
  /// - Parameter sent: Records as they were when their saves were made of them.
  private func answer(
    _ saves: [CloudSave], _ results: [CloudSaveResult], _ sent: [String: RemoteRecord],
    _ course: inout PushCourse
  ) async throws {
    let (zone, name, transport) = (course.zone, course.zone.key, transport)
    suspects.withLock { suspects in
      for save in saves { suspects[zone]?[save.name] = nil }
    }
    let isNoted = Locked(false)
    var sent = sent
    let shown = zip(saves, results).compactMap { save, result -> CloudRecord? in
      switch result {
      case .saved(let record):
        if save.tag != nil || record.content != save.content { sent[save.name] = nil }
        return record
      case .conflict(let record):
        sent[save.name] = nil
        return record
      case .missing, .refused: return nil
      }
    }
    let counts = try await store(shown, in: zone, isFeed: false, sent: sent, deletionGuard) {
      writing in
      for (save, result) in zip(saves, results) {
        switch result {
        case .saved, .conflict: break
        case .missing: try Self.forgetTag(of: save.name, in: writing)
        case .refused(let reason):
          guard var record = try writing.transaction.remoteRecord(save.name, in: name) else {
            continue
          }
          record.problem = reason
          try writing.transaction.setRemoteRecord(record)
        }
      }
      writing.zone.lastPush = writing.transaction.milliseconds
      let before = writing.zone.token
      writing.zone.token = before.map {
        transport.token(CloudToken(rawValue: $0), knowing: shown).rawValue
      }
      let isOther = writing.zone.token != before
      isNoted.withLock { $0 = isOther }
    }
    course.deleted += counts.deleted
    if isNoted.withLock({ $0 }) { course.unread += saves.count }
    // A pull shows which records the server has lost before more is written over them.
    if counts.isBehind { course.unread = Self.longestUnread }
    course.report.batches += 1
    course.report.zones.insert(course.zone)
    for result in results {
      switch result {
      case .saved: course.report.sent += 1
      case .conflict, .missing: course.report.conflicts += 1
      case .refused: course.report.refused += 1
      }
    }
  }

  /// The server has no such record: it is sent as a whole, or, when the object is gone here too,
  /// not any more.
  private static func forgetTag(of name: String, in writing: CloudWriting) throws {
    guard var record = try writing.transaction.remoteRecord(name, in: writing.zone.name) else {
      return
    }
    record.tag = nil
    record.waiting = record.row == nil && !record.isJoined ? [] : [.whole]
    try writing.transaction.setRemoteRecord(record)
  }
}
