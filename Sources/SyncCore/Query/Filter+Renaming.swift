/// Filters that compare with objects which were new when the filter was made, and have got their
/// permanent row numbers since.
extension Filter {
  /// The filter with other row numbers in the places of temporary ones.
  fileprivate func renamed(_ rows: [Int64: Int64]) -> Filter {
    Filter(
      Result { () throws(FilterError) in try FilterRenaming(rows: rows).node(node) })
  }
}

extension FetchPlan {
  /// The same question, with other row numbers of the objects that its filters compare with.
  ///
  /// - Parameter rows: permanent row numbers by temporary ones.
  package func renamed(_ rows: [Int64: Int64]) -> FetchPlan {
    var result = self
    result.filter = filter?.renamed(rows)
    result.having = having?.renamed(rows)
    return result
  }
}

private struct FilterRenaming: FilterMapping {
  let rows: [Int64: Int64]

  func operand(for path: FilterPath) -> FilterExpression { .path(path) }
  func collection(_ path: FilterPath) -> FilterPath { path }
  func inside(_ variable: String) -> FilterRenaming { self }

  func object(_ id: ManagedObjectID) -> ManagedObjectID {
    rows[id.row].map { ManagedObjectID(entity: id.entity, row: $0) } ?? id
  }
}
