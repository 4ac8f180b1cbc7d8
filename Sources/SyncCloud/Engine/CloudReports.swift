/// The outcome of a pull.
public struct PullReport: Sendable, Hashable {
  /// Pages that were fetched.
  public internal(set) var pages = 0

  /// Records that the server showed, versions that were known already among them.
  public internal(set) var records = 0
  /// Objects that are new.
  public internal(set) var inserted = 0
  /// Objects of which properties changed.
  public internal(set) var updated = 0
  /// Objects that were deleted.
  public internal(set) var deleted = 0

  /// Records that could not be used, or only in part; see ``CloudStatus/problems``.
  public internal(set) var problems = 0

  /// Zones of which the server showed records.
  public internal(set) var zones: Set<CloudZone> = []

  /// Zones that another account shared with this one and does no more, and those that the account
  /// left on another machine; their objects are gone here.
  public internal(set) var ended: [CloudZone] = []

  mutating func add(_ other: PullReport) {
    pages += other.pages
    records += other.records
    inserted += other.inserted
    updated += other.updated
    deleted += other.deleted
    problems += other.problems
    zones.formUnion(other.zones)
    ended += other.ended
  }

  mutating func add(_ counts: RecordWriter.Counts) {
    inserted += counts.inserted
    updated += counts.updated
    deleted += counts.deleted
    problems += counts.problems
  }
}

/// The outcome of a push.
public struct PushReport: Sendable, Hashable {
  /// Batches whose answers arrived.
  public internal(set) var batches = 0

  /// Records that were written.
  public internal(set) var sent = 0

  /// Records of which another machine had written another version; they were merged, and sent again
  /// where a field still waited.
  public internal(set) var conflicts = 0

  /// Records that the server refused, or of which a file cannot be sent; see
  /// ``CloudStatus/problems``.
  public internal(set) var refused = 0

  /// Zones to which records were sent.
  public internal(set) var zones: Set<CloudZone> = []

  mutating func add(_ other: PushReport) {
    batches += other.batches
    sent += other.sent
    conflicts += other.conflicts
    refused += other.refused
    zones.formUnion(other.zones)
  }
}
