import Foundation
import SyncStack
import TestSupport
import Testing

/// Children edit and save into the main context while syncs commit. After each sync both sides of
/// every relationship say the same in the main context.
@Suite struct ChildrenAndSyncsTests {
  private static let rounds = Proof.number("ROUNDS") ?? 40

  @Test(arguments: Proof.seeds(usual: 1...3), [false, true])
  func bothSidesAgreeAfterASyncThatChildrenSavedBeside(seed: UInt64, isFile: Bool) async throws {
    let folder = try TemporaryFolder()
    let stack = try DataStack(
      model: AgreementRun.model(),
      store: isFile ? .sqlite(folder.file("children.sqlite")) : .inMemory)
    let main = stack.mainContext
    main.mergePolicy = .storeWins
    var random = SeededGenerator(seed: seed)
    let children = (0..<2).map { _ in main.newChildContext(.privateQueue) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, child) in children.enumerated() {
        let seed = random.next()
        child.mergePolicy = .storeWins
        group.addTask {
          var random = SeededGenerator(seed: seed)
          var next = 1000 + index * 100_000
          while !Task.isCancelled {
            let (seed, first) = (random.next(), next)
            next += 100
            try await child.perform {
              var edits = BlockEdits(
                context: child, random: SeededGenerator(seed: seed), next: first)
              for _ in 0..<3 { try edits.edit() }
              edits.save()
            }
          }
        }
      }
      for round in 1...Self.rounds {
        try await stack.sync(
          AgreementRun.payload(&random), inEntityNamed: random.pick(["User", "Note", "Tag"]))
        try main.performAndWait {
          try RelationshipSides.check(main, "main after sync \(round)")
        }
        if random.chance(20) {
          main.performAndWait { do { try main.save() } catch { main.rollback() } }
          try main.performAndWait { try RelationshipSides.check(main, "main after save \(round)") }
        }
      }
      group.cancelAll()
    }
    for context in children + [main] {
      try await context.perform { try RelationshipSides.check(context, "in the end") }
    }
  }
}
