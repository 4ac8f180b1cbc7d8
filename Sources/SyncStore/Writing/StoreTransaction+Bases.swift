package import SyncCore

/// The values of objects before they were edited here: an outbox goes back to them when the server
/// refuses an edit.
///
/// Kept only in stores with an outbox, and not of rows that a sync writes. Code that writes rows or
/// links calls ``keepBase(of:in:slots:)`` first; of an object that is written twice the first value
/// counts.
extension StoreTransaction {
  /// Keeps the values of rows in some slots.
  ///
  /// - Parameters:
  ///   - rows: Those that are new, or not there, are passed over.
  ///   - entity: The entity of the rows or one above it.
  ///   - slots: Nil is all.
  /// - Complexity: one statement, and one for each many-to-many relationship, for all rows.
  func keepBase(
    of rows: @autoclosure () -> [Int64], in entity: EntityDescription, slots: SlotSet? = nil
  ) throws {
    if try isKeepingBases() { try keep(rows(), in: entity, slots: slots) }
  }

  /// Apart, so that it is not compiled anew for each caller's rows.
  private func keep(_ rows: [Int64], in entity: EntityDescription, slots: SlotSet?) throws {
    let table = layout.table(of: entity)
    let rows = rows.filter { !recorder.isNew($0, in: table) }
    for (id, values) in try values(of: rows, in: entity, slots: slots) {
      bases[id, default: [:]].merge(values) { first, _ in first }
    }
  }

  /// Keeps the server's values of slots whose edits it has not got yet: they go back to these now.
  /// Called by code that takes a server's version over and leaves those edits alone.
  ///
  /// An object that was deleted here has no row that its key could lead to: a reference to it stays
  /// the server's value until the server is told otherwise.
  package func keepServerValues(_ values: [Int: Value], of id: ManagedObjectID) throws {
    try changeEntries(of: id) { entry in
      let base = entry.edit?.base ?? [:]
      let said = try values.filter { slot, value in
        let property = id.entity.properties[slot]
        guard value.isNull, let reference = property.relationship, !reference.isToMany,
          case .int(let row)? = base[property.name]
        else { return true }
        return try missing([row], of: id.entity.destination(of: reference)).isEmpty
      }
      entry.takeServerValues(said)
    }
  }

  /// Changes what outboxes keep of an object, once they have read the history.
  func changeEntries(of id: ManagedObjectID, _ change: (inout OutboxEntry) throws -> Void) throws {
    for outbox in try outboxes() where try outbox.history >= historyFloor() {
      try drainOnce(outbox.name)
      guard let before = try outboxEntry(id, in: outbox.name) else { continue }
      var entry = before
      try change(&entry)
      if entry != before { try setOutboxEntry(entry, before: before, in: outbox.name) }
    }
  }

  /// Keeps the server's members of a list whose edits it has not got yet, for both ends of its
  /// links. A member that was deleted here has no row that its key could lead to: it stays a
  /// member of the server's list until the server is told otherwise.
  ///
  /// - Parameters:
  ///   - rows: The members that the server has.
  ///   - current: Those that the list has.
  package func keepServerList(
    _ list: RelationshipDescription, of id: ManagedObjectID, is rows: [Int64],
    insteadOf current: [Int64]
  ) throws {
    let destination = id.entity.destination(of: list)
    try changeEntries(of: id) { entry in
      let known = Set(rows)
      let former = (entry.edit?.base[list: list].before ?? []).filter { !known.contains($0) }
      let deleted = try former.isEmpty ? [] : Set(missing(former, of: destination))
      let before = rows + former.filter(deleted.contains)
      entry.takeServerValues([list.slot: EditedList(before: before, edited: nil).value])
    }
    guard let inverse = id.entity.inverse(of: list) else { return }
    let there = Set(rows)
    for member in there.symmetricDifference(current).sorted() {
      let other = ManagedObjectID(entity: destination, row: member)
      try changeEntries(of: other) {
        $0.takeServerLink(inverse, to: id.row, isThere: there.contains(member))
      }
    }
  }

  /// Whether a write is an edit that a reader of the history may have to send.
  func isKeepingEdits() throws -> Bool { try info.source == .local && keepsHistory }

  /// Notes that a link of a list is an edit, at one of its ends.
  func keepEdit(
    of list: RelationshipDescription, in entity: EntityDescription, owner: Int64, member: Int64
  ) {
    editedLinks[ManagedObjectID(entity: entity, row: owner), default: [:]][list.name, default: []]
      .insert(member)
  }

  private func isKeepingBases() throws -> Bool {
    if let keepsBases { return keepsBases }
    let result = try isKeepingEdits() && !outboxes().isEmpty
    keepsBases = result
    return result
  }

  /// The values of rows in some slots: attributes as they are, references as rows, lists over link
  /// tables as ``EditedList``.
  package func values(
    of rows: [Int64], in entity: EntityDescription, slots: SlotSet? = nil
  ) throws -> [ManagedObjectID: [String: Value]] {
    guard !rows.isEmpty else { return [:] }
    var result: [ManagedObjectID: [String: Value]] = [:]
    let family = entity.familyEntities
    let columns = entity.properties.filter {
      $0.isColumn && slots?.contains($0.slot) ?? true
    }
    // All of it where subentities have more.
    let read = family.count > 1 || slots == nil ? nil : columns.map(\.slot)
    try scan(entity, .rows(Array(Set(rows)).sorted()), slots: read) { cursor in
      let id = ManagedObjectID(entity: cursor.entity, row: cursor.row)
      var values: [String: Value] = [:]
      for property in cursor.entity.properties
      where property.isColumn && slots?.contains(property.slot) ?? true {
        values[property.name] =
          property.relationship == nil
          ? cursor.value(property.slot) : cursor.integer(property.slot).map(Value.int) ?? .null
      }
      result[id] = values
    }
    for (concrete, ids) in Dictionary(grouping: result.keys, by: \.entity) {
      for relationship in concrete.relationships
      where relationship.kind == .manyToMany && slots?.contains(relationship.slot) ?? true {
        var lists: [Int64: [Int64]] = [:]
        for member in try members(of: relationship, in: concrete, owners: ids.map(\.row)) {
          lists[member.owner, default: []].append(member.row)
        }
        for id in ids {
          let list = EditedList(before: lists[id.row] ?? [], edited: nil)
          result[id]?[relationship.name] = list.value
        }
      }
    }
    return result
  }
}

/// Lists of rows.
package enum RowList {
  /// The members of a list in a wanted order, those that are not wanted at the end in their own.
  package static func ordered(_ members: [Int64], by wanted: [Int64]) -> [Int64] {
    let (present, named) = (Set(members), Set(wanted))
    return wanted.filter(present.contains) + members.filter { !named.contains($0) }
  }
}
