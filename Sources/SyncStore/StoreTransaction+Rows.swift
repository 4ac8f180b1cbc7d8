package import SyncCore

extension StoreTransaction {
  /// Reserves consecutive row numbers, which are never given out again, even after deletions.
  ///
  /// - Returns: the first of them.
  package func reserveRows(_ count: Int, in entity: EntityDescription) throws -> Int64 {
    throw StoreError(.unsupported, message: "Not yet.")
  }

  /// Inserts rows of a block; absent cells are stored as null.
  ///
  /// - Parameters:
  ///   - entity: the concrete entity.
  ///   - indexes: which rows of the block, in the order in which they are written: ascending row
  ///     numbers are fastest.
  ///   - rows: row numbers by index in the block, from ``reserveRows(_:in:)``.
  package func insert(
    _ block: RowBlock, of entity: EntityDescription, indexes: [Int32],
    rows: UnsafePointer<Int64>
  ) throws {
    throw StoreError(.unsupported, message: "Not yet.")
  }

  /// Writes slots of a row and raises its version.
  ///
  /// - Parameters:
  ///   - index: the row of the block that holds the new values; what the caller knows of the other
  ///     slots may stand there too and makes the update faster.
  ///   - entity: the concrete entity.
  ///   - slots: the slots that change; absent cells among them become null.
  package func update(
    _ block: RowBlock, index: Int, row: Int64, of entity: EntityDescription, slots: SlotSet
  ) throws {
    throw StoreError(.unsupported, message: "Not yet.")
  }

  /// Writes slots of a row when it still has the version that is expected.
  ///
  /// - Returns: false, and changes nothing, when the row moved on or is gone.
  package func update(
    _ block: RowBlock, index: Int, row: Int64, of entity: EntityDescription, slots: SlotSet,
    expectedVersion: Int64
  ) throws -> Bool {
    throw StoreError(.unsupported, message: "Not yet.")
  }

  /// Records that slots of a row changed without a change of its columns: the membership of a
  /// to-many relationship.
  package func touch(_ row: Int64, of entity: EntityDescription, slots: SlotSet) throws {
    throw StoreError(.unsupported, message: "Not yet.")
  }

  /// Deletes rows with everything that the delete rules take along, and clears what led to them.
  ///
  /// - Parameter entity: the entity of the rows or one above it.
  /// - Throws: ``StoreError`` with ``StoreError/Code/deletionDenied`` that names the objects in the way.
  @discardableResult
  package func delete(_ rows: [Int64], of entity: EntityDescription) throws -> DeletionSummary {
    throw StoreError(.unsupported, message: "Not yet.")
  }

  /// Says that about so many rows will be inserted. When they outweigh what the table holds, its
  /// secondary indexes are dropped and built again before they are needed, at the latest before
  /// commit, inside the same transaction.
  package func prepareBulkInsert(_ entity: EntityDescription, count: Int) throws {
  }
}
