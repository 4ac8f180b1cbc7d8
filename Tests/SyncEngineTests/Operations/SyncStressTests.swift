import Foundation
import SyncStack
import TestSupport
import Testing

/// Very many syncs on very many queues, cancelled at random, watched by very many.
@Suite(.timeLimit(.minutes(5))) struct SyncStressTests {
  @Test func everySyncTakesEffectWhollyOrNotAtAllAndIsHeardOfOnce() async throws {
    let folder = try TemporaryFolder()
    let stack = try DataStack(model: TestModels.users(), store: .sqlite(folder.file()))
    let plans = StressPlan.make(syncs: 2_000, queues: 20, cancels: 500, seed: 5)
    let observers = try StressObservers(stack)
    let readers = (0..<8).map { StressReader(stack, every: 10 + $0) }
    let run = StressRun(plans, stack, queues: 20)
    await run.finish()
    await stack.drainNotifications()
    observers.end()
    let context = stack.newBackgroundContext()
    let stored = try await context.perform { try StressReader.names(in: context) }
    var seen: [[[Int64: String]]] = []
    for reader in readers { seen.append(try await reader.end()) }
    try stack.close()

    // Each sync has ended once, with its result there before it counted as finished.
    #expect(run.handled.all.sorted() == plans.map(\.number))
    #expect(run.completed.all.sorted() == plans.map(\.number))
    #expect(run.syncs.allSatisfy { $0.isFinished && !$0.isExecuting })
    let ends = observers.ends.all
    #expect(ends.map(\.number).sorted() == plans.map(\.number))
    let finished = Set(ends.filter { $0.name == .syncDidFinish }.map(\.number))

    // The commits, in their order, are those of the syncs one after the other.
    let commits = observers.classic[0].all
    #expect(zip(commits, commits.dropFirst()).allSatisfy { $0.generation < $1.generation })
    var oracle = StressOracle()
    var states = [oracle.names]
    var committed: [Int: ChangeSet] = [:]
    for commit in commits {
      let number = try #require(commit.author.flatMap { Int($0) })
      #expect(committed.updateValue(commit, forKey: number) == nil, "committed twice: \(number)")
      #expect(StressOracle.Changes(commit) == oracle.apply(plans[number]), "sync \(number)")
      states.append(oracle.names)
    }
    #expect(stored == oracle.names)

    // A sync that was stopped left no trace, the report of one that was not is that of its commit.
    var unchanged = 0
    for (number, sync) in run.syncs.enumerated() {
      switch try #require(sync.result) {
      case .success(let report):
        #expect(finished.contains(number))
        let counts = committed[number]?.counts ?? (0, 0, 0)
        #expect(report.inserted == counts.0 && report.updated == counts.1)
        #expect(report.deleted == counts.2)
        if committed[number] == nil { unchanged += 1 }
      case .failure(let error):
        #expect(error is CancellationError)
        #expect(committed[number] == nil && !finished.contains(number))
      }
    }

    // Everybody heard of every commit, once and in order.
    let generations = commits.map(\.generation)
    #expect(observers.count == 50)
    for log in observers.classic { #expect(log.all.map(\.generation) == generations) }
    for task in observers.awaited { #expect(await task.value.map(\.generation) == generations) }
    let lines = commits.flatMap { commit in
      let counts = commit.counts
      return Array(
        repeating: commit.generation, count: counts.inserted + counts.updated + counts.deleted)
    }
    for log in observers.logged { #expect(log.all == lines) }

    // Readers saw whole states only, and never an earlier one after a later one.
    var reads = 0
    for read in seen {
      var position = 0
      for state in read {
        let next = states[position...].firstIndex(of: state)
        position = try #require(next, "a reader saw what was never committed, or went back")
        reads += 1
      }
    }

    // Blocks on the global queues got threads all the while.
    #expect(run.lags.all.count == plans.count)
    let lag = run.lags.all.max() ?? 0
    #expect(lag < plans.count / 2)
    #expect(run.barriers.all.count == run.expectedBarriers)
    print(
      """
      Stress: \(plans.count) syncs on \(run.queueCount) queues, \(run.cancels.all.count) cancelled: \
      \(commits.count) committed, \(unchanged) changed nothing, \
      \(plans.count - commits.count - unchanged) stopped without a trace. \(observers.count) \
      observers heard of \(commits.count) commits each, \(lines.count) changes each; \
      \(readers.count) readers read \(reads) times; \(run.lags.all.count) blocks on the global queue, \
      at most \(lag) syncs late; \(run.expectedBarriers) barriers.
      """)
  }
}
