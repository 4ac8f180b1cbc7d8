package import SyncCore

/// Which rows of an entity a scan visits.
package enum RowSelection {
  case all

  /// Row numbers; those that do not exist are passed over.
  case rows([Int64])

  /// The same in one statement, however many there are.
  case listed([Int64])

  /// Rows whose attribute holds one of the keys. The memory of the cells has to stay during the
  /// scan.
  case keys(slot: Int, [Cell])

  /// Rows whose to-one relationship leads to one of the row numbers.
  case references(slot: Int, [Int64])

  /// Rows whose to-one relationship leads nowhere, or whose attribute has no value.
  case empty(slot: Int)
  case filter(Filter)
}
