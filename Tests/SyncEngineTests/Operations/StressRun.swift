import Foundation
import SyncStack
import TestSupport

/// Syncs on their way through queues.
final class StressRun: Sendable {
  let syncs: [Sync]
  let handled = Log<Int>()
  let completed = Log<Int>()
  let cancels = Log<Int>()
  /// How many syncs finished between the posting of each block on the global queue and its run.
  let lags = Log<Int>()
  let barriers = Log<Int>()
  let expectedBarriers: Int
  private let queues: [OperationQueue]
  private let finished = Locked(0)
  private let suspended = Locked(0)
  private let due: [Int: [Int]]

  var queueCount: Int { queues.count }

  /// Adds the syncs to as many queues: serial ones and wide ones, and that of the stack.
  init(_ plans: [StressPlan], _ stack: DataStack, queues count: Int) {
    queues =
      [stack.syncQueue]
      + (1..<count).map { number in
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = [1, 2, 4, 16][number % 4]
        return queue
      }
    var syncs: [Sync] = []
    var due: [Int: [Int]] = [:]
    for plan in plans {
      let sync = Sync(.json(plan.payload), inEntityNamed: "User", dataStack: stack)
      sync.operations = plan.operations
      sync.author = "\(plan.number)"
      sync.queuePriority = plan.priority
      sync.qualityOfService = plan.quality
      if let dependency = plan.dependency { sync.addDependency(syncs[dependency]) }
      if case .afterFinished(let count) = plan.cancellation {
        due[count, default: []].append(plan.number)
      }
      syncs.append(sync)
    }
    self.syncs = syncs
    self.due = due
    var barriers = 0
    var added = [Int](repeating: 0, count: count)
    for plan in plans {
      added[plan.queue] += 1
      if added[plan.queue] % 25 == 0 { barriers += 1 }
    }
    expectedBarriers = barriers
    added = added.map { _ in 0 }
    for plan in plans {
      watch(plan)
      queues[plan.queue].addOperation(syncs[plan.number])
      added[plan.queue] += 1
      if added[plan.queue] % 25 == 0 {
        queues[plan.queue].addBarrierBlock { [log = self.barriers] in log.append(plan.queue) }
      }
    }
  }

  private func watch(_ plan: StressPlan) {
    let sync = syncs[plan.number]
    if case .inPhase(let phase) = plan.cancellation {
      sync.stepObserver = { [unowned self] step in
        if step.begins, step.phase == phase { cancel(plan.number) }
      }
    }
    sync.completionBlock = { [unowned self] in
      if syncs[plan.number].result != nil { completed.append(plan.number) }
    }
    sync.whenFinished { [unowned self] _ in
      handled.append(plan.number)
      didFinish()
    }
  }

  private func cancel(_ number: Int) {
    cancels.append(number)
    syncs[number].cancel()
  }

  private func didFinish() {
    let count = finished.withLock { count in
      count += 1
      return count
    }
    DispatchQueue.global().async { [self] in
      lags.append(finished.withLock { $0 } - count)
      for number in due[count - 1] ?? [] { cancel(number) }
      if count % 50 == 0 { suspendAnother(after: count) }
    }
  }

  /// Suspends one queue after the other, each for a while.
  private func suspendAnother(after count: Int) {
    let next = count < syncs.count * 3 / 4 ? (count / 50) % queues.count : nil
    suspended.withLock { last in
      queues[last].isSuspended = false
      if let next {
        queues[next].isSuspended = true
        last = next
      }
    }
  }

  /// Returns when all have finished, and everybody was told.
  func finish() async {
    for queue in queues {
      await withCheckedContinuation { continuation in
        queue.addBarrierBlock { continuation.resume() }
      }
    }
    while completed.all.count < syncs.count || lags.all.count < syncs.count { await Task.yield() }
  }
}
