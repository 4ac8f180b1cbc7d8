import Dispatch
import SyncCore

/// A part of a payload that is read on a queue while the one before it is written.
///
/// ```
/// waiting ──▶ claimed by the queue ──▶ read ──▶ taken or given up
///    └──────▶ claimed by the sync, which reads it itself or gives it up
/// ```
///
/// The sync claims it itself when it needs the part before the queue has come to it, so it never waits for a
/// thread that the system does not have. What is found wrong with the part is told when the part is taken, that is,
/// after everything that is wrong with those before it.
///
/// `reader` and `result` belong to whoever has claimed the part, and to the sync once `isRead` was signalled.
final class PartAhead: @unchecked Sendable {
  private struct State {
    var isClaimed = false
    var isWanted = true
  }

  private var reader: PartReader?
  private var result: Result<ReadPart, any Error> = .failure(CancellationError())
  private let control: SyncControl
  private let state = Locked(State())
  private let isRead = DispatchSemaphore(value: 0)

  init(_ reader: PartReader, control: SyncControl) {
    self.reader = reader
    self.control = control
  }

  /// Reads the part, unless the sync does that itself or wants it no more. Called on the queue.
  func read() {
    guard let reader = claim() else { return }
    let result = Result {
      try reader.read { _ in
        try control.checkpoint()
        guard state.withLock({ $0.isWanted }) else { throw CancellationError() }
      }
    }
    self.result = result
    state.withLock { $0.isClaimed = true }
    isRead.signal()
  }

  /// The part, as soon as it is read.
  ///
  /// - Parameter advance: Called as by ``PartReader`` when the part is read by the sync itself.
  func take(_ advance: (Int) throws -> Void) throws -> ReadPart {
    if let reader = claim() { return try reader.read(advance) }
    wait()
    defer { result = .failure(CancellationError()) }
    return try result.get()
  }

  /// Gives the part up. Nobody reads it any more when this returns.
  func stop() {
    state.withLock { $0.isWanted = false }
    guard claim() == nil else { return }
    wait()
    result = .failure(CancellationError())
  }

  private func wait() {
    isRead.wait()
    // Says to the thread sanitizer, too, that the other thread is through.
    state.withLock { _ in }
  }

  /// The reader, for whoever asks first.
  private func claim() -> PartReader? {
    let isFirst = state.withLock { state in
      defer { state.isClaimed = true }
      return !state.isClaimed
    }
    guard isFirst else { return nil }
    defer { reader = nil }
    return reader
  }
}
