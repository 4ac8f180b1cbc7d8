import SyncCore
import SyncStore

/// Objects that are in another zone than their parents.
extension ZoneMove {
  /// Moves objects to the zones of their parents, as far as those can be written.
  ///
  /// - Returns: Whether some stay, until the server has them where they are.
  func settle() throws -> Bool {
    let zones = try writing.zoneNames().filter {
      try transaction.remoteZone($0)?.isReadOnly != true
    }
    let stamp = writing.clock.next(at: transaction.milliseconds)
    var rest = false
    for zone in zones {
      for link in try transaction.remoteLinks(in: zone) {
        guard let record = try transaction.remoteRecord(link.source, in: zone),
          let object = writing.object(of: record),
          let parent = writing.fields.rules(of: object.entity).parent, parent.name == link.field,
          try !transaction.value(parent.slot, of: object).isNull
        else { continue }
        guard record.tag != nil, zones.contains(try self.zone(of: object)) else {
          rest = true
          continue
        }
        try place(object, stamp)
        guard let placed = try transaction.remoteRecord(of: object.row, object.entity) else {
          continue
        }
        try transaction.removeRemoteLink(from: placed.name, link.field, in: placed.zone)
      }
    }
    return rest
  }

  /// Sets the references that wait for an object that went to another zone. References to parents
  /// in other zones, its own and those of the objects below it, are kept as links.
  func connect(_ object: ManagedObjectID, as name: String, in zone: String) throws {
    if writing.hasLinks {
      try writing.enter(zone) {
        try writing.follow(name, object.row, object.entity)
        try lead(object, as: name, in: zone)
      }
    }
    guard let record = try transaction.remoteRecord(of: object.row, object.entity) else { return }
    if let parent = writing.fields.rules(of: object.entity).parent,
      case .int(let row) = try transaction.value(parent.slot, of: object)
    {
      try noteParent(
        record, parent,
        try transaction.remoteRecord(of: row, object.entity.destination(of: parent)))
    }
    for child in try children(of: object) {
      guard let below = try transaction.remoteRecord(of: child.row, child.entity),
        let parent = writing.fields.rules(of: child.entity).parent
      else { continue }
      try noteParent(below, parent, record)
    }
  }

  /// Leads references of an object to where they could not lead from the zone that it was in.
  private func lead(_ object: ManagedObjectID, as name: String, in zone: String) throws {
    for link in try transaction.remoteLinks(from: name, in: zone) {
      guard let property = object.entity.property(named: link.field),
        let relationship = property.relationship,
        try transaction.value(property.slot, of: object).isNull,
        let target = try writing.find(link.target, object.entity.destination(of: relationship)),
        try writing.mayLead(relationship, of: object.entity, from: zone, to: target)
      else { continue }
      try RowValueWriter(writing, object.entity).update(
        object.row, [(property.slot, target.row.map(Value.int) ?? .null)])
      try transaction.removeRemoteLink(from: name, link.field, in: zone)
    }
  }

  private func noteParent(
    _ record: RemoteRecord, _ relationship: RelationshipDescription, _ parent: RemoteRecord?
  ) throws {
    try writing.enter(record.zone) {
      if let parent, parent.zone != record.zone, !record.isSharedRoot {
        try writing.setStray(record.name, relationship.name, parent)
      } else {
        try writing.removeLink(from: record.name, relationship.name)
      }
    }
  }
}
