import Synchronization

/// The values of an object's properties before and after a commit, by slot. A to-one relationship
/// holds the primary key of the object that it leads to, or its row number where that has none;
/// to-many relationships hold nothing.
package struct ChangedValues: Sendable {
  /// Empty for an inserted object.
  package var earlier: [Value] = []

  /// Empty for a deleted object.
  package var later: [Value] = []

  package init() {}
}

/// The number of readers that ask a store to keep the values it changes. It outlives the store,
/// which `drop()` makes anew.
package final class ValueDemand: Sendable {
  private let count = Atomic<Int>(0)

  package init() {}

  package var isThere: Bool { count.load(ordering: .acquiring) > 0 }

  package func begin() { count.add(1, ordering: .acquiringAndReleasing) }

  package func end() { count.subtract(1, ordering: .acquiringAndReleasing) }
}
