/// A phase of a sync, in the order in which they run.
public enum SyncPhase: String, Sendable, Hashable, CaseIterable, Codable, Comparable {
  /// The payload is read and checked. The store is not touched.
  case parse
  /// Objects of the payload are looked up in the store and compared.
  case match
  /// New objects are written.
  case insert
  /// Changed values of stored objects are written.
  case update
  /// Memberships and orders are written.
  case link
  /// What nobody claimed is deleted.
  case delete
  /// Everything is checked once more and committed.
  case save

  public static func < (left: SyncPhase, right: SyncPhase) -> Bool {
    left.position < right.position
  }

  package var position: Int { SyncPhase.allCases.firstIndex(of: self) ?? 0 }
}
