/// What the properties of an object held before and after a commit, by slot. A to-one relationship
/// holds the primary key of the object that it leads to, or its row number where that has none;
/// to-many relationships hold nothing.
package struct ChangedValues: Sendable {
  /// Empty for an inserted object.
  package var earlier: [Value] = []

  /// Empty for a deleted object.
  package var later: [Value] = []

  package init() {}
}
