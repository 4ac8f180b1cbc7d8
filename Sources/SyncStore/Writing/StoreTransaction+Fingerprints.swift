package import SyncCore

extension StoreTransaction {
  /// The number of the set of fingerprints of one kind of sync, a new one when there is none. There
  /// is such a set only when ``keepFingerprints(_:)`` has been called.
  package func makeFingerprintSet(_ key: ContentFingerprint) throws -> Int64 {
    try requireOpen()
    return try FingerprintStore(connection: connection)
      .makeSet(key, above: keptFingerprints.map(\.id).max() ?? 0)
  }

  /// Writes a part of a set; nil removes it.
  ///
  /// - Parameter isNew: Whether there is no such part.
  package func writeFingerprints(
    _ number: Int, of id: Int64, _ bytes: UnsafeRawBufferPointer?, isNew: Bool = false
  ) throws {
    try requireOpen()
    try FingerprintStore(connection: connection).writePart(number, of: id, bytes, isNew: isNew)
  }

  /// Removes all parts of a set.
  package func clearFingerprints(of id: Int64) throws {
    try requireOpen()
    try FingerprintStore(connection: connection).clear(id)
  }

  /// Says that a set is about the rows as this transaction leaves them.
  package func keepFingerprints(_ set: KeptFingerprintSet) throws {
    try requireOpen()
    keptFingerprints.removeAll { $0.id == set.id }
    keptFingerprints.append(set)
  }

  /// The stored rows that this transaction has updated or deleted so far, by the root entity of
  /// their table, and those of them that were deleted or in which one of some slots changed.
  ///
  /// - Parameters:
  ///   - slots: by root entity.
  ///   - checkpoint: Called every now and then.
  package func changedRows(
    _ slots: [SlotSet], _ checkpoint: () throws -> Void
  ) throws -> (any: [RowSet], strongly: [RowSet]) {
    try recorder.changedRows(slots, checkpoint)
  }

  /// The bits of tables, for ``KeptFingerprintSet/tables``.
  package static func fingerprintTables(_ entities: some Sequence<EntityDescription>) -> Int64 {
    entities.reduce(0) { $0 | FingerprintLogEntry.bit($1.rootIndex) }
  }
}
