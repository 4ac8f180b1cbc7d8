/// Anything a filter can be evaluated against in memory: an object with its unsaved values, a row.
///
/// Slots are those of the entity that the filter was resolved for, or of a relationship's
/// destination.
package protocol FilterSubject {
  /// The row number; negative for an object that was never saved.
  var filterRow: Int64 { get }

  /// The value of an attribute.
  func filterValue(at slot: Int) throws -> Value

  /// The row number that a to-one relationship holds, or nil when it leads nowhere.
  func filterReference(at slot: Int) throws -> Int64?

  /// The object that a to-one relationship leads to, or nil when there is none.
  func filterObject(at slot: Int) throws -> (any FilterSubject)?

  /// The members of a to-many relationship, each once, in any order.
  func filterMembers(at slot: Int) throws -> [any FilterSubject]
}
