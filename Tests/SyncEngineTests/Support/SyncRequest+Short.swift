import SyncStack

/// The parts of a request by short names, as tests set them.
extension SyncRequest {
  var operations: SyncOperations {
    get { settings.operations }
    set { settings.operations = newValue }
  }
  var filter: Filter? {
    get { settings.filter }
    set { settings.filter = newValue }
  }
  var onItemError: ItemErrorPolicy? {
    get { settings.onItemError }
    set { settings.onItemError = newValue }
  }
  var deletionGuard: DeletionGuard {
    get { settings.deletionGuard }
    set { settings.deletionGuard = newValue }
  }
  var defersReferences: Bool {
    get { settings.deferReferences }
    set { settings.deferReferences = newValue }
  }
  var reading: JSONReadingOptions {
    get { settings.reading }
    set { settings.reading = newValue }
  }
  var path: JSONPath? {
    get { setup.path }
    set { setup.path = newValue }
  }
  var parent: ManagedObjectID? {
    get { setup.parent }
    set { setup.parent = newValue }
  }
  var parentRelationship: String? {
    get { setup.parentRelationship }
    set { setup.parentRelationship = newValue }
  }
  var transaction: SyncTransaction {
    get { setup.transaction }
    set { setup.transaction = newValue }
  }
  var isDryRun: Bool {
    get { setup.isDryRun }
    set { setup.isDryRun = newValue }
  }
  var usesFingerprints: Bool {
    get { setup.usesFingerprints }
    set { setup.usesFingerprints = newValue }
  }
  var partItems: Int? {
    get { tuning.partItems }
    set { tuning.partItems = newValue }
  }
  var readsAhead: Bool {
    get { tuning.readsAhead }
    set { tuning.readsAhead = newValue }
  }
  var scannedRowsPerKey: Int {
    get { tuning.scannedRowsPerKey }
    set { tuning.scannedRowsPerKey = newValue }
  }
  var willInsert: SyncHooks.WillInsert? {
    get { hooks.willInsert }
    set { hooks.willInsert = newValue }
  }
  var onLeftOut: ((LeftOutItem, StoreTransaction) throws -> Void)? {
    get { hooks.onLeftOut }
    set { hooks.onLeftOut = newValue }
  }
}
