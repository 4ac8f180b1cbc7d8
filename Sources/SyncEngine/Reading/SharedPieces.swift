import Dispatch
import SyncCore

/// Pieces of reading that the sync does from the front and a queue from the back, until they meet.
///
/// ```
/// 0 │ 1 │ 2 │ … │ n-3 │ n-2 │ n-1
/// sync ──▶             ◀── queue
/// ```
///
/// What the queue has not come to, the sync does itself: so it never waits for a thread that the system does not have,
/// only for the piece that the queue is at. A piece that the queue cannot do is put back.
///
/// Protected by its mutex; what the queue makes belongs to it until ``finish()`` has returned.
final class SharedPieces: @unchecked Sendable {
  private struct State {
    var rest: Range<Int>
    var hasBegun = false
  }

  private let state: Locked<State>
  private let hasEnded = DispatchSemaphore(value: 0)
  private var error: (any Error)?

  init(count: Int) {
    state = Locked(State(rest: 0..<count))
  }

  // MARK: - On the queue

  /// Does pieces from the back as long as there are any.
  ///
  /// - Parameter body: Runs its argument with what it takes to do a piece, and that with one piece after the other.
  func work(_ body: (_ next: () -> Int?) throws -> Void) {
    let mayBegin = state.withLock { state in
      state.hasBegun = !state.rest.isEmpty
      return state.hasBegun
    }
    guard mayBegin else { return }
    var last: Int?
    do {
      try body {
        last = takeLast()
        return last
      }
    } catch {
      self.error = error
      if let last { state.withLock { $0.rest = $0.rest.lowerBound..<last + 1 } }
    }
    state.withLock { _ in }
    hasEnded.signal()
  }

  private func takeLast() -> Int? {
    state.withLock { state in
      guard let last = state.rest.last else { return nil }
      state.rest.removeLast()
      return last
    }
  }

  // MARK: - In the sync

  /// Does pieces from the front until all are done.
  ///
  /// - Parameter body: Does one piece. When it throws, the queue is through when this throws.
  /// - Returns: The first piece that the queue has done.
  func finish(_ body: (Int) throws -> Void) throws -> Int {
    do {
      var count = try run(body)
      end()
      if error is CancellationError { throw CancellationError() }
      // What the queue has put back.
      count += try run(body)
      return count
    } catch {
      state.withLock { $0.rest = 0..<0 }
      end()
      throw error
    }
  }

  private func run(_ body: (Int) throws -> Void) rethrows -> Int {
    var count = 0
    while let piece = takeFirst() {
      try body(piece)
      count += 1
    }
    return count
  }

  private func takeFirst() -> Int? {
    state.withLock { state in
      guard let first = state.rest.first else { return nil }
      state.rest.removeFirst()
      return first
    }
  }

  /// Waits until the queue does nothing any more.
  private func end() {
    let hasBegun = state.withLock { state in
      defer { state.hasBegun = false }
      return state.hasBegun
    }
    guard hasBegun else { return }
    hasEnded.wait()
    state.withLock { _ in }
  }
}
