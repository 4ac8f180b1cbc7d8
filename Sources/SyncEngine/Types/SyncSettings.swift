public import SyncCore

/// The permissions and the care of a sync: the settings that a ``Sync`` and a ``SyncSession``
/// share.
///
/// Both have each of them as a property of their own:
///
/// ```swift
/// sync.operations = [.insert, .update]
/// session.filter = Filter("createdAt > %@", yesterday)
/// ```
public struct SyncSettings: Sendable {
  /// Limits the stored objects that take part: only those that meet it can be deleted. It never
  /// limits the payload. Default: every object of the entity.
  public var filter: Filter?

  /// The changes that the sync may make. Default: ``SyncOperations/all``.
  public var operations = SyncOperations.all

  /// Whether an item at the top of the payload says that its object is deleted, as in `{
  /// $0["deleted"] == true }`. Of such an item only the key counts: stored objects with it are
  /// deleted, by the delete rules of the model, and none is inserted. Where several items have a
  /// key, the last one counts. A model says it with the user info `sync.tombstoneKey` of an entity,
  /// for nested items too, a serializer with `deletes`. It takes ``SyncOperations/update`` or
  /// ``SyncOperations/delete``; the deletion guard does not count these. Default: nil.
  public var deletes: ItemTest?

  /// Rewrites the payload once, before it is read: is given the value at the path of the sync, the
  /// whole document without one, and returns the value that is read in its place. Paths of findings
  /// stay those of the document: an item that the closure leaves as it is has the path that it had,
  /// even if it is moved. The payload is in memory as a whole then, and items that come again are
  /// read again. Default: nil.
  ///
  /// ```swift
  /// sync.prepare = { document in                       // a delta with a list of deleted keys
  ///   let deleted = document["deleted"]?.arrayValue ?? []
  ///   return .array((document["items"]?.arrayValue ?? []) + deleted.map { ["id": $0, "deleted": true] })
  /// }
  /// ```
  public var prepare: (@Sendable (JSONValue) throws -> JSONValue)?

  /// How strictly the JSON is read.
  public var reading = JSONReadingOptions()

  /// The policy for an item that cannot be stored as it stands. Nil, the default, is
  /// ``ItemErrorPolicy/skip``, for conventional mapping and serializers alike.
  public var onItemError: ItemErrorPolicy?

  /// Whether deleting much is refused, and the limits of it; in a session it counts over all pages.
  /// Default: on, with the limits of ``DeletionGuard/on``.
  public var deletionGuard: DeletionGuard = .on

  /// Whether a key that no object has is remembered in the store and linked by a later sync, with
  /// this setting too, that brings the object. A to-one relationship is empty meanwhile; a required
  /// one keeps its object, and its key is not remembered. A key is forgotten when the relationship
  /// is given again or set otherwise, and when its owner goes. Default: false; within one sync and
  /// one page session the order of arrival never matters.
  public var deferReferences = false

  /// The author of the changes, in change sets and history.
  public var author: String?

  /// The defaults.
  public init() {}
}

/// How much of a sync is stored at once.
public enum SyncTransaction: Sendable, Hashable {
  /// Everything or nothing: the default.
  case whole
  /// A commit for every so many items at the top of the payload, and a last one for the deletions.
  /// A sync that is stopped keeps its commits; deletions are then not made.
  ///
  /// A further sync of the same payload begins at its beginning, finds stored objects unchanged,
  /// and makes the deletions at its end. Objects of ``SyncOperations/alwaysInsert`` it cannot
  /// recognise: it inserts them again.
  ///
  /// The number has to be at least 1; otherwise the sync fails with
  /// ``SyncError/Code/invalidRequest``.
  case perBatch(Int)

  /// - Throws: ``SyncError`` with ``SyncError/Code/invalidRequest`` when batches would hold
  /// nothing.
  func check() throws {
    guard case .perBatch(let count) = self, count < 1 else { return }
    throw SyncError(
      .invalidRequest,
      message:
        "Batches of \(count) items cannot be committed. Give perBatch a number of at least 1.")
  }
}

/// The setup of one sync: the settings that it shares with the pages of a session, and where its
/// items stand, the parent of its children, and how they are stored.
package struct SyncSetup: Sendable {
  package var settings = SyncSettings()
  /// Leads to the list inside the document; nil is the document itself.
  package var path: JSONPath?
  /// The object whose children the items are.
  package var parent: ManagedObjectID?
  /// The name of the relationship between them, at either end.
  package var parentRelationship: String?
  package var transaction = SyncTransaction.whole
  /// Values that the last transaction writes beside the objects.
  package var metadata = StoreMetadata()
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
