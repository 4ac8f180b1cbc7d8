import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncEngine

@Suite(.timeLimit(.minutes(5))) struct SyncProgressUpdateTests {
  private func step(_ phase: SyncPhase, _ completed: Int, of total: Int = 100) -> SyncStep {
    SyncStep(phase: phase, completed: completed, total: total, begins: completed == 0)
  }

  @Test func updatesNeverFallAndEndAtOne() async throws {
    let stack = try DataStack.social()
    let sync = Sync(.json(items(1...3_000)), inEntityNamed: "User", dataStack: stack)
    let updates = sync.progressUpdates
    stack.syncQueue.addOperation(sync)
    var seen: [SyncProgressUpdate] = []
    for await update in updates { seen.append(update) }
    #expect(seen.map(\.fraction) == seen.map(\.fraction).sorted())
    #expect(seen.last?.fraction == 1)
    #expect(seen.filter(\.isFinished).count == 1)
    #expect(seen.last?.isFinished == true)
    var phases: [SyncPhase] = []
    for phase in seen.compactMap(\.phase) where phase != phases.last { phases.append(phase) }
    #expect(phases == SyncPhase.allCases)
  }

  @Test func aSequenceAskedForAfterwardsHasTheLastUpdate() async throws {
    let stack = try DataStack.social()
    let sync = Sync(.json(items([1])), inEntityNamed: "User", dataStack: stack)
    sync.start()
    var seen: [SyncProgressUpdate] = []
    for await update in sync.progressUpdates { seen.append(update) }
    #expect(seen.map(\.isFinished) == [true])
  }

  @Test func aCancelledSyncEndsTheSequence() async throws {
    let stack = try DataStack.social()
    let sync = Sync(.json(items([1])), inEntityNamed: "User", dataStack: stack)
    let updates = sync.progressUpdates
    sync.cancel()
    sync.start()
    var last: SyncProgressUpdate?
    for await update in updates { last = update }
    #expect(last?.isFinished == true)
    #expect(last?.fraction == 0)
  }

  @Test func insideAPhaseUpdatesAreATenthOfASecondApart() {
    var rate = ProgressRate(now: .zero)
    let steps = [
      (step(.parse, 0), 0), (step(.parse, 10), 40), (step(.parse, 20), 100),
      (step(.parse, 30), 199), (step(.match, 0), 199),
    ]
    var isTold: [Bool] = []
    for (step, time) in steps { isTold.append(rate.follow(step, at: .milliseconds(time))) }
    #expect(isTold == [true, false, true, false, true])
  }

  @Test func throughputIsThatOfThePhaseAndTheEstimateThatOfTheWhole() throws {
    var rate = ProgressRate(now: .zero)
    _ = rate.follow(step(.parse, 0), at: .zero)
    _ = rate.follow(step(.parse, 50), at: .seconds(1))
    let first = rate.update(fraction: 0.25, at: .seconds(1))
    #expect(first.throughput == 50)
    #expect(first.estimatedTimeRemaining == 3)
    _ = rate.follow(step(.match, 0), at: .seconds(2))
    _ = rate.follow(step(.match, 40), at: .seconds(4))
    let second = rate.update(fraction: 0.8, at: .seconds(4))
    #expect(second.throughput == 20)
    let left = try #require(second.estimatedTimeRemaining)
    #expect(abs(left - 1) < 1e-9)
    let third = rate.update(fraction: 0.5, at: .seconds(4))
    #expect(third.fraction == 0.8, "it never falls")
  }

  @Test func theProgressObjectKnowsTheTimeThatIsLeft() throws {
    let stack = try DataStack.social()
    let sync = Sync(.json(items(1...2_000)), inEntityNamed: "User", dataStack: stack)
    sync.start()
    #expect(sync.progress.userInfo[.estimatedTimeRemainingKey] as? Double == 0)
  }

  @Test func aSyncThatIsMadeUnderACurrentProgressIsAPartOfIt() throws {
    let stack = try DataStack.social()
    let total = Progress(totalUnitCount: 1)
    total.becomeCurrent(withPendingUnitCount: 1)
    let sync = Sync(.json(items(1...3)), inEntityNamed: "User", dataStack: stack)
    total.resignCurrent()
    #expect(!total.isFinished)
    sync.start()
    #expect(total.isFinished)
  }
}
