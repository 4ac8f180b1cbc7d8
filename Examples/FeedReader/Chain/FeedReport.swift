import SyncStack

/// What an import did.
struct FeedReport: Sendable, Equatable {
  var pages = 0
  var inserted = 0
  var updated = 0
  var deleted = 0

  /// Adds what one of its syncs did.
  mutating func add(_ report: SyncReport) {
    inserted += report.inserted
    updated += report.updated
    deleted += report.deleted
  }
}

extension FeedReport: CustomStringConvertible {
  var description: String {
    "\(pages) pages: \(inserted) inserted, \(updated) updated, \(deleted) deleted"
  }
}
