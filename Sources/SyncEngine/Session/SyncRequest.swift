package import SyncCore
package import SyncStore

/// Everything one sync run needs to know.
package struct SyncRequest {
  package var plan: MappingPlan
  package var payload: SyncPayload
  /// Leads to the list inside the document; nil is the document itself.
  package var path: JSONPath?
  /// Whether an object of objects at that place is a list of them, by their keys.
  package var takesMembers = false
  /// Rewrites what stands at that place, once.
  package var prepare: ((JSONValue) throws -> JSONValue)?
  /// What the payload was rewritten into, once it is.
  var rewritten: RewrittenPayload?
  /// Says of items at the top that their objects are deleted, beside what the plan says.
  package var deletes: ItemTest?
  package var reading = JSONReadingOptions()
  package var operations: SyncOperations = .all
  /// Limits the stored objects that take part.
  package var filter: Filter?
  /// The object whose children the items are, and the child's or parent's relationship between them.
  package var parent: ManagedObjectID?
  package var parentRelationship: String?
  /// Nil leaves items out.
  package var onItemError: ItemErrorPolicy?

  /// Called for each item that is left out, inside the transaction, before its part of the payload is
  /// written; what it throws fails the sync.
  package var onLeftOut: ((LeftOutItem, StoreTransaction) throws -> Void)?

  /// Called at the end of the last transaction, inside it.
  package var willEnd: ((StoreTransaction) throws -> Void)?
  package var deletionGuard: DeletionGuard = .on
  package var isDryRun = false
  package var transaction = SyncTransaction.whole
  /// Whether keys without an object are remembered until a later sync brings it.
  package var defersReferences = false
  /// Payloads larger than this many bytes are worked off in parts.
  package var streamingThreshold = PayloadFile.largestInMemory
  /// Items of a part; nil goes by the size of the payload. For tests that compare the two ways.
  package var partItems: Int?
  /// Whether a part is read while the one before it is written. For tests that compare the two ways.
  package var readsAhead = true
  /// Bytes of items that are scanned together on another thread, where a payload is read as a whole: enough to be
  /// worth a wake-up, little against the caches. For tests that compare the two ways.
  package var scannedAhead = 64 << 10
  /// How many stored rows another thread reads at a time, where there are many. For tests that compare the two ways.
  package var sharedRows = 1024
  /// How many rows a scan passes in the time in which one key is looked up (measured): a table that has fewer rows for
  /// each key that a payload mentions is scanned. 0 looks everything up, for tests that compare the two ways.
  package var scannedRowsPerKey = 6
  /// Stored rows that the only item of the payload describes, whatever key it gives: all of them take
  /// its values, a new key among them.
  package var targets: [Int64] = []
  /// Whether items that are as they were when they were stored are passed over.
  package var usesFingerprints = true
  package var author: String?
  package var name: String?
  /// The page session that the payload is a page of; its deletions are made when it is finished.
  package var session: SessionState?
  /// The name of that page, if it has one.
  package var pageName: String?

  /// Whether the payload says nothing at all, not even that there are no objects: null, for a mapping by hand.
  package var saysNothing = false

  /// Asked for each item that is about to become a new object; may return another one.
  package var willInsert: WillInsert?

  package typealias WillInsert = (
    _ item: JSONValue, _ entity: EntityDescription, _ parent: ManagedObjectID?
  ) throws -> JSONValue

  /// What happens to an item that cannot be stored.
  var itemPolicy: ItemErrorPolicy {
    onItemError ?? .skip
  }

  package init(plan: MappingPlan, payload: SyncPayload) {
    self.plan = plan
    self.payload = payload
  }

  /// Does no more than the plan allows: a mapping that was written by hand says which stored objects it is about, and
  /// whether any of them go.
  mutating func limitToPlan() {
    let node = plan.rootNode
    if !node.deletesMissing
      || node.hasToNameIdentifiers
        && (node.policy.deletionScope == .nothing || node.identity.isEmpty)
    {
      operations.remove(.delete)
    }
    if let group = node.group { filter = filter.map { .all([group, $0]) } ?? group }
  }
}

@available(*, unavailable, message: "A request may hold hooks that belong to one thread.")
extension SyncRequest: Sendable {}
