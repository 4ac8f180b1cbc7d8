import Foundation
import SyncStack
import TestSupport

/// One sync of a stress run: its items, how it is queued, and when it is cancelled.
struct StressPlan: Sendable {
  enum Cancellation: Sendable {
    case never
    /// As a phase begins.
    case inPhase(SyncPhase)
    /// When so many syncs have finished, wherever this one is then.
    case afterFinished(Int)
  }

  let number: Int
  let queue: Int
  let items: [Int64: String]
  let operations: SyncOperations
  let priority: Operation.QueuePriority
  let quality: QualityOfService
  /// Number of a sync that has to finish first.
  let dependency: Int?
  let cancellation: Cancellation

  var payload: JSONValue {
    .array(
      items.sorted { $0.key < $1.key }.map { ["id": .integer($0.key), "name": .string($0.value)] })
  }

  /// Makes plans at random, the same ones for one seed.
  static func make(syncs: Int, queues: Int, cancels: Int, seed: UInt64) -> [StressPlan] {
    var generator = SeededGenerator(seed: seed)
    let cancelled = Set((0..<syncs).shuffled(using: &generator).prefix(cancels))
    return (0..<syncs).map { number in
      // Few keys and few names, so that syncs meet the same objects, and some change nothing.
      var items: [Int64: String] = [:]
      for _ in 0..<Int.random(in: 1...5, using: &generator) {
        items[.random(in: 1...40, using: &generator)] =
          "name \(Int.random(in: 1...3, using: &generator))"
      }
      let cancellation: Cancellation =
        if !cancelled.contains(number) {
          .never
        } else if generator.chance(50) {
          .inPhase(generator.pick(SyncPhase.allCases))
        } else {
          .afterFinished(max(0, number + .random(in: -250...20, using: &generator)))
        }
      return StressPlan(
        number: number, queue: .random(in: 0..<queues, using: &generator), items: items,
        operations: generator.pick([
          .all, [.insert, .update], [.insert, .update], [.insert, .update], [.update], [.insert],
          [.insert, .delete], [.delete],
        ]),
        priority: generator.pick([.veryLow, .low, .normal, .normal, .high, .veryHigh]),
        quality: generator.pick([.default, .background, .utility, .userInitiated, .userInteractive]
        ),
        dependency: number > 0 && generator.chance(10)
          ? .random(in: max(0, number - 60)..<number, using: &generator) : nil,
        cancellation: cancellation)
    }
  }
}

/// The expected store: keys and names of the users.
struct StressOracle: Sendable, Equatable {
  private(set) var names: [Int64: String] = [:]

  /// The changes of a sync, by key.
  struct Changes: Equatable {
    var inserted: Set<Int64> = []
    var updated: Set<Int64> = []
    var deleted: Set<Int64> = []
  }

  /// Makes the changes of a sync.
  mutating func apply(_ plan: StressPlan) -> Changes {
    var changes = Changes()
    for (key, name) in plan.items {
      if let old = names[key] {
        guard plan.operations.contains(.update), old != name else { continue }
        names[key] = name
        changes.updated.insert(key)
      } else if plan.operations.contains(.insert) {
        names[key] = name
        changes.inserted.insert(key)
      }
    }
    if plan.operations.contains(.delete) {
      for key in names.keys where plan.items[key] == nil {
        names[key] = nil
        changes.deleted.insert(key)
      }
    }
    return changes
  }
}

extension StressOracle.Changes {
  /// The changes of a commit.
  init(_ changes: ChangeSet) {
    func keys(_ values: ChangeKeys) -> [Int64] {
      values.compactMap { if case .int(let key) = $0 { key } else { nil } }
    }
    for entity in changes.entities {
      inserted.formUnion(keys(entity.insertedKeys))
      updated.formUnion(keys(entity.updatedKeys))
      deleted.formUnion(keys(entity.deletedKeys))
    }
  }
}
