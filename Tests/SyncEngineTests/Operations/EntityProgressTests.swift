import Foundation
import SyncCore
import SyncGraph
import SyncStore
import TestSupport
import Testing

@testable import SyncEngine

@Suite(.timeLimit(.minutes(30))) struct EntityProgressTests {
  private static func payload(_ users: Range<Int>) -> JSONValue {
    .array(
      users.map { user in
        [
          "id": .integer(Int64(user)), "company": ["id": .integer(Int64(user % 10))],
          "notes": .array((0..<3).map { ["id": .integer(Int64(user * 3 + $0))] }),
        ]
      })
  }

  /// Runs a sync and gives what the progress of an entity was at each step.
  private func shares(
    of entity: String, _ sync: Sync
  ) throws -> [(completed: Int64, total: Int64)] {
    let log = Log<(completed: Int64, total: Int64)>()
    let progress = try sync.progress(ofEntityNamed: entity)
    sync.stepObserver = { _ in
      log.append((progress.completedUnitCount, progress.totalUnitCount))
    }
    sync.start()
    _ = try sync.result?.get()
    return log.all + [(progress.completedUnitCount, progress.totalUnitCount)]
  }

  @Test(arguments: [("User", 2_000), ("Note", 6_000), ("Company", 10), ("Tag", 0)])
  func totalsAreTheObjectsOfThePayload(_ entity: String, _ count: Int64) throws {
    let stack = try DataStack.social()
    let sync = Sync(.json(Self.payload(0..<2_000)), inEntityNamed: "User", dataStack: stack)
    let shares = try shares(of: entity, sync)
    #expect(shares.last?.total == count)
    #expect(shares.last?.completed == count)
    #expect(Set(shares.map(\.total)).subtracting([0]).count == (count > 0 ? 1 : 0))
    #expect(zip(shares, shares.dropFirst()).allSatisfy { $0.completed <= $1.completed })
  }

  @Test func objectsInBatchesAreCountedAsTheyAreRead() throws {
    let stack = try DataStack.social()
    let sync = Sync(.json(Self.payload(0..<300)), inEntityNamed: "User", dataStack: stack)
    sync.transaction = .perBatch(50)
    let shares = try shares(of: "Note", sync)
    #expect(shares.last?.total == 900 && shares.last?.completed == 900)
    #expect(shares.contains { $0.total == 450 })
    #expect(zip(shares, shares.dropFirst()).allSatisfy { $0.completed <= $1.completed })
    #expect(shares.allSatisfy { $0.completed <= $0.total })
  }

  /// Items that are not read, because they come as they were stored, count with all that they nest.
  @Test func whatDidNotChangeIsCountedToo() throws {
    let stack = try DataStack.social()
    try stack.sync(Self.payload(0..<100), inEntityNamed: "User")
    let sync = Sync(.json(Self.payload(0..<100)), inEntityNamed: "User", dataStack: stack)
    #expect(try shares(of: "Note", sync).last?.total == 300)
    #expect(try sync.progress(ofEntityNamed: "User").totalUnitCount == 100)
    #expect(try sync.progress(ofEntityNamed: "User").isFinished)
  }

  @Test func aFailedSyncIsNotComplete() throws {
    let stack = try DataStack.social()
    let sync = Sync(.json(Self.payload(0..<100)), inEntityNamed: "User", dataStack: stack)
    let progress = try sync.progress(ofEntityNamed: "Note")
    let weak = WeakSync(sync)
    sync.stepObserver = { if $0.phase == .update { weak.sync?.cancel() } }
    sync.start()
    #expect(throws: CancellationError.self) { try sync.result?.get() }
    #expect(progress.totalUnitCount == 300)
    #expect(progress.completedUnitCount > 0 && !progress.isFinished)
  }

  @Test func anEntityThatTheModelDoesNotHaveIsAnError() throws {
    let stack = try DataStack.social()
    let sync = Sync(.json([]), inEntityNamed: "User", dataStack: stack)
    #expect(throws: ModelError.self) { try sync.progress(ofEntityNamed: "Usr") }
  }

  /// It may be shown below a progress of the program's own.
  @Test func itHasNoParentOfItsOwn() throws {
    let stack = try DataStack.social()
    let sync = Sync(.json(Self.payload(0..<10)), inEntityNamed: "User", dataStack: stack)
    let total = Progress(totalUnitCount: 1)
    total.addChild(try sync.progress(ofEntityNamed: "User"), withPendingUnitCount: 1)
    sync.start()
    #expect(total.isFinished)
  }

  @Test func stepsInsideAPhaseAreToldAtMostFiftyTimesASecond() {
    let pace = StepPace()
    let steps: [(SyncPhase, begins: Bool, milliseconds: Int)] = [
      (.parse, true, 0), (.parse, false, 19), (.parse, false, 20), (.parse, false, 39),
      (.match, true, 39),
    ]
    var isTold: [Bool] = []
    for (phase, begins, time) in steps {
      let step = SyncStep(phase: phase, completed: 1, total: 9, begins: begins)
      isTold.append(pace.isDue(step, at: .milliseconds(time)))
    }
    #expect(isTold == [true, false, true, false, true])
  }
}
