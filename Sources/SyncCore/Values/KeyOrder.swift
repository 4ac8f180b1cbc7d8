/// Nothing that people see depends on the order of a dictionary, which is another one in each run.
extension Dictionary where Key: Comparable {
  /// The entries in the order of their keys.
  ///
  /// Keys alone are sorted, so that dictionaries with the same keys share the sort: one for each
  /// type of entries made up a fifteenth of what there is to compile.
  ///
  /// - Complexity: O(*n* log *n*).
  @inlinable package var inKeyOrder: [Element] {
    keys.sorted().compactMap { key in self[key].map { (key, $0) } }
  }
}
