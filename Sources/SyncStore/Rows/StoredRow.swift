package import SyncCore

/// A row as the object graph wants it: values by slot.
package struct StoredRow: Sendable {
  package let entity: EntityDescription
  package let row: Int64

  /// Raised by every change of the row; a save that expects another version is in conflict.
  package let version: Int64

  /// By slot: attributes as values of their type, a to-one as `.int` of the destination's row
  /// number, to-many and transient properties as `.null`.
  package var values: RowValues

  package init(entity: EntityDescription, row: Int64, version: Int64, values: RowValues) {
    self.entity = entity
    self.row = row
    self.version = version
    self.values = values
  }

  package var id: ManagedObjectID { ManagedObjectID(entity: entity, row: row) }
}

/// One member of an owner's to-many relationship.
package struct StoredMember: Sendable, Hashable {
  package let owner: Int64
  package let row: Int64
  package let entity: EntityDescription

  package init(owner: Int64, row: Int64, entity: EntityDescription) {
    self.owner = owner
    self.row = row
    self.entity = entity
  }
}
