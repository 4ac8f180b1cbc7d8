package import SyncCore

/// What one sync is told: the settings that it shares with the pages of a session, and where its items stand, whose
/// children they are, and how they are stored.
package struct SyncSetup: Sendable {
  package var settings = SyncSettings()
  /// Leads to the list inside the document; nil is the document itself.
  package var path: JSONPath?
  /// The object whose children the items are.
  package var parent: ManagedObjectID?
  /// The name of the relationship between them, at either end.
  package var parentRelationship: String?
  package var transaction = SyncTransaction.whole
  package var isDryRun = false
  /// Whether items that are as they were when they were stored are passed over.
  package var usesFingerprints = true

  package init() {}

  init(
    _ filter: Filter?, parent: ManagedObjectID?, _ parentRelationship: String?,
    _ operations: SyncOperations, at path: JSONPath? = nil
  ) {
    settings.filter = filter
    settings.operations = operations
    self.parent = parent
    self.parentRelationship = parentRelationship
    self.path = path
  }

  /// - Throws: ``SyncError`` with ``SyncError/Code/invalidRequest`` when something cannot be meant.
  func check() throws {
    try transaction.check()
    try settings.deletionGuard.check()
  }
}
