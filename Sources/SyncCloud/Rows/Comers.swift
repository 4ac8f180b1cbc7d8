import SyncCore
import SyncStore

/// Objects that are about to get records: which names they have by their identities, and which
/// records are there under those. Confined to the body of a write.
struct Comers: WritingPart {
  let writing: CloudWriting

  /// The names of their identities, and their properties that are empty, or have the model's
  /// default.
  private(set) var identities: [ManagedObjectID: (name: String, unset: SlotSet)] = [:]

  /// The records that have those names in the engine's own zone.
  private(set) var holders: [String: RemoteRecord] = [:]

  /// Those of the objects that have records already.
  private(set) var known: Set<ManagedObjectID> = []

  /// The record that has the name of an identity in a zone.
  func holder(_ name: String, in zone: String) throws -> RemoteRecord? {
    zone == writing.homeName ? holders[name] : try transaction.remoteRecord(name, in: zone)
  }

  /// Notes a record that was made for one of them.
  mutating func note(_ record: RemoteRecord) {
    if record.zone == writing.homeName { holders[record.name] = record }
  }

  /// Reads the identities of objects that came, all of an entity at once, and which have records.
  mutating func read(_ changes: [HistoryChange]) throws {
    var rows: [String: [Int64]] = [:]
    for change in changes { rows[change.entity, default: []].append(change.row) }
    (identities, holders, known) = ([:], [:], [])
    for (name, rows) in rows {
      guard let entity = transaction.model.entity(named: name) else { continue }
      for row in try transaction.remoteRows(of: entity, among: rows) {
        known.insert(ManagedObjectID(entity: entity, row: row))
      }
      try identify(.listed(rows), entity, isNew: true)
    }
  }

  /// Objects that came by the names of their identities: the table of records is sorted by those,
  /// and each new record goes to the page of the one before.
  func inNameOrder(_ changes: [HistoryChange]) -> [HistoryChange] {
    guard !identities.isEmpty else { return changes }
    return changes.sortedByText { change in
      let entity = transaction.model.entity(named: change.entity)
      let id = entity.map { ManagedObjectID(entity: $0, row: change.row) }
      return id.flatMap { identities[$0]?.name } ?? ""
    }
  }

  /// Reads the identities of objects of an entity.
  ///
  /// - Parameter isNew: Whether they came just now, so that properties that were never set are
  ///   noted.
  mutating func identify(
    _ rows: RowSelection, _ entity: EntityDescription, isNew: Bool = false
  ) throws {
    let rules = writing.fields.rules(of: entity)
    let slots = rules.identity
    guard !slots.isEmpty else { return }
    let read = isNew ? Set(slots + rules.fields.map(\.slot)).sorted() : slots
    var names: [String] = []
    try transaction.scan(entity, rows, slots: read, isOrdered: false) { cursor in
      guard cursor.entity == entity,
        let name = RecordName.identity(of: entity, slots, { cursor.value($0) })
      else { return }
      var unset = SlotSet()
      for field in isNew ? rules.fields : []
      where isUnset(entity.properties[field.slot], cursor) { unset.insert(field.slot) }
      identities[ManagedObjectID(entity: entity, row: cursor.row)] = (name, unset)
      names.append(name)
    }
    holders.merge(try transaction.remoteRecords(names, in: writing.homeName)) { $1 }
  }

  /// Whether a property is empty, or has the model's default. Members of lists are read later.
  private func isUnset(_ property: PropertyDescription, _ cursor: RowCursor) -> Bool {
    if property.relationship?.isToMany == true || cursor.cell(property.slot).isEmpty { return true }
    guard let attribute = property.attribute, !attribute.defaultValue.isNull else { return false }
    return cursor.value(property.slot) == attribute.storedDefault
  }
}

@available(*, unavailable, message: "Confined to the body of a write.")
extension Comers: Sendable {}
