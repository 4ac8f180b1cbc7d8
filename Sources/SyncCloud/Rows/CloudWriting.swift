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

  /// Whether values came that stand for files.
  var bringsAssets = false

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

  /// Whether stamps that nobody believes are written anew: in the public zone they are mostly other people's.
  var heals: Bool { zone.name == CloudZone(.private).name }

  /// Notes that the server has a version of a record.
  func see(_ record: CloudRecord) {
    guard record.content != nil, record.time > 0, record.time >= zone.newest else { return }
    (zone.newest, zone.witness) = (record.time, record.name)
  }

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

  /// Leads to an object that came whatever waited for it, and joins it with what it is paired with.
  func follow(_ name: String, _ row: Int64, _ entity: EntityDescription) throws {
    for link in hasLinks ? try transaction.remoteLinks(to: name, in: zone.name) : [] {
      guard let source = try transaction.remoteRecord(link.source, in: zone.name),
        let sourceRow = source.row, let owner = model.entity(named: source.entity),
        let property = owner.property(named: link.field),
        let relationship = property.relationship,
        entity.isKind(of: owner.destination(of: relationship))
      else { continue }
      try RowValueWriter(self, owner).update(sourceRow, [(property.slot, .int(row))])
      try removeLink(from: link.source, link.field)
    }
    try PairWriter(self).follow(name)
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
