package import SyncCore
package import SyncStore

/// Everything one sync run needs to know.
package struct SyncRequest {
  package var plan: MappingPlan
  package var payload: SyncPayload

  /// The setup of the sync; a request may allow less of it (``limitToPlan()``).
  package var setup: SyncSetup

  /// Whether an object of objects at the place of the list is a list of them, by their keys.
  package var takesMembers = false

  /// Whether another list of the sync has read the same document to its end, before this one.
  var isChecked = false

  /// The rewritten payload, once there is one.
  var rewritten: RewrittenPayload?

  /// Whether the payload need not be rewritten before it is read.
  var isReadAsItStands: Bool {
    rewritten != nil || settings.prepare == nil && !payload.isJSONAPI
  }

  /// Whether the payload says nothing at all, not even that there are no objects: null, for a
  /// mapping by hand.
  var saysNothing = false

  /// Stored rows that the only item of the payload describes, even under another key: all of them
  /// take its values, a new key among them.
  package var targets: [Int64] = []
  package var hooks = SyncHooks()
  package var tuning = SyncTuning()

  /// Name of the operation or context, for the history.
  package var name: String?

  /// The page session that the payload is a page of; its deletions are made when it is finished.
  package var session: SessionState?

  /// Where the payload stands as a page of a session, or as a list of a sync that has several; nil
  /// where it is the only one.
  package var place: PlaceOfPage?

  /// The name of that page, if it has one.
  package var pageName: String?

  package init(plan: MappingPlan, payload: SyncPayload, setup: SyncSetup = SyncSetup()) {
    self.plan = plan
    self.payload = payload
    self.setup = setup
  }

  /// The request for one object. Its nested objects come and go as in every sync; other objects of
  /// its entity stay as they are.
  ///
  /// - Parameter rows: The stored objects that the JSON describes, even under another key; none is
  ///   the object of its key, which is inserted when it is not there.
  init(object item: JSONValue, plan: MappingPlan, rows: [Int64]) {
    self.init(plan: plan, payload: .json(item))
    targets = rows
    settings.operations.remove(rows.isEmpty ? .delete : [.insert, .delete])
    // It is compared sooner than fingerprints are read.
    setup.usesFingerprints = false
    // There is nothing but this one item to go on with.
    hooks.onRejected = { item, _ in throw item.reason }
  }

  package var settings: SyncSettings {
    get { setup.settings }
    set { setup.settings = newValue }
  }

  /// The number of the list that the items belong to.
  var list: Int { place?.list ?? 0 }

  /// The policy for an item that cannot be stored.
  var itemPolicy: ItemErrorPolicy { settings.onItemError ?? .skip }

  /// Does no more than the plan allows: a mapping that was written by hand says which stored
  /// objects it is about, and whether any of them go.
  mutating func limitToPlan() {
    let node = plan.rootNode
    if !node.deletesMissing
      || node.hasToNameIdentifiers
        && (node.policy.deletionScope == .nothing || node.identity.isEmpty)
    {
      settings.operations.remove(.delete)
    }
    if let group = node.group {
      settings.filter = settings.filter.map { .all([group, $0]) } ?? group
    }
  }
}

@available(*, unavailable, message: "A request may hold hooks that belong to one thread.")
extension SyncRequest: Sendable {}

/// Where a page stands.
package struct PlaceOfPage {
  /// The number of its list.
  package var list: Int
  /// Whether no page comes after it in the transaction.
  var isLast = true

  package init(list: Int) { self.list = list }
}

/// Closures that a running sync calls.
package struct SyncHooks {
  /// Asked for each item that is about to become a new object; may return another one.
  package var willInsert: WillInsert?

  /// Called for each item that is left out, inside the transaction, before its part of the payload
  /// is written; an error that it throws fails the sync.
  package var onRejected: ((RejectedItem, StoreTransaction) throws -> Void)?

  /// Called at the end of the last transaction, inside it.
  package var willEnd: ((StoreTransaction) throws -> Void)?

  package typealias WillInsert = (
    _ item: JSONValue, _ entity: EntityDescription, _ parent: ManagedObjectID?
  ) throws -> JSONValue
}

@available(*, unavailable, message: "Hooks may belong to one thread.")
extension SyncHooks: Sendable {}

/// Which of several ways a sync goes that give the same. Tests compare them.
package struct SyncTuning: Sendable {
  /// Payloads larger than this many bytes are worked off in parts.
  package var streamingThreshold = PayloadFile.largestInMemory
  /// Payloads larger than this many bytes are so as well where nothing is stored yet.
  package var firstImportThreshold = 16 << 20
  /// Items of a part; nil goes by the size of the payload.
  package var partItems: Int?
  /// Whether a part is read while the one before it is written.
  package var readsAhead = true
  /// How many rows a scan passes in the time in which one key is looked up (measured): a table that
  /// has fewer rows for each key that a payload mentions is scanned. 0 looks everything up.
  package var scannedRowsPerKey = 6
}
