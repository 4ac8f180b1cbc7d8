public import SyncCore

/// What a sync is told before it starts.
extension Sync {
  /// The settings that syncs share with page sessions; each is a property of the sync too.
  public var settings: SyncSettings {
    get { setup.withLock { $0.settings } }
    set { change { $0.settings = newValue } }
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
    get { setup.withLock { $0.path } }
    set { change { $0.path = newValue } }
  }

  /// The object whose children the items are, by its identifier.
  public var parent: ManagedObjectID? {
    get { setup.withLock { $0.parent } }
    set { change { $0.parent = newValue } }
  }

  /// Who says how the items are read; nil is the conventions of the entity.
  var source: (any PlanSource)? {
    get { setup.withLock { $0.source } }
    set { change { $0.source = newValue } }
  }

  /// The relationship between ``parent`` and the items, by its name at either end. Needed only when
  /// there are several.
  public var parentRelationship: String? {
    get { setup.withLock { $0.parentRelationship } }
    set { change { $0.parentRelationship = newValue } }
  }

  /// Runs everything, reports everything and stores nothing. Default: false.
  public var isDryRun: Bool {
    get { setup.withLock { $0.isDryRun } }
    set { change { $0.isDryRun = newValue } }
  }

  /// Another name of ``isDryRun``.
  public var dryRun: Bool {
    get { isDryRun }
    set { isDryRun = newValue }
  }

  /// Whether an item that comes again as it was stored is passed over, without being read or compared:
  /// what came last is remembered beside the objects, 128 bits for each item, and forgotten when
  /// anybody else changes them. What comes of a sync is the same; it only takes less time. Default:
  /// true.
  public var usesFingerprints: Bool {
    get { setup.withLock { $0.usesFingerprints } }
    set { change { $0.usesFingerprints = newValue } }
  }

  /// How much is stored at once. Default: everything or nothing.
  public var transaction: SyncTransaction {
    get { setup.withLock { $0.transaction } }
    set { change { $0.transaction = newValue } }
  }

  /// Is told each step on the thread of the sync, so it has to be quick.
  package var stepObserver: (@Sendable (SyncStep) -> Void)? {
    get { setup.withLock { $0.stepObserver } }
    set { change { $0.stepObserver = newValue } }
  }

  private func change(_ body: (inout Setup) -> Void) {
    require(
      !isExecuting && !isFinished, "Set a sync up before it starts, or make a new one.")
    setup.withLock { body(&$0) }
  }
}
