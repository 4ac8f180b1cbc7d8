package import SyncCore

/// One atomic write. Reads as a ``StoreReader`` does, sees its own changes, and records exactly what
/// it inserted, updated and deleted. Confined to the body of ``Store/write(_:commit:_:)``.
///
/// ## Topics
/// - Rows: ``reserveRows(_:in:)``, ``insert(_:of:indexes:rows:)``, ``update(_:index:row:of:slots:)``,
///   ``update(_:index:row:of:slots:expectedVersion:)``, ``delete(_:of:)``, ``touch(_:of:slots:)``
/// - Links: ``addLinks(_:of:pairs:positions:)``, ``removeLinks(_:of:pairs:)``,
///   ``setPositions(_:of:positions:)``
/// - Speed: ``prepareBulkInsert(_:count:)``, ``prepareBulkLinks(_:of:count:)``
package final class StoreTransaction: StoreReader {
  /// Names this run for ``Store/interrupt(_:)``.
  package let token: TransactionToken
  package let info: TransactionInfo

  /// Whether the transaction was committed or rolled back.
  var isEnded = false

  init(
    layout: TableLayout, connection: Connection, token: TransactionToken, info: TransactionInfo
  ) {
    self.token = token
    self.info = info
    super.init(layout: layout, connection: connection)
  }

  /// Completes the transaction up to its commit.
  ///
  /// - Returns: what it changed.
  func finish() throws -> ChangeSet {
    ChangeSet()
  }
}

/// What a deletion took with it.
package struct DeletionSummary: Sendable {
  /// Row numbers by concrete entity, in model order, ascending.
  package var deleted: [(entity: EntityDescription, rows: [Int64])] = []

  /// How many objects went, cascades included.
  package var count: Int { deleted.reduce(0) { $0 + $1.rows.count } }
}
