import Foundation
import Measuring
import SyncStack

/// The time that `durability: .full` adds to commits of one object and of a hundred, on the disk of
/// the folder for temporary files. The stores take turns; elapsed time, medians over the rounds.
///
/// ```
/// TMPDIR=/a/folder/on/the/disk Trials durability 200
/// ```
struct DurabilityTrial {
  let rounds: Int

  func run() throws {
    let folder = try TrialFolder()
    let kinds: [(name: String, durability: StoreDurability)] = [
      ("normal", .normal), ("full", .full),
    ]
    let stacks = try kinds.map { kind in
      let stack = try DataStack(
        model: ManagedObjectModel([
          EntityDraft("Item", [.attribute("id", .integer64), .attribute("name", .string)])
        ]), store: .sqlite(folder.file("\(kind.name).sqlite")), durability: kind.durability)
      try sync(stack, 0..<10_000, round: -1)
      return stack
    }
    for count in [1, 100] {
      var times = [[Double]](repeating: [], count: stacks.count)
      for round in 0..<rounds {
        for index in stacks.indices {
          let duration = try ContinuousClock().measure {
            try sync(stacks[index], 0..<count, round: round)
          }
          times[index].append(duration / .milliseconds(1))
        }
      }
      for (kind, times) in zip(kinds, times) {
        let sorted = times.sorted()
        say(
          String(
            format: "%d changed, %@: %.3f ms, nine of ten below %.3f", count, kind.name,
            sorted[sorted.count / 2], sorted[sorted.count * 9 / 10]))
      }
    }
    for stack in stacks { try stack.close() }
  }

  private func sync(_ stack: DataStack, _ keys: Range<Int>, round: Int) throws {
    let items = keys.map { "{\"id\":\($0),\"name\":\"name \($0) \(round)\"}" }
    let sync = Sync(
      .data(Data("[\(items.joined(separator: ","))]".utf8)), inEntityNamed: "Item",
      dataStack: stack)
    if round >= 0 { sync.operations = [.insert, .update] }
    sync.start()
    sync.waitUntilFinished()
    _ = try sync.result?.get()
  }
}
