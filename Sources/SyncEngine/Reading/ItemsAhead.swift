import Dispatch
import SyncCore

/// Scans the items of a payload on a queue, some at a time, while the sync stages those before them.
///
/// ```
///            fill ──▶ filled ──▶            the queue fills as many portions as there are and waits
///  reader ─▶ portions            stage      for the sync to be through with one
///            ◀── free ◀─────────
/// ```
///
/// Whoever has the baton reads: the sync for one portion at a time until the queue has come to it, the queue from then
/// on to the end. So the sync never waits for a thread that the system does not have, and the items come in their order
/// whoever scanned them. What is wrong with the payload is told behind the items before it.
///
/// `reader` belongs to whoever has the baton, a portion to the queue until `filled` was signalled, and then to the sync
/// until it signals `free`.
final class ItemsAhead: @unchecked Sendable {
  private var reader: JSONItemReader
  private let size: Int
  private let portions = [ScannedItems(), ScannedItems()]
  private let own = ScannedItems()

  private let isWanted = Locked(true)
  // Signalled afterwards, not made with a value: a semaphore must not go with less than it was made with.
  private let baton = DispatchSemaphore(value: 0)
  private let free = DispatchSemaphore(value: 0)
  private let filled = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)

  // Of the sync.
  private var queueHasBaton = false
  private var nextPortion = 0

  /// - Parameters:
  ///   - size: Bytes of a portion.
  ///   - notesDates: Whether dates are read, too.
  init(_ reader: JSONItemReader, size: Int, notesDates: Bool) {
    self.reader = reader.separated(notesDates: notesDates)
    self.size = size
    baton.signal()
    for _ in portions { free.signal() }
  }

  // MARK: - On the queue

  /// Scans what the sync has not scanned, unless it wants it no more.
  func scan() {
    baton.wait()
    var number = 0
    while true {
      free.wait()
      guard isWanted.withLock({ $0 }) else { break }
      let portion = portions[number]
      portion.fill(from: &reader, size: size)
      synchronize()
      filled.signal()
      if portion.isLast { break }
      number = (number + 1) % portions.count
    }
    synchronize()
    ended.signal()
  }

  // MARK: - In the sync

  /// Stages all items.
  ///
  /// - Parameter body: Takes an item and where it stands, unless that is behind the one before it; whatever it throws
  ///   ends the scanning, too.
  /// - Returns: The reader, behind the last item.
  /// - Throws: What is wrong with the payload, once the items before it are staged.
  func stageAll(
    _ body: (JSONTape, ScannedItems.Item, JSONItemPlace?) throws -> Void
  ) throws -> JSONItemReader {
    defer { stop() }
    while true {
      let portion = take()
      for (index, item) in portion.items.enumerated() {
        try body(portion.tape, item, portion.places.isEmpty ? nil : portion.places[index])
      }
      if let failure = portion.failure { throw failure }
      guard !portion.isLast else { break }
      if queueHasBaton {
        synchronize()
        free.signal()
      }
    }
    stop()
    return reader
  }

  private func take() -> ScannedItems {
    if !queueHasBaton {
      if baton.wait(timeout: .now()) == .success {
        synchronize()
        own.fill(from: &reader, size: size)
        if own.isLast { isWanted.withLock { $0 = false } }
        synchronize()
        baton.signal()
        return own
      }
      queueHasBaton = true
    }
    filled.wait()
    synchronize()
    defer { nextPortion = (nextPortion + 1) % portions.count }
    return portions[nextPortion]
  }

  /// Ends the scanning. Nobody reads any more when this returns.
  private func stop() {
    guard isWanted.withLock({ $0 }) else { return }
    isWanted.withLock { $0 = false }
    if !queueHasBaton, baton.wait(timeout: .now()) == .success {
      // The queue finds out that it is not wanted when it comes to it.
      baton.signal()
    } else {
      free.signal()
      ended.wait()
    }
    synchronize()
  }

  /// Says to the thread sanitizer, too, which thread is through with what.
  private func synchronize() {
    isWanted.withLock { _ in }
  }
}
