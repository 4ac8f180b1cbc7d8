import SyncCore
import SyncEngine
import SyncStore

/// Writing the records that a server shows.
extension CloudEngine {
  /// Writes a page together with its place.
  func store(
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
    try await withStore { [self] store in
      do {
        return try write(
          records, zone, to: store, isFeed: isFeed, sent: sent, deletionGuard, note)
      } catch let error as StoreError where error.code == .notUnique {
        let counts = try inHalves(records[...]) { part in
          try write(Array(part), zone, to: store, isFeed: isFeed, deletionGuard)
        } alone: { record in
          try setAside(record, zone, to: store)
        }
        try write(to: store, in: zone, note)
        return counts
      }
    }
  }

  /// Writes records in one transaction, on the calling thread.
  func write(
    _ records: [CloudRecord], _ zone: CloudZone, to store: Store, isFeed: Bool = false,
    sent: [String: RemoteRecord] = [:], _ deletionGuard: DeletionGuard = .off,
    _ note: (CloudWriting) throws -> Void = { _ in }
  ) throws -> RecordWriter.Counts {
    try write(to: store, in: zone) { writing in
      var writer = RecordWriter(writing)
      try writer.write(records, isFeed: isFeed, sent: sent)
      if writer.counts.isBehind { writing.zone.token = Self.startingOver.rawValue }
      try Self.count(writer.counts.deleted, deletionGuard, in: writing)
      try note(writing)
      return writer.counts
    }
  }

  /// Puts a record aside that breaks a uniqueness constraint.
  func setAside(
    _ record: CloudRecord, _ zone: CloudZone, to store: Store
  ) throws -> RecordWriter.Counts {
    try write(to: store, in: zone) { writing in
      var writer = RecordWriter(writing)
      try writer.setAside(record)
      return writer.counts
    }
  }

  /// Tries once more the records that were put aside, as far as no object is in their way any more.
  func retrySetAside(
    _ zone: CloudZone, _ deletionGuard: DeletionGuard
  ) async throws -> RecordWriter.Counts {
    var counts = RecordWriter.Counts()
    let name = zone.key
    guard try await read({ try !$0.remoteProblems(in: name).isEmpty }) else { return counts }
    let (free, deleted) = try await write(in: zone) { writing in
      let aside = SetAside(writing: writing)
      let deleted = try aside.deleteDenied()
      try Self.count(deleted, deletionGuard, in: writing)
      writing.zone.deleted = 0
      return (try aside.free(), deleted)
    }
    counts.deleted = deleted
    if !free.isEmpty {
      // A record that fails alone stays aside.
      counts.add(
        try await withStore { [self] store in
          try inHalves(free[...]) { part in
            try write(to: store, in: zone) { try SetAside(writing: $0).read(Array(part)) }
          } alone: { _ in
            RecordWriter.Counts()
          }
        })
    }
    counts.problems = 0
    return counts
  }

  /// Writes records, and finds those by halves that break a uniqueness constraint.
  func inHalves<Record>(
    _ records: ArraySlice<Record>,
    _ write: (ArraySlice<Record>) throws -> RecordWriter.Counts,
    alone: (Record) throws -> RecordWriter.Counts
  ) throws -> RecordWriter.Counts {
    do {
      return try write(records)
    } catch let error as StoreError where error.code == .notUnique {
      guard let record = records.first else { throw error }
      if records.count == 1 { return try alone(record) }
      let middle = records.startIndex + records.count / 2
      var counts = try inHalves(records[..<middle], write, alone: alone)
      counts.add(try inHalves(records[middle...], write, alone: alone))
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
