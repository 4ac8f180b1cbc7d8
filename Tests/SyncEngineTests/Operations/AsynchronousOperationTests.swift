import Foundation
import SyncStack
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct AsynchronousOperationTests {
  private struct Failure: Error, Equatable {
    var number = 0
  }

  /// Work that ends when the test says so.
  private final class Manual: AsynchronousOperation<Int>, @unchecked Sendable {
    let calls = Log<String>()
    private let inMain: @Sendable (Manual) -> Void

    init(inMain: @escaping @Sendable (Manual) -> Void = { _ in }) {
      self.inMain = inMain
      super.init()
    }

    override func main() {
      calls.append("main")
      inMain(self)
      calls.append("main returns")
    }

    override func stop() { calls.append("stop") }
  }

  /// A serial queue.
  private func serial() -> OperationQueue {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    return queue
  }

  // MARK: - Outcome

  @Test func whatTheClosureReturnsIsTheResult() async throws {
    let operation = AsynchronousOperation {
      await Task.yield()
      return 7
    }
    await serial().run([operation])
    #expect(try operation.result?.get() == 7)
    #expect(operation.isFinished && !operation.isExecuting && operation.isAsynchronous)
  }

  @Test func itsValueIsAwaitedOnAnyQueue() async throws {
    let queue = serial()
    let operations = (0..<20).map { number in
      AsynchronousOperation {
        if number % 2 == 1 { throw Failure(number: number) }
        return number
      }
    }
    for operation in operations { queue.addOperation(operation) }
    for (number, operation) in operations.enumerated() {
      if number % 2 == 0 {
        #expect(try await operation.value == number)
      } else {
        await #expect(throws: Failure(number: number)) { try await operation.value }
      }
    }
    // It is there for later callers, too.
    #expect(try await operations[0].value == 0)
  }

  @Test func cancellingTheTaskThatAwaitsItCancelsIt() async throws {
    let begun = AsyncStream.makeStream(of: Void.self)
    let operation = AsynchronousOperation {
      begun.continuation.finish()
      try await Task.sleep(for: .seconds(3_600))
    }
    serial().addOperation(operation)
    let waiting = Task { try await operation.value }
    for await _ in begun.stream {}
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(operation.isCancelled)
  }

  /// A queue is cancelled while some of its operations run and others wait: each value comes, and a
  /// dependent operation in the place of a barrier ends.
  @Test func eachValueComesThoughTheQueueIsCancelled() async {
    for _ in 0..<20 {
      let queue = serial()
      let operations = (0..<6).map { _ in
        AsynchronousOperation { try await Task.sleep(for: .seconds(3_600)) }
      }
      let last = AsynchronousOperation {}
      for operation in operations { last.addDependency(operation) }
      for operation in operations + [last] { queue.addOperation(operation) }
      while !operations[0].isExecuting { await Task.yield() }
      queue.cancelAllOperations()
      for operation in operations + [last] {
        await #expect(throws: CancellationError.self) { try await operation.value }
      }
    }
  }

  @Test func handlersAreCalledOnceWithTheResultBeforeItCountsAsFinished() {
    let operation = Manual()
    let heard = Log<String>()
    let say: @Sendable (Result<Int, any Error>) -> Void = { [unowned operation] result in
      let value = (try? result.get()) ?? -1
      heard.append("\(value) \(operation.isExecuting) \(operation.isFinished)")
    }
    operation.whenFinished(say)
    operation.start()
    #expect(heard.all.isEmpty && operation.isExecuting)
    operation.finish(with: .success(1))
    operation.whenFinished(say)
    #expect(heard.all == ["1 true false", "1 false true"])
  }

  @Test func theCompletionBlockRunsOnceWithTheResult() async {
    let counts = Log<Int>()
    await withTaskGroup { group in
      for number in 0..<200 {
        group.addTask {
          await withCheckedContinuation { continuation in
            let operation = AsynchronousOperation { number }
            operation.completionBlock = { [unowned operation] in
              counts.append((try? operation.result?.get()) ?? -1)
              continuation.resume()
            }
            if number % 2 == 0 {
              operation.start()
            } else {
              OperationQueue().addOperation(operation)
            }
          }
        }
      }
    }
    #expect(counts.all.sorted() == Array(0..<200))
  }

  @Test func finishedOperationsAreLetGoOf() async {
    final class Load: Sendable {}
    weak var load: Load?
    weak var operation: AsynchronousOperation<Int>?
    await withCheckedContinuation { continuation in
      let heavy = Load()
      let made = AsynchronousOperation { [heavy] in
        await Task.yield()
        return withExtendedLifetime(heavy) { 1 }
      }
      (load, operation) = (heavy, made)
      let after = BlockOperation { continuation.resume() }
      after.addDependency(made)
      let queue = OperationQueue()
      queue.addOperation(made)
      queue.addOperation(after)
    }
    while load != nil || operation != nil { await Task.yield() }
  }

  // MARK: - Queues

  @Test func aSerialQueueGoesOnBehindIt() async {
    let queue = serial()
    let order = Log<Int>()
    let operations = (0..<50).map { number in
      AsynchronousOperation {
        order.append(number)
        await Task.yield()
        order.append(number)
      }
    }
    await queue.run(operations)
    #expect(order.all == (0..<50).flatMap { [$0, $0] })
  }

  @Test func whoDependsOnItSeesItsResult() async {
    let numbers = AsynchronousOperation {
      await Task.yield()
      return [1, 2, 3]
    }
    let sum = AsynchronousOperation { try numbers.result?.get().reduce(0, +) ?? -1 }
    let twice = BlockOperation()
    let found = Log<Int>()
    twice.addExecutionBlock { found.append(((try? sum.result?.get()) ?? -1) * 2) }
    sum.addDependency(numbers)
    twice.addDependency(sum)
    let queues = (0..<3).map { _ in OperationQueue() }
    queues[0].addOperation(twice)
    queues[1].addOperation(sum)
    queues[2].addOperation(numbers)
    await queues[0].untilEmpty()
    #expect(found.all == [12])
  }

  @Test func aSyncMayDependOnIt() async throws {
    let stack = try DataStack.social()
    let folder = try TemporaryFolder()
    let file = folder.file("users.json")
    let download = AsynchronousOperation { try items(1...3).data().write(to: file) }
    let sync = Sync(.file(file), inEntityNamed: "User", dataStack: stack)
    sync.addDependency(download)
    stack.syncQueue.addOperation(sync)
    OperationQueue().addOperation(download)
    await stack.syncQueue.untilEmpty()
    #expect(try sync.result?.get().inserted == 3)
  }

  @Test func aBarrierWaitsForIt() async {
    let queue = OperationQueue()
    let seen = Log<Int>()
    let operations = (0..<8).map { number in
      AsynchronousOperation {
        for _ in 0..<10 { await Task.yield() }
        seen.append(number)
      }
    }
    for operation in operations { queue.addOperation(operation) }
    queue.addBarrierBlock { seen.append(-1) }
    await queue.untilEmpty()
    #expect(seen.all.last == -1 && seen.all.count == 9)
  }

  @Test func aChainOfManyEnds() async {
    let queue = OperationQueue()
    let order = Log<Int>()
    var chain: [AsynchronousOperation<Void>] = []
    for number in 0..<1_000 {
      let operation = AsynchronousOperation { order.append(number) }
      if let last = chain.last { operation.addDependency(last) }
      chain.append(operation)
    }
    await queue.run(chain.reversed())
    #expect(order.all == Array(0..<1_000))
  }

  @Test func itKeepsNoThreadWhileItWaits() async {
    let operations = (0..<100).map { _ in Manual() }
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 100
    for operation in operations { queue.addOperation(operation) }
    for operation in operations {
      while !operation.calls.all.contains("main returns") { await Task.yield() }
    }
    #expect(operations.allSatisfy { $0.isExecuting && !$0.isFinished })
    for operation in operations { operation.finish(with: .success(0)) }
    await queue.untilEmpty()
    #expect(operations.allSatisfy { $0.isFinished })
  }

  @Test func withoutAQueueItRunsToo() {
    let operation = Manual { $0.finish(with: .success(4)) }
    operation.start()
    operation.start()
    #expect(operation.isFinished)
    #expect(operation.calls.all == ["main", "main returns"])
  }

  // MARK: - Cancellation

  @Test func cancelledBeforeTheStartItFinishesWithoutRunning() async throws {
    let queue = serial()
    queue.isSuspended = true
    let operation = Manual()
    let after = AsynchronousOperation { 1 }
    let heard = Log<Bool>()
    operation.whenFinished { result in
      heard.append((result.failure as? CancellationError) != nil)
    }
    for operation in [operation, after] as [Operation] { queue.addOperation(operation) }
    operation.cancel()
    #expect(operation.result == nil && !operation.isFinished)
    queue.isSuspended = false
    await queue.untilEmpty()
    #expect(operation.isFinished && operation.calls.all.isEmpty)
    #expect(throws: CancellationError.self) { try operation.result?.get() }
    #expect(heard.all == [true])
    #expect(try after.result?.get() == 1)
  }

  @Test func cancelledWhileItWaitsForOthersItWaitsNoLonger() async {
    let first = Manual()
    let second = Manual()
    second.addDependency(first)
    OperationQueue().addOperation(first)
    let queue = OperationQueue()
    queue.addOperation(second)
    second.cancel()
    await queue.untilEmpty()
    #expect(throws: CancellationError.self) { try second.result?.get() }
    #expect(!first.isFinished)
    while !first.isExecuting { await Task.yield() }
    first.finish(with: .success(0))
  }

  @Test func cancelledWhileItRunsItsTaskIsCancelled() async {
    let begun = AsyncStream.makeStream(of: Void.self)
    let operation = AsynchronousOperation {
      begun.continuation.finish()
      try await Task.sleep(for: .seconds(3_600))
    }
    let queue = serial()
    queue.addOperation(operation)
    for await _ in begun.stream {}
    operation.cancel()
    operation.cancel()
    await queue.untilEmpty()
    #expect(throws: CancellationError.self) { try operation.result?.get() }
  }

  @Test func afterACancellationEveryFailureIsOneAndASuccessStays() throws {
    let failed = Manual()
    failed.start()
    failed.cancel()
    failed.finish(with: .failure(Failure()))
    #expect(throws: CancellationError.self) { try failed.result?.get() }
    let tooLate = Manual()
    tooLate.start()
    tooLate.cancel()
    tooLate.finish(with: .success(5))
    #expect(try tooLate.result?.get() == 5)
    #expect(tooLate.isCancelled)
  }

  @Test func itIsToldToStopOnceAndNotBeforeTheWorkHasBegun() {
    let operation = Manual { $0.cancel() }
    operation.start()
    operation.cancel()
    #expect(operation.calls.all == ["main", "main returns", "stop"])
    operation.finish(with: .failure(CancellationError()))
    operation.cancel()
    #expect(operation.calls.all.count == 3)
  }

  @Test func whatHasFinishedIsNotToldToStop() throws {
    let operation = Manual {
      $0.finish(with: .success(1))
      $0.cancel()
    }
    operation.start()
    operation.cancel()
    #expect(operation.calls.all == ["main", "main returns"])
    #expect(try operation.result?.get() == 1)
  }

  @Test func theFirstToFinishWins() throws {
    let operation = Manual()
    operation.start()
    #expect(operation.finish(with: .success(1)))
    #expect(!operation.finish(with: .success(2)))
    #expect(try operation.result?.get() == 1)
  }

  @Test func cancelledAtRandomMomentsEachFinishesOnce() async {
    let finished = Log<Int>()
    for round in 0..<50 {
      let queue = OperationQueue()
      let operations = (0..<50).map { number in
        AsynchronousOperation {
          for _ in 0..<number % 5 { await Task.yield() }
          try Task.checkCancellation()
          return number
        }
      }
      for operation in operations {
        operation.whenFinished { _ in finished.append(round) }
        queue.addOperation(operation)
      }
      await withTaskGroup { group in
        for operation in operations.shuffled().prefix(25) {
          group.addTask { operation.cancel() }
        }
      }
      await queue.untilEmpty()
      #expect(operations.allSatisfy { $0.isFinished && $0.result != nil })
    }
    #expect(finished.all.count == 2_500)
  }

  @Test func whatWaitedAndHasGoneIsForgottenByWhatItWaitedFor() async throws {
    let stack = try DataStack.social()
    let late = BlockOperation()
    let queue = OperationQueue()
    for key in 0..<200 {
      let waiting: Operation =
        key % 2 == 0
        ? AsynchronousOperation { 1 }
        : Sync(.json(items([key])), inEntityNamed: "User", dataStack: stack)
      waiting.addDependency(late)
      queue.addOperation(waiting)
      waiting.cancel()
    }
    await queue.untilEmpty()
    // Their memory is used by other objects by now.
    let others = (0..<2_000).map { _ in BlockOperation() }
    late.start()
    #expect(late.isFinished && others.allSatisfy { $0.isReady })
  }

  // MARK: - Mistakes

  @Test(arguments: [
    ("finished, never started", "Call cancel() instead"), ("started twice", "started twice"),
    ("without anything to do", "override main()"),
  ])
  func aMistakeStops(_ mistake: String, words: String) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [mistake = mistake as String] in
      switch mistake {
      case "finished, never started": AsynchronousOperation<Int>().finish(with: .success(1))
      case "started twice":
        let operation = AsynchronousOperation { try await Task.sleep(for: .seconds(3_600)) }
        operation.start()
        operation.start()
      default: AsynchronousOperation<Int>().start()
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains(words))
  }
}

extension Result {
  fileprivate var failure: (any Error)? {
    if case .failure(let error) = self { error } else { nil }
  }
}

// A test that blocked its thread would keep it from the tasks of the operations that it waits for.
extension OperationQueue {
  /// Returns when everything that was added has finished.
  fileprivate func untilEmpty() async {
    await withCheckedContinuation { continuation in
      addBarrierBlock { continuation.resume() }
    }
  }

  /// Runs operations to their end.
  fileprivate func run(_ operations: [Operation]) async {
    for operation in operations { addOperation(operation) }
    await untilEmpty()
  }
}
