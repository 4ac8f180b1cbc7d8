import Dispatch
import SyncCore
import Testing

@testable import SyncEngine

/// Two threads do pieces of work from both ends: each piece is done once, and the ones of the sync come first.
@Suite(.timeLimit(.minutes(10))) struct SharedPiecesTests {
  private struct Failure: Error {}

  /// What the queue did.
  private final class Log: Sendable {
    private let pieces = Locked<[Int]>([])

    var list: [Int] { pieces.withLock { $0 } }

    func note(_ piece: Int) { pieces.withLock { $0.append(piece) } }
  }

  private let log = Log()

  @Test func theQueueDoesWhatTheSyncHasNotDone() throws {
    let pieces = SharedPieces(count: 10)
    let mayGoOn = DispatchSemaphore(value: 0)
    let isDone = DispatchSemaphore(value: 0)
    DispatchQueue(label: "test").async { [log] in
      pieces.work { next in
        for _ in 0..<4 { if let piece = next() { log.note(piece) } }
        isDone.signal()
        mayGoOn.wait()
      }
    }
    isDone.wait()
    var own: [Int] = []
    let count = try pieces.finish { piece in
      own.append(piece)
      if piece == 5 { mayGoOn.signal() }
    }
    #expect(count == 6)
    #expect(own == [0, 1, 2, 3, 4, 5])
    #expect(log.list == [9, 8, 7, 6])
  }

  @Test func theSyncDoesAllWhenNobodyHelps() throws {
    let pieces = SharedPieces(count: 5)
    var own: [Int] = []
    #expect(try pieces.finish { own.append($0) } == 5)
    #expect(own == [0, 1, 2, 3, 4])
    pieces.work { next in if let piece = next() { log.note(piece) } }
    #expect(log.list.isEmpty)
  }

  @Test func aPieceThatTheQueueCannotDoIsPutBack() throws {
    let pieces = SharedPieces(count: 6)
    pieces.work { next in
      if let piece = next() { log.note(piece) }
      _ = next()
      throw Failure()
    }
    var own: [Int] = []
    #expect(try pieces.finish { own.append($0) } == 5)
    #expect(own == [0, 1, 2, 3, 4])
    #expect(log.list == [5])
  }

  @Test func whoIsCancelledOnTheQueueIsCancelled() throws {
    let pieces = SharedPieces(count: 6)
    pieces.work { next in
      _ = next()
      throw CancellationError()
    }
    #expect(throws: CancellationError.self) { _ = try pieces.finish { _ in } }
  }

  @Test func theQueueIsThroughWhenTheSyncFails() throws {
    let pieces = SharedPieces(count: 100_000)
    let hasBegun = DispatchSemaphore(value: 0)
    DispatchQueue(label: "test").async { [log] in
      pieces.work { next in
        var isFirst = true
        while let piece = next() {
          log.note(piece)
          if isFirst { hasBegun.signal() }
          isFirst = false
        }
      }
    }
    hasBegun.wait()
    #expect(throws: Failure.self) { _ = try pieces.finish { _ in throw Failure() } }
    let count = log.list.count
    #expect(log.list.count == count)
  }
}
