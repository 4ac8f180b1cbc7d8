import Foundation
import Testing

@testable import SyncEngine

@Suite struct SyncProgressTests {
  /// Follows steps and gives the share that is done after each.
  private func shares(_ steps: [(SyncPhase, completed: Int, total: Int, begins: Bool)]) -> [Double]
  {
    let progress = SyncProgress()
    return steps.enumerated().map { time, step in
      _ = progress.follow(
        SyncStep(phase: step.0, completed: step.completed, total: step.total, begins: step.begins),
        at: .seconds(time))
      return progress.progress.fractionCompleted
    }
  }

  private func isAscending(_ shares: [Double]) -> Bool {
    zip(shares, shares.dropFirst()).allSatisfy { $0 <= $1 }
      && shares.allSatisfy { (0...1).contains($0) }
  }

  @Test func phasesCountByTheirWeights() {
    let shares = shares([
      (.parse, 0, 1_000, true), (.parse, 500, 1_000, false),
      (.parse, 1_000, 1_000, false), (.match, 0, 10_000, true),
      (.match, 5_000, 10_000, false), (.insert, 0, 10_000, true), (.save, 0, 1, true),
    ])
    #expect(shares.map { ($0 * 1_000).rounded() } == [0, 150, 300, 300, 425, 550, 960])
  }

  @Test func totalsThatGrowInsideAPhaseDoNotCountTwice() {
    let match = (1...100).map {
      (SyncPhase.match, completed: $0 * 256, total: $0 * 300, begins: false)
    }
    let shares = shares(
      [(.parse, 0, 10, true), (.parse, 10, 10, false), (.match, 0, 0, true)] + match
        + [(.insert, 0, 5, true), (.insert, 5, 5, false), (.update, 0, 0, true)])
    #expect(isAscending(shares))
    #expect(shares.last.map { ($0 * 100).rounded() } == 80)
  }

  @Test func aPayloadInPartsAdvancesWithTheBytesRead() {
    var steps: [(SyncPhase, completed: Int, total: Int, begins: Bool)] = [(.parse, 0, 1_000, true)]
    for part in 1...10 {
      steps.append((.parse, part * 100, 1_000, false))
      if part == 1 {
        steps += [(.match, 0, 50, true), (.insert, 0, 50, true), (.link, 0, 1, true)]
      }
      steps += [(.match, 50, 50, false), (.insert, 50, 50, false)]
    }
    steps += [(.delete, 0, 1, true), (.save, 0, 1, true)]
    let shares = shares(steps)
    #expect(isAscending(shares))
    #expect(abs(shares[shares.count / 2] - 0.5) < 0.15)
    #expect(shares.last.map { ($0 * 100).rounded() } == 96)
  }

  @Test func onlyAFinishedSyncIsComplete() {
    let progress = SyncProgress()
    for phase in SyncPhase.allCases {
      _ = progress.follow(SyncStep(phase: phase, completed: 0, total: 3, begins: true))
      _ = progress.follow(SyncStep(phase: phase, completed: 3, total: 3, begins: false))
    }
    #expect(!progress.progress.isFinished)
    #expect(progress.latestStep?.phase == .save)
    progress.finish(isComplete: true)
    #expect(progress.progress.isFinished)
    #expect(progress.progress.fractionCompleted == 1)
  }

  @Test func whoAsksLateSeesTheSame() {
    let early = SyncProgress()
    let late = SyncProgress()
    let observed = early.progress
    var time = 0.0
    for phase in SyncPhase.allCases {
      for completed in [0, 2, 3] {
        let step = SyncStep(phase: phase, completed: completed, total: 3, begins: completed == 0)
        time += 1
        #expect(early.follow(step, at: .seconds(time)) && late.follow(step, at: .seconds(time)))
        #expect(abs(observed.fractionCompleted - late.fractionCompleted) < 1e-9)
      }
    }
    #expect(abs(observed.fractionCompleted - late.progress.fractionCompleted) < 1e-9)
    let step = SyncStep(phase: .save, completed: 3, total: 4, begins: false)
    #expect(late.follow(step, at: .seconds(time + 1)))
    #expect(late.progress.userInfo[.throughputKey] is Int)
    #expect(late.progress.userInfo[.estimatedTimeRemainingKey] is Double)
    #expect(late.progress === late.progress)
    late.finish(isComplete: true)
    #expect(late.progress.isFinished && late.fractionCompleted == 1)
  }

  @Test func insideAPhaseItMovesTenTimesASecond() {
    let tracker = SyncProgress()
    let progress = tracker.progress
    let steps: [(SyncPhase, completed: Int, milliseconds: Int, isTold: Bool)] = [
      (.parse, 0, 0, true), (.parse, 50, 99, false), (.parse, 60, 100, true),
      (.parse, 90, 199, false), (.match, 0, 199, true),
    ]
    for (phase, completed, milliseconds, isTold) in steps {
      let before = progress.fractionCompleted
      let step = SyncStep(phase: phase, completed: completed, total: 100, begins: completed == 0)
      #expect(tracker.follow(step, at: .milliseconds(milliseconds)) == isTold)
      #expect((progress.fractionCompleted > before) == (isTold && milliseconds > 0))
    }
  }

  @Test func askedForUnderACurrentProgressItBelongsToNone() {
    let total = Progress(totalUnitCount: 1)
    total.becomeCurrent(withPendingUnitCount: 1)
    let progress = SyncProgress().progress
    total.resignCurrent()
    let other = Progress(totalUnitCount: 1)
    other.addChild(progress, withPendingUnitCount: 1)
    #expect(total.isFinished && !other.isFinished)
  }

  @Test func sharesReachTheProgressAbove() {
    let total = Progress(totalUnitCount: 2)
    let progresses = (0..<2).map { _ in SyncProgress() }
    for progress in progresses { total.addChild(progress.progress, withPendingUnitCount: 1) }
    _ = progresses[0].follow(SyncStep(phase: .match, completed: 0, total: 9, begins: true))
    #expect((total.fractionCompleted * 100).rounded() == 15)
    for progress in progresses { progress.finish(isComplete: true) }
    #expect(total.isFinished)
  }
}
