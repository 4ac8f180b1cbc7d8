import Synchronization

/// How many ask a store to keep the values of what it changes. It outlives the store, which
/// `drop()` makes anew.
package final class ValueDemand: Sendable {
  private let count = Atomic<Int>(0)

  package init() {}

  package var isThere: Bool { count.load(ordering: .acquiring) > 0 }

  package func begin() { count.add(1, ordering: .acquiringAndReleasing) }

  package func end() { count.subtract(1, ordering: .acquiringAndReleasing) }
}
