public import SyncCore

/// The settings of a sync before it starts.
extension Sync {
  /// The settings that syncs share with page sessions; each is a property of the sync too.
  public var settings: SyncSettings {
    get { self[\.setup.settings] }
    set { self[\.setup.settings] = newValue }
  }

  /// One of the settings.
  public subscript<Setting>(dynamicMember setting: WritableKeyPath<SyncSettings, Setting>)
    -> Setting
  {
    get { settings[keyPath: setting] }
    set { settings[keyPath: setting] = newValue }
  }

  /// Leads to the list inside the document. Default: the document itself.
  ///
  /// ```swift
  /// sync.path = "data.items"              // a list inside
  /// sync.path = ["odata.value"]           // one key
  /// sync.path = "data.children[].data"    // an object in each element
  /// sync.path = "users.*"                 // an object for each key, which fills the primary key
  /// ```
  public var path: JSONPath? {
    get { self[\.setup.path] }
    set { self[\.setup.path] = newValue }
  }

  /// The object whose children the items are, by its identifier.
  public var parent: ManagedObjectID? {
    get { self[\.setup.parent] }
    set { self[\.setup.parent] = newValue }
  }

  /// The source of the mapping by which the items are read.
  var source: any PlanSource {
    get { self[\.source] }
    set { self[\.source] = newValue }
  }

  /// The relationship between ``parent`` and the items, by its name at either end. Needed only when
  /// there are several.
  public var parentRelationship: String? {
    get { self[\.setup.parentRelationship] }
    set { self[\.setup.parentRelationship] = newValue }
  }

  /// Runs everything, reports everything and stores nothing. Default: false.
  public var isDryRun: Bool {
    get { self[\.setup.isDryRun] }
    set { self[\.setup.isDryRun] = newValue }
  }

  /// Another name of ``isDryRun``.
  public var dryRun: Bool {
    get { isDryRun }
    set { isDryRun = newValue }
  }

  /// Whether an item that comes again as it was stored is passed over, without being read or
  /// compared: the last item is remembered beside the objects, 128 bits for each, and forgotten
  /// when another writer changes them. The result of a sync is the same; it only takes less time.
  /// Default: true.
  public var usesFingerprints: Bool {
    get { self[\.setup.usesFingerprints] }
    set { self[\.setup.usesFingerprints] = newValue }
  }

  /// How much is stored at once. Default: everything or nothing.
  public var transaction: SyncTransaction {
    get { self[\.setup.transaction] }
    set { self[\.setup.transaction] = newValue }
  }

  /// Values that the store keeps beside its objects, such as the place from which the next run goes
  /// on: they are committed with the rows of the sync, those of a sync with a commit per batch with
  /// its last one, those of a page with the page. A sync that fails or is cancelled leaves the
  /// stored values as they were. Default: none.
  ///
  /// ```swift
  /// sync.metadata["topics.cursor"] = .string(next)
  /// ```
  ///
  /// `stack.metadata` reads them.
  public var metadata: StoreMetadata {
    get { self[\.setup.metadata] }
    set { self[\.setup.metadata] = newValue }
  }

  /// Is asked about each new object. Not retained.
  public var delegate: (any SyncDelegate)? {
    get { self[\.delegate] }
    set { self[\.delegate] = newValue }
  }

  /// Is told each step on the thread of the sync, so it has to be quick.
  package var stepObserver: (@Sendable (SyncStep) -> Void)? {
    get { self[\.stepObserver] }
    set { self[\.stepObserver] = newValue }
  }

  private subscript<Setting: Sendable>(_ setting: WritableKeyPath<Preparation, Setting>) -> Setting
  {
    get { prepared.withLock { $0 }[keyPath: setting] }
    set {
      require(
        !isExecuting && !isFinished, "Set a sync up before it starts, or make a new one.")
      prepared.withLock { $0[keyPath: setting] = newValue }
    }
  }
}

/// Takes part in a sync as it runs.
public protocol SyncDelegate: AnyObject, Sendable {
  /// Is asked before an item becomes a new object, nested ones too, and answers the JSON to use:
  /// the item itself, or another one. Its key is decided from the answer, so that an object stored
  /// under that key is updated and not duplicated.
  ///
  /// Called on the thread of the sync, inside its transaction: the stack must not be written to
  /// from here, and a store in memory must not be read from another thread that this one waits for.
  ///
  /// - Parameters:
  ///   - entityName: Entity of the object to be.
  ///   - parent: The object under whose relationship the item stands; nil at the top.
  /// - Throws: An error that ends the sync; the store stays as it was.
  func sync(
    _ sync: Sync, willInsert item: JSONValue, in entityName: String, parent: ManagedObjectID?
  ) throws -> JSONValue
}

extension SyncDelegate {
  public func sync(
    _ sync: Sync, willInsert item: JSONValue, in entityName: String, parent: ManagedObjectID?
  ) throws -> JSONValue {
    item
  }
}
