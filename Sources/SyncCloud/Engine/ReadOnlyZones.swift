import SyncCore
import SyncGraph
import SyncStore

/// Refuses saves of contexts that would write into a zone that another account shares to be read
/// only: the whole save, with the objects.
final class ReadOnlyZones: Sendable {
  private let names = Locked<Set<String>>([])
  private let fields: TravellingFields

  init(_ stack: DataStack, _ fields: TravellingFields) {
    self.fields = fields
    guard fields.scope == .private else { return }
    stack.setSaveCheck { [weak self] reader, changes in try self?.check(reader, changes) }
  }

  func contains(_ zone: CloudZone) -> Bool { names.withLock { $0.contains(zone.key) } }

  func set(_ isReadOnly: Bool, _ zone: CloudZone) {
    names.withLock { names in
      if isReadOnly { names.insert(zone.key) } else { names.remove(zone.key) }
    }
  }

  private func check(_ reader: StoreReader, _ changes: [ChangeSet.EntityChanges]) throws {
    let names = names.withLock { $0 }
    guard !names.isEmpty else { return }
    var refused: [ManagedObjectID] = []
    for each in changes where fields.travels(each.entity) {
      let entity = each.entity
      for row in each.inserted {
        let id = ManagedObjectID(entity: entity, row: row)
        if let zone = try fields.sharedZone(of: id, reader), names.contains(zone) {
          refused.append(id)
        }
      }
      for (row, slots) in each.updated {
        let id = ManagedObjectID(entity: entity, row: row)
        if try isRefused(id, slots, reader, names, changes) { refused.append(id) }
      }
      for row in each.deleted {
        // An object that was never sent is the account's own.
        guard let record = try reader.remoteRecord(of: row, entity), names.contains(record.zone),
          record.tag != nil
        else { continue }
        refused.append(ManagedObjectID(entity: entity, row: row))
      }
    }
    guard let first = refused.first else { return }
    let shown = refused.prefix(3).map(\.description).joined(separator: ", ")
    let more = refused.count > 3 ? " and \(refused.count - 3) more" : ""
    throw GraphError(
      .readOnly, entity: first.entity.name, objects: refused,
      message:
        "\(shown)\(more): another account shares that to be read only. Nothing was saved. Ask the owner for the right "
        + "to write, or roll the context back.")
  }

  private func isRefused(
    _ id: ManagedObjectID, _ slots: SlotSet, _ reader: StoreReader, _ names: Set<String>,
    _ changes: [ChangeSet.EntityChanges]
  ) throws -> Bool {
    let entity = id.entity
    let record = try reader.remoteRecord(of: id.row, entity)
    if let record, names.contains(record.zone) {
      let rules = fields.rules(of: entity, named: record.name, in: record.zone)
      return try slots.contains { slot in
        if rules.sent.contains(entity.properties[slot].name) { return true }
        guard let side = rules.sides.first(where: { $0.relationship.slot == slot }) else {
          return false
        }
        return try !joinsOwn(id, side.relationship, reader, names, changes)
      }
    }
    guard let parent = fields.rules(of: entity).parent, slots.contains(parent.slot) else {
      return false
    }
    return try fields.sharedZone(of: id, reader).map(names.contains) ?? false
  }

  /// Whether all that an object was joined with, or parted from, is none of those zones: the pairs
  /// are the account's own then. Their other ends have changed, too.
  private func joinsOwn(
    _ id: ManagedObjectID, _ relationship: RelationshipDescription, _ reader: StoreReader,
    _ names: Set<String>, _ changes: [ChangeSet.EntityChanges]
  ) throws -> Bool {
    guard let inverse = id.entity.inverse(of: relationship) else { return false }
    let destination = id.entity.destination(of: relationship)
    var isAny = false
    for each in changes where each.entity.isKind(of: destination) {
      isAny = isAny || !each.inserted.isEmpty || !each.deleted.isEmpty
      for (row, slots) in each.updated where slots.contains(inverse.slot) {
        let other = ManagedObjectID(entity: each.entity, row: row)
        guard other != id else { continue }
        isAny = true
        if let record = try reader.remoteRecord(of: row, each.entity), names.contains(record.zone) {
          return false
        }
      }
    }
    return isAny
  }
}
