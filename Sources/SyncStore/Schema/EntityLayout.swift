package import SyncCore

/// Where the properties of one entity are stored.
package final class EntityLayout: Sendable {
  package let entity: EntityDescription
  package let table: Table

  /// The number in `_entity` of rows of exactly this entity. Kept in the file by the entity's name,
  /// so that it does not change when the model grows.
  package let number: Int64

  /// Numbers of the entity and of all entities below it.
  package let familyNumbers: [Int64]

  /// Ordinal of the column by slot; -1 for slots without column.
  package let ordinals: [Int]

  /// Position by slot in a row that was selected with ``Table/selectList(prefix:)``; -1 for slots
  /// without column.
  package let resultColumns: [Int]

  /// Attribute type by slot; nil for relationships. Reading it from the model would copy the whole
  /// description for each value.
  let types: [AttributeType?]

  /// Slots that have a column, ascending.
  package let columnSlots: [Int]

  /// Slot of the primary key when it has a column.
  package let keySlot: Int?

  /// The to-one relationships at whose other end is a list of the entity's objects.
  let ownerSides: [OwnerSide]

  /// Link table by slot, for many-to-many relationships.
  package let links: [Int: LinkEnd]

  init(
    entity: EntityDescription, table: Table, number: Int64, familyNumbers: [Int64],
    ordinals: [Int], links: [Int: LinkEnd]
  ) {
    self.entity = entity
    self.table = table
    self.number = number
    self.familyNumbers = familyNumbers
    self.ordinals = ordinals
    self.links = links
    resultColumns = ordinals.map { $0 < 0 ? -1 : $0 + table.firstColumn }
    keySlot = entity.record.primaryKey.flatMap { ordinals[$0] < 0 ? nil : $0 }
    types = entity.properties.map { $0.attribute?.type }
    columnSlots = ordinals.indices.filter { ordinals[$0] >= 0 }
    ownerSides = columnSlots.compactMap { slot in
      guard let relationship = entity.properties[slot].relationship, relationship.isInverseToMany,
        let inverse = relationship.inverseSlot
      else { return nil }
      return OwnerSide(slot: slot, destination: relationship.destinationIndex, inverseSlot: inverse)
    }
  }

  /// The column of a slot; nil for to-many and transient properties.
  package func column(_ slot: Int) -> Table.Column? {
    ordinals[slot] < 0 ? nil : table.columns[ordinals[slot]]
  }

  /// A condition that keeps rows of other entities out, or nil when the table has none:
  /// `_entity IN (2, 3)`. Numbers are ours, not input.
  package func entityCondition(prefix: String = "") -> String? {
    guard table.hasEntityColumn, entity.index != table.rootIndex else { return nil }
    return "\(prefix)_entity IN (\(familyNumbers.map(String.init).joined(separator: ", ")))"
  }
}

/// A to-one relationship whose inverse is a list of the objects that have it.
struct OwnerSide: Sendable {
  let slot: Int

  /// Index of the owner's entity.
  let destination: Int

  /// The owner's list.
  let inverseSlot: Int
}

/// Where the pairs of a relationship are stored.
package enum RelationshipStorage: Sendable {
  /// To-one: a column of the owner's row.
  case column(Table.Column)

  /// To-many with a to-one inverse: that column of the members' table, and the position beside it.
  case inverse(table: Table, column: Table.Column, position: Table.Position?)

  /// To-many in a link table.
  case link(LinkEnd)
}
