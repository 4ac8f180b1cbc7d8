import SyncCore
import SyncStore

/// Batches and relationships that a fetch reads ahead.
extension ManagedObjectContext {
  /// Fetches identifiers only and makes faults that read their rows so many at a time.
  func fetchInBatches(_ plan: FetchPlan, of size: Int) throws -> [ManagedObject] {
    let found = try readIdentifiers(plan)
    let batch = FaultBatch(rows: found.map(\.row), firstWindow: max(1, size))
    return found.enumerated().map { index, id in
      let object = object(id.entity, id.row)
      if object.isFault {
        object.join(batch, at: index)
      }
      return object
    }
  }

  /// Reads the objects that relationships lead to, step by step along key paths: one statement for
  /// each relationship that is a column on one side, one more for the rows behind others.
  ///
  /// - Throws: ``FilterError`` for a key path that is none of relationships.
  func prefetch(_ keyPaths: [String], of objects: [ManagedObject], _ entity: EntityDescription)
    throws
  {
    try withSource { try read(keyPaths, of: objects, entity) }
  }

  private func read(
    _ keyPaths: [String], of objects: [ManagedObject], _ entity: EntityDescription
  ) throws {
    for keyPath in keyPaths {
      var owners = objects
      var entity = entity
      for key in keyPath.split(separator: ".", omittingEmptySubsequences: false) {
        guard let relationship = entity.relationship(named: String(key)) else {
          let names = entity.relationships.map(\.name).joined(separator: ", ")
          throw FilterError(
            .unknownKey, text: keyPath, entity: entity.name, key: String(key),
            message: "\(entity.name) has no relationship “\(key)” to prefetch. It has \(names).")
        }
        owners = try prefetch(relationship, of: owners)
        entity = entity.destination(of: relationship)
      }
    }
  }

  private func prefetch(
    _ description: RelationshipDescription, of objects: [ManagedObject]
  ) throws -> [ManagedObject] {
    let owners = objects.filter { !$0.isKnownDeleted }
    guard
      let relationship = owners.first?.binding.shape.relationship(at: description.slot)
    else { return [] }
    if !relationship.isToMany { return try prefetchDestinations(relationship, of: owners) }
    let missing = owners.filter {
      !$0.flags.contains(.new) && !$0.list(relationship.ordinal).isLoaded
    }
    let isColumn = relationship.kind == .oneToMany && !relationship.isOrdered
    if !missing.isEmpty, isColumn, let inverse = relationship.inverseSlot {
      try prefetchRows(relationship, inverse, of: missing)
    } else if !missing.isEmpty {
      try prefetchMembers(relationship, of: missing)
    }
    var known: Set<ObjectIdentifier> = []
    return owners.flatMap { $0.members(relationship.ordinal) }.filter {
      known.insert(ObjectIdentifier($0)).inserted
    }
  }

  private func prefetchDestinations(
    _ relationship: RelationshipShape, of owners: [ManagedObject]
  ) throws -> [ManagedObject] {
    let rows = Set(
      owners.compactMap { owner -> Int64? in
        guard case .int(let row) = owner.value(at: relationship.slot), isReadable(row),
          identities.object(root: relationship.destinationRoot, row: row)?.isFault != false
        else { return nil }
        return row
      })
    var read: [ManagedObject] = []
    if !rows.isEmpty {
      read = objects(of: try readRows(relationship.destination.rootEntity, rows.sorted()))
    }
    var known: Set<ObjectIdentifier> = []
    // Walking there makes each owner hold its destination.
    return withExtendedLifetime(read) {
      owners.compactMap { $0.destination(relationship.ordinal) }.filter {
        known.insert(ObjectIdentifier($0)).inserted
      }
    }
  }

  /// The members' own rows say whose they are: one statement for both.
  private func prefetchRows(
    _ relationship: RelationshipShape, _ inverse: Int, of owners: [ManagedObject]
  ) throws {
    let key = relationship.destination.properties[inverse].name
    let plan = FetchPlan(
      entity: relationship.destination, filter: .member([key], of: owners.map(\.identifier)))
    let rows = try readRows(plan)
    var lists: [Int64: [ManagedObject]] = [:]
    for (row, object) in zip(rows, objects(of: rows)) {
      if case .int(let owner) = row.values[inverse] { lists[owner, default: []].append(object) }
    }
    load(lists, relationship, of: owners)
  }

  private func prefetchMembers(
    _ relationship: RelationshipShape, of owners: [ManagedObject]
  ) throws {
    let families = Dictionary(grouping: owners) { $0.entity.index }
    for family in families.inKeyOrder.map(\.value) {
      let members = try readMembers(
        of: relationship, in: family[0].entity, owners: family.map(\.identifier))
      let wanted = Set(members.map(\.row)).sorted()
      let read = objects(of: try readRows(relationship.destination.rootEntity, wanted))
      var lists: [Int64: [ManagedObject]] = [:]
      for member in members {
        lists[member.owner, default: []].append(object(member.entity, member.row))
      }
      withExtendedLifetime(read) { load(lists, relationship, of: family) }
    }
  }
}
