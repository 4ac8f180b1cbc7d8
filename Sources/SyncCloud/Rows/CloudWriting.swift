import SyncCore
import SyncStore

/// One transaction of an engine: the rows, and what remote sync keeps beside them. Confined to the body of a write.
final class CloudWriting {
  let transaction: StoreTransaction
  let fields: TravellingFields
  var zone: RemoteZone
  var clock: StampClock

  /// Whether any link waits for its target, so that it has to be looked for.
  var hasLinks: Bool

  /// Lists of which members came or the order was said anew, so that they have to be arranged.
  var lists: Set<ListKey> = []
  private let before: RemoteZone

  init(_ transaction: StoreTransaction, zone name: String, fields: TravellingFields, writer: String)
    throws
  {
    self.transaction = transaction
    self.fields = fields
    try transaction.makeRemoteTables()
    let known = try transaction.remoteZone(name)
    before = known ?? RemoteZone(name)
    zone = before
    clock = StampClock(writer: writer, last: zone.clock)
    hasLinks = try transaction.countRemoteLinks(in: name) > 0
  }

  var model: ManagedObjectModel { transaction.model }

  /// Keeps the zone as it is now. Called last.
  func finish() throws {
    zone.clock = clock.last
    if zone != before { try transaction.setRemoteZone(zone) }
  }

  /// Keeps a record, when it is another one than before.
  func store(_ record: RemoteRecord, before: RemoteRecord?) throws {
    if record != before { try transaction.setRemoteRecord(record, before: before) }
  }

  func setLink(_ link: RemoteLink) throws {
    hasLinks = true
    try transaction.setRemoteLink(link, in: zone.name)
  }

  func removeLink(from source: String, _ field: String) throws {
    if hasLinks { try transaction.removeRemoteLink(from: source, field, in: zone.name) }
  }

  /// Forgets where an object that goes has led, and the orders of its lists.
  func forgetReferences(of name: String) throws {
    try removeLinks(from: name)
    if fields.hasLists { try transaction.removeRemoteLists(of: name, in: zone.name) }
  }

  /// Has a list arranged before the transaction ends, when its order travels.
  func touchList(
    _ owner: Int64, _ entity: EntityDescription, _ relationship: RelationshipDescription
  ) {
    guard relationship.isOrdered else { return }
    lists.insert(ListKey(root: entity.rootIndex, owner: owner, field: relationship.name))
  }

  func removeLinks(from source: String) throws {
    guard hasLinks else { return }
    for link in try transaction.remoteLinks(from: source, in: zone.name) {
      try transaction.removeRemoteLink(from: source, link.field, in: zone.name)
    }
  }
}

@available(*, unavailable, message: "Confined to the body of a write.")
extension CloudWriting: Sendable {}
