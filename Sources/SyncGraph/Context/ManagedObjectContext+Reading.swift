import SyncCore
import SyncStore

/// The source that a context reads from: the store, or the objects of its parent. Everything that
/// becomes objects comes in through these calls.
///
/// A child reads rows in either case: those that its parent has objects for as these are now,
/// unsaved values and new objects included, the others as the parent's own source has them.
extension ManagedObjectContext {
  /// Reads rows by number, in no certain order; those that are not there are left out.
  func readRows(_ root: EntityDescription, _ rows: [Int64]) throws -> [StoredRow] {
    guard let parent else { return try core.store().read { try $0.rows(root, rows: rows) } }
    return try reading(from: parent) { try parent.rows(root, rows) }
  }

  /// Reads the rows that a plan asks for, in its order.
  func readRows(_ plan: FetchPlan) throws -> [StoredRow] {
    guard let parent else { return try core.store().read { try $0.fetch(plan) } }
    return try reading(from: parent) { try parent.rows(current(plan)) }
  }

  /// Reads the objects that a plan asks for, in its order; it leaves unsaved changes out.
  func readObjects(_ plan: FetchPlan) throws -> [ManagedObject] {
    guard parent == nil else { return objects(of: try readRows(plan)) }
    return objects(of: try core.store().read { try $0.fetchPages(plan) })
  }

  /// Reads the identifiers of the objects that a plan asks for, in its order.
  func readIdentifiers(_ plan: FetchPlan) throws -> [ManagedObjectID] {
    guard let parent else { return try core.store().read { try $0.fetchIdentifiers(plan) } }
    return try reading(from: parent) { try parent.identifiers(current(plan)) }
  }

  /// Counts the objects that a plan asks for.
  func readCount(_ plan: FetchPlan) throws -> Int {
    guard let parent else { return try core.store().read { try $0.count(plan) } }
    return try reading(from: parent) { try parent.count(current(plan)) }
  }

  /// Reads the values that a plan asks for.
  func readValues(_ plan: FetchPlan) throws -> [[Value]] {
    guard let parent else { return try core.store().read { try $0.fetchValues(plan) } }
    return try reading(from: parent) { try parent.values(current(plan)) }
  }

  /// Reads the members of a relationship for many owners.
  ///
  /// - Parameter entity: an entity that has the relationship, and of which all owners are.
  func readMembers(
    of relationship: RelationshipShape, in entity: EntityDescription, owners: [ManagedObjectID]
  ) throws -> [StoredMember] {
    guard let parent else {
      let rows = owners.map(\.row)
      return try core.store().read {
        try $0.members(of: relationship.description, in: entity, owners: rows)
      }
    }
    return try reading(from: parent) { try parent.members(of: relationship, in: entity, owners) }
  }

  private func reading<Result>(
    from parent: ManagedObjectContext, _ body: () throws -> Result
  ) rethrows -> Result {
    try withSource { try parent.queue.sync(body) }
  }
}

/// The rows that a context gives its children to read.
extension ManagedObjectContext {
  /// Rows by number.
  private func rows(_ root: EntityDescription, _ wanted: [Int64]) throws -> [StoredRow] {
    var result: [StoredRow] = []
    var others: [Int64] = []
    for row in wanted {
      let known = identities.object(root: root.rootIndex, row: row)
      if known?.flags.contains(.deleted) == true { continue }
      if let known, !known.isFault {
        result.append(known.storedRow)
      } else if isReadable(row) {
        others.append(row)
      }
    }
    return others.isEmpty ? result : try result + readRows(root, others)
  }

  /// The rows that a plan asks for.
  private func rows(_ plan: FetchPlan) throws -> [StoredRow] {
    if try isOverlaid(plan) {
      let objects = try fetch(plan)
      // Only their lists were changed.
      for object in objects where object.isFault { fire(object) }
      return objects.compactMap { $0.flags.contains(.gone) ? nil : $0.storedRow }
    }
    // The same rows, without making objects that are not here.
    let rows = try readRows(plan)
    var awoken: [ManagedObject] = []
    for row in rows {
      if let known = identities.object(root: row.entity.rootIndex, row: row.row),
        known.adopt(row.values, row.version)
      {
        known.flags.insert(.awakening)
        awoken.append(known)
      }
    }
    awake(awoken)
    // Values that this context has read already stand.
    return rows.map { row in
      let known = identities.object(root: row.entity.rootIndex, row: row.row)
      return known.flatMap { $0.isFault ? nil : $0.storedRow } ?? row
    }
  }

  private func identifiers(_ plan: FetchPlan) throws -> [ManagedObjectID] {
    try isOverlaid(plan) ? fetch(plan).map(\.objectID) : readIdentifiers(plan)
  }

  /// Members of a relationship, in its order, or in that of insertion when it has none.
  private func members(
    of relationship: RelationshipShape, in entity: EntityDescription, _ owners: [ManagedObjectID]
  ) throws -> [StoredMember] {
    let roots = [relationship.ownerRoot, relationship.destinationRoot]
    guard pending.contains(where: { roots.contains($0.entity.rootIndex) }) else {
      return try readMembers(
        of: relationship, in: entity, owners: owners.filter { isReadable($0.row) })
    }
    let objects = owners.compactMap { id in
      identities.object(root: id.entity.rootIndex, row: id.row)
        ?? (isReadable(id.row) ? object(id.entity, id.row) : nil)
    }
    loadMembers(relationship, of: objects.filter { !$0.list(relationship.ordinal).isLoaded })
    return objects.flatMap { owner in
      var members = owner.members(relationship.ordinal)
      if !relationship.isOrdered {
        members = members.sorted(on: \.identifier.insertionOrder)
      }
      // A member that a rule leaves in a list though it was deleted is nothing to a child.
      return members.lazy.filter { !$0.isKnownDeleted }.map {
        StoredMember(owner: owner.rowNumber, row: $0.rowNumber, entity: $0.entity)
      }
    }
  }

  /// Whether the context's source may have a row of that number when the context has no object for
  /// it.
  func isReadable(_ row: Int64) -> Bool { row > 0 || parent != nil }
}

extension ManagedObject {
  /// The current values as a row. Transient ones are the business of each context.
  fileprivate final var storedRow: StoredRow {
    var values = row
    for slot in home.shape.transients where !values.isNull(slot) { values[slot] = .null }
    return StoredRow(entity: entity, row: rowNumber, version: version, values: values)
  }
}
