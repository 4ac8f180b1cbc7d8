import SyncCore
import SyncStore

/// Deletes objects that were deleted elsewhere, one by one and without the model's delete rules:
/// the machine that deleted them has applied those, and every object that they took along has a
/// record that says so. An object with a reference to one that goes keeps it as a link, as on a
/// machine that sees both records for the first time.
struct ObjectDeleter: WritingPart {
  let writing: CloudWriting

  /// - Throws: `StoreError` with the code `deletionDenied` when a rule of a many-to-many
  ///   relationship is in the way.
  func delete(_ object: ManagedObjectID, name: String) throws {
    let (row, entity) = (object.row, object.entity)
    try checkDenial(row, entity)
    try detach(row, entity, name)
    let denied = entity.relationships.filter {
      $0.kind == .toOne && !$0.isTransient && $0.deleteRule == .deny
    }
    if !denied.isEmpty {
      try RowValueWriter(writing, entity).update(row, denied.map { ($0.slot, Value.null) })
    }
    try transaction.delete([row], of: entity) { _, _ in true }
  }

  /// Asked before anything is written.
  private func checkDenial(_ row: Int64, _ entity: EntityDescription) throws {
    for relationship in entity.relationships
    where relationship.kind == .manyToMany && relationship.deleteRule == .deny {
      let members = try transaction.members(of: relationship, in: entity, owners: [row])
      guard members.contains(where: { $0.row != row || $0.entity.rootIndex != entity.rootIndex })
      else { continue }
      throw StoreError(
        .deletionDenied,
        message: "The delete rule of “\(relationship.name)” is Deny, and it has members, "
          + "\(members.count) of them. Take them out of it, or delete them.",
        entity: entity.name)
    }
  }

  private func detach(_ row: Int64, _ entity: EntityDescription, _ name: String) throws {
    for source in writing.model.entities {
      for relationship in source.relationships
      where relationship.kind == .toOne && !relationship.isTransient
        && relationship.declaringIndex == source.index
      {
        let destination = source.destination(of: relationship)
        guard destination.rootIndex == entity.rootIndex else { continue }
        var sources: [ManagedObjectID] = []
        try transaction.scan(
          source, .references(slot: relationship.slot, [row]), slots: [], isOrdered: false
        ) { cursor in
          sources.append(ManagedObjectID(entity: cursor.entity, row: cursor.row))
        }
        for object in sources where object != ManagedObjectID(entity: entity, row: row) {
          try RowValueWriter(writing, object.entity).update(
            object.row, [(relationship.slot, .null)])
          let known = try transaction.remoteRecord(of: object.row, object.entity)
          guard let record = known,
            writing.fields.contains(relationship.name, in: object.entity)
          else { continue }
          try writing.enter(record.zone) {
            try writing.setLink(
              RemoteLink(
                source: record.name, field: relationship.name, target: name,
                entity: entity.wireName))
          }
        }
      }
    }
  }
}
