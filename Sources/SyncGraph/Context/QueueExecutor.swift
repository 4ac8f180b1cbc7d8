import Dispatch

/// Runs asynchronous functions on the queue of a context, so that awaiting a block there is an
/// ordinary call: results and errors come back as they are.
final class QueueExecutor: SerialExecutor {
  private let queue: DispatchQueue
  private let load: QueueLoad

  init(_ queue: DispatchQueue, _ load: QueueLoad) {
    self.queue = queue
    self.load = load
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    load.enter()
    queue.async { [queue] in
      if queue === DispatchQueue.main { ContextQueue.main.endPass() }
      job.runSynchronously(on: self.asUnownedSerialExecutor())
      self.load.leave()
    }
  }

  func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }

  func checkIsolated() {
    dispatchPrecondition(condition: .onQueue(queue))
  }
}

/// Lives on the queue of a context.
actor QueueRunner {
  private let executor: QueueExecutor

  init(_ queue: DispatchQueue, _ load: QueueLoad) {
    executor = QueueExecutor(queue, load)
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  func run<Result: Sendable>(_ body: @Sendable () throws -> Result) rethrows -> Result {
    try body()
  }
}
