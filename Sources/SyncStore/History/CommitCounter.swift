import Synchronization

/// How many commits there were, and whether one is on its way to those who are told of it.
///
/// A commit can be read before it is told. A reader that looks here afterwards knows whether that
/// may have been so.
package final class CommitCounter: Sendable {
  private let begun = Atomic<Int>(0)
  private let told = Atomic<Int>(0)

  /// How many commits have begun.
  package var count: Int { begun.load(ordering: .sequentiallyConsistent) }

  /// Whether a commit has begun that was not told yet.
  package var isUnderWay: Bool {
    told.load(ordering: .sequentiallyConsistent) != begun.load(ordering: .sequentiallyConsistent)
  }

  /// A commit begins.
  func begin() { begun.add(1, ordering: .sequentiallyConsistent) }

  /// It was told, or came to nothing.
  func end() { told.add(1, ordering: .sequentiallyConsistent) }
}
