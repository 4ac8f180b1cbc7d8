import SyncCore
import SyncStore

/// One transaction of an engine: the rows, and the records of remote sync beside them. Confined to
/// the body of a write.
///
/// It works on one zone at a time. The engine's own zone keeps the state that all zones share: how
/// far the history was read, the clock, and the model.
final class CloudWriting {
  let transaction: StoreTransaction
  let fields: TravellingFields
  var clock: StampClock

  /// The name of the engine's own zone.
  let homeName: String

  /// Zones that were looked at, as they are and as they were.
  private var zones: [String: (now: RemoteZone, before: RemoteZone)] = [:]
  private(set) var current: String

  /// Whether any link waits for its target, so that it has to be looked for.
  var hasLinks: Bool

  /// Whether an object may be in another zone than its parent, so that the next push has to look.
  var hasStrays = false

  /// Whether placeholders for files came.
  var bringsAssets = false

  /// Names of objects that came from another zone, by zone: once all edits were read, references
  /// that waited for them lead there, and they are joined and parted as their pairs are said to be.
  var arrivals: [String: Set<String>] = [:]

  /// Lists of which members came or the order was said anew, so that they have to be arranged.
  var lists: Set<ListKey> = []

  init(_ transaction: StoreTransaction, home: String, fields: TravellingFields, writer: String)
    throws
  {
    self.transaction = transaction
    self.fields = fields
    (homeName, current) = (home, home)
    try transaction.makeRemoteTables()
    clock = StampClock(writer: writer)
    hasLinks = try transaction.hasRemoteLinks()
    try load(home)
    clock = StampClock(writer: writer, last: self.home.clock)
  }

  /// The zone that is worked on.
  var zone: RemoteZone {
    get { zones[current]?.now ?? RemoteZone(current) }
    set { zones[current]?.now = newValue }
  }

  /// The engine's own zone.
  var home: RemoteZone {
    get { zones[homeName]?.now ?? RemoteZone(homeName) }
    set { zones[homeName]?.now = newValue }
  }

  private func load(_ name: String) throws {
    guard zones[name] == nil else { return }
    let known = try transaction.remoteZone(name) ?? RemoteZone(name)
    zones[name] = (known, known)
  }

  /// Works on another zone for a while.
  func enter<T>(_ name: String, _ body: () throws -> T) throws -> T {
    try load(name)
    let before = current
    current = name
    defer { current = before }
    return try body()
  }

  /// Keeps a zone, whatever is known of it, so that its records are found.
  func keep(_ name: String) throws {
    try load(name)
    guard let zone = zones[name]?.now, try transaction.remoteZone(name) == nil else { return }
    try transaction.setRemoteZone(zone)
  }

  /// Forgets a zone that is not worked on.
  func remove(_ name: String) throws {
    zones[name] = nil
    try transaction.removeRemoteZone(name, keepingConflictsIn: homeName)
  }

  /// The zones that are shared, with this account or by it.
  private(set) lazy var sharedZones = Result { try transaction.sharedZones(home: homeName) }

  /// Looks for them anew: the records came that say which they are.
  func findSharedZones() {
    sharedZones = Result { try transaction.sharedZones(home: homeName) }
  }

  /// The zone that is worked on, and all others.
  func zoneNames() throws -> [String] {
    let all = [homeName] + (try sharedZones.get().map(\.key))
    return [current] + all.filter { $0 != current }
  }

  var model: ManagedObjectModel { transaction.model }

  /// The object of a record; nil while there is none, or the model does not know its entity.
  func object(of record: RemoteRecord) -> ManagedObjectID? { record.object(in: model) }

  /// Whether corrected stamps are written to the server: in the public zone they are mostly other
  /// people's.
  var heals: Bool { current == Self.ownName }

  /// Whether the engine works on the account's own zone, with shared zones beside it.
  var hasShares: Bool { homeName == Self.ownName && fields.hasParents }

  private static let ownName = CloudZone(.private).name

  /// Notes that the server has versions of records.
  func see(_ records: [CloudRecord]) {
    var (newest, witness) = (zone.newest, zone.witness)
    for record in records
    where record.content != nil && record.time > 0 && record.time >= newest {
      (newest, witness) = (record.time, record.name)
    }
    (zone.newest, zone.witness) = (newest, witness)
  }

  /// Leads references to objects that came from another zone, joins and parts those, looks once
  /// more at references that were refused, arranges lists whose members came, and keeps the zones
  /// as they are now. Called last.
  func finish() throws {
    for (zone, names) in arrivals.inKeyOrder {
      try enter(zone) {
        for name in names.sorted() {
          let record = hasLinks ? try transaction.remoteRecord(name, in: zone) : nil
          if let object = record.flatMap(object(of:)) {
            try followLinks(to: name, object.row, object.entity)
          }
          try PairWriter(writing: self).follow(name, parting: .all)
        }
      }
    }
    arrivals = [:]
    try settleForeign()
    try ListOrder(transaction: transaction).arrange(self)
    home.clock = clock.last
    for (_, zone) in zones.inKeyOrder where zone.now != zone.before {
      try transaction.setRemoteZone(zone.now)
    }
  }

  /// Keeps a record, when it is another one than before.
  func store(_ record: RemoteRecord, before: RemoteRecord?) throws {
    if record != before { try transaction.setRemoteRecord(record, before: before) }
  }

  /// Has a list arranged before the transaction ends, when its order travels.
  func touchList(
    _ owner: Int64, _ entity: EntityDescription, _ relationship: RelationshipDescription
  ) {
    guard relationship.isOrdered else { return }
    lists.insert(ListKey(root: entity.rootIndex, owner: owner, field: relationship.name))
  }

  /// The record of an object that is here, in whatever zone; one of the zone that is worked on
  /// first.
  func find(_ name: String, _ destination: EntityDescription) throws -> RemoteRecord? {
    for zone in try zoneNames() {
      let record = try transaction.remoteRecord(name, in: zone)
      if let record, record.row != nil,
        model.entity(named: record.entity)?.isKind(of: destination) == true
      {
        return record
      }
    }
    return nil
  }

  /// Whether this engine works on a zone: the home zone, or beside one's own any shared one, also
  /// one whose share has ended and whose objects are still on their way home.
  func isOurs(_ zone: String) -> Bool {
    zone == homeName || homeName == Self.ownName && CloudZone(key: zone).root != nil
  }
}

extension RemoteRecord {
  /// Its object; nil while there is none, or a model does not know its entity.
  func object(in model: ManagedObjectModel) -> ManagedObjectID? {
    guard let row, let entity = model.entity(named: entity) else { return nil }
    return ManagedObjectID(entity: entity, row: row)
  }
}

@available(*, unavailable, message: "Confined to the body of a write.")
extension CloudWriting: Sendable {}

/// A part of the work of a write, on the zone that the write is working on.
protocol WritingPart {
  var writing: CloudWriting { get }
}

extension WritingPart {
  var transaction: StoreTransaction { writing.transaction }

  /// The name of the zone that is worked on.
  var zone: String { writing.zone.name }
}
