import SyncCore
import SyncStore

/// Reads the values of rows in the form in which they travel. Confined to the call that its reader
/// was handed to.
struct FieldReader {
  let reader: StoreReader
  let zone: String
  let fields: TravellingFields

  /// The fields of an object in slot order, those that are asked for.
  ///
  /// A to-one relationship whose target is not there yet says where it would lead: it is never
  /// taken for empty.
  func values(
    _ row: StoredRow, of record: RemoteRecord, only wanted: (String) -> Bool
  ) throws -> [(field: FieldRules.Field, value: JSONValue)] {
    let entity = row.entity
    var result: [(field: FieldRules.Field, value: JSONValue)] = []
    for field in fields.rules(of: entity).fields where wanted(field.name) {
      if let type = field.type {
        result.append((field, FieldCoding.encode(row.values[field.slot], as: type)))
      } else if let relationship = entity.properties[field.slot].relationship {
        guard !relationship.isToMany else {
          let names = try reader.remoteList(of: record.name, field.name, in: zone) ?? []
          result.append((field, FieldCoding.encode(order: names)))
          continue
        }
        let reference = try reference(
          row.values[field.slot], entity.destination(of: relationship), field.name, of: record)
        result.append((field, FieldCoding.encode(reference)))
      }
    }
    return result
  }

  private func reference(
    _ value: Value, _ destination: EntityDescription, _ field: String, of record: RemoteRecord
  ) throws -> FieldCoding.Reference? {
    if case .int(let row) = value {
      // A target in another zone, too: machines with both zones find it by its name, and it may
      // come here.
      guard let target = try reader.remoteRecord(of: row, destination) else { return nil }
      return FieldCoding.Reference(name: target.name, entity: fields.type(of: target.entity))
    }
    let links = try reader.remoteLinks(from: record.name, in: zone)
    return links.first { $0.field == field }.map {
      FieldCoding.Reference(name: $0.target, entity: $0.entity)
    }
  }
}

extension StoreReader {
  /// The objects of exactly an entity, without those of entities below it.
  func objects(
    of entity: EntityDescription, _ rows: RowSelection = .all
  ) throws -> [ManagedObjectID] {
    var objects: [ManagedObjectID] = []
    try scan(entity, rows, slots: []) { cursor in
      if cursor.entity == entity {
        objects.append(ManagedObjectID(entity: entity, row: cursor.row))
      }
    }
    return objects
  }
}
