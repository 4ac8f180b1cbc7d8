public import Foundation
public import SyncCore
import SyncGraph
package import SyncStore

/// A value that lost to one that did not know of it: mostly one that was set here, was not sent
/// yet, and is older than a value that another machine has sent; or one that another machine had
/// sent, when an edit here that was not sent yet is later.
public struct CloudConflict: Sendable, Hashable, Identifiable {
  /// Its number in the store; later ones are larger.
  public let id: Int64

  /// Name of the record on the server.
  public let record: String

  /// Name of the record's entity.
  public let entity: String

  /// Name of the property, or of the to-one relationship.
  public let field: String

  /// The value that lost, as records carry it.
  public let value: JSONValue

  /// When it was found.
  public let date: Date
}

extension CloudEngine {
  /// Values that lost, latest first; the latest 1,000 are kept.
  public var conflicts: [CloudConflict] {
    get throws {
      try stack.store.read { [zone] in try Self.conflicts(in: $0, of: zone.name) }
    }
  }

  /// The conflicts that the store keeps, without an engine. Needs the tables of remote sync.
  package static func conflicts(in reader: StoreReader, of zone: String) throws -> [CloudConflict] {
    try reader.remoteConflicts(in: zone).map { conflict in
      CloudConflict(
        id: conflict.id, record: conflict.name, entity: conflict.entity, field: conflict.field,
        value: try JSONValue(parsing: conflict.value),
        date: Date(timeIntervalSince1970: Double(conflict.time) / 1000))
    }
  }

  /// Sets a value that lost once more, as an edit of now, which the next push sends; forgets the
  /// conflict.
  ///
  /// - Throws: ``CloudError`` with ``CloudError/Code/notFound`` when the object or the property is
  ///   gone.
  public func restore(_ conflict: CloudConflict) throws {
    let (home, fields) = (zone.key, fields)
    _ = try stack.store.write(TransactionInfo(contextName: Self.author)) { transaction in
      let zones = [home] + (try transaction.sharedZones(home: home).map(\.key))
      guard let (object, zone) = try Self.find(conflict.record, in: zones, transaction),
        let property = object.entity.property(named: conflict.field),
        fields.contains(conflict.field, in: object.entity),
        try Self.set(conflict.value, property, of: object, transaction, [zone] + zones)
      else {
        throw CloudError(
          .notFound,
          message:
            "\(conflict.entity).\(conflict.field) cannot be restored: the object, the property or "
            + "its target is gone.")
      }
      try transaction.removeRemoteConflict(conflict.id)
    }
    monitor.tell()
  }

  /// - Returns: false when the property cannot take the value any more.
  private static func set(
    _ json: JSONValue, _ property: PropertyDescription, of object: ManagedObjectID,
    _ transaction: StoreTransaction, _ zones: [String]
  ) throws -> Bool {
    let (row, entity) = (object.row, object.entity)
    if let list = property.relationship, list.isToMany {
      guard let names = FieldCoding.decodeOrder(json) else { return false }
      try ListOrder(transaction: transaction).arrange(list, of: row, entity, as: names)
    } else {
      guard let value = try value(json, property, of: entity, transaction, zones) else {
        return false
      }
      try RowValueWriter(edits: transaction, entity).update(row, [(property.slot, value)])
    }
    return true
  }

  private static func value(
    _ json: JSONValue, _ property: PropertyDescription, of entity: EntityDescription,
    _ transaction: StoreTransaction, _ zones: [String]
  ) throws -> Value? {
    if let type = property.attribute?.type { return FieldCoding.decode(json, as: type) }
    guard let relationship = property.relationship,
      let reference = FieldCoding.decodeReference(json)
    else { return nil }
    guard let reference else { return .null }
    guard let target = try find(reference.name, in: zones, transaction)?.object,
      target.entity.isKind(of: entity.destination(of: relationship))
    else { return nil }
    return .int(target.row)
  }

  /// The object of a record in the first zone that has it. One whose deletion was not read yet has
  /// a record still, and is gone.
  private static func find(
    _ name: String, in zones: [String], _ transaction: StoreTransaction
  ) throws -> (object: ManagedObjectID, zone: String)? {
    for zone in zones {
      let record = try transaction.remoteRecord(name, in: zone)
      if let object = record?.object(in: transaction.model),
        try !transaction.rows(object.entity, rows: [object.row]).isEmpty
      {
        return (object, zone)
      }
    }
    return nil
  }
}
