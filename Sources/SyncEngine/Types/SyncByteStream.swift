import Foundation
import SyncCore

/// A payload that comes piece by piece, from a file handle or a sequence. It may be
/// larger than memory: it goes through a temporary file. It can be read once.
///
/// Made by the forms `handle` and `chunks` of a ``SyncPayload``.
final class SyncByteStream: Sendable {
  private let source: Locked<(@Sendable (PayloadSpool) -> @Sendable () -> Void)?>

  /// - Parameter source: Begins to fill a spool and returns a closure that stops it.
  init(_ source: @escaping @Sendable (PayloadSpool) -> @Sendable () -> Void) {
    self.source = Locked(source)
  }

  /// All bytes, mapped, once they have come.
  func read(_ control: SyncControl?) throws -> Data {
    let source = source.withLock { source in
      defer { source = nil }
      return source
    }
    guard let source else {
      throw PayloadSpool.unreadable("it was read before, and a stream can be read only once")
    }
    let spool = try PayloadSpool()
    let stop = source(spool)
    defer { stop() }
    return try spool.wait(control)
  }

  /// Bytes read from a handle, on a thread of their own that ends with the sync, even when nothing
  /// comes.
  convenience init(_ handle: FileHandle) {
    self.init { spool in
      let input: InputWait
      do {
        input = try InputWait()
      } catch {
        spool.end(error)
        return {}
      }
      Thread.detachNewThread {
        do {
          while input.wait(for: handle) {
            let data = try input.take(from: handle, upTo: SyncByteStream.pieceSize)
            guard !data.isEmpty, try spool.append(data) else { break }
          }
          spool.end(nil)
        } catch {
          spool.end(error)
        }
      }
      return { input.end() }
    }
  }

  /// Bytes that a task gets, piece by piece.
  convenience init(
    _ pieces: @escaping @Sendable (_ give: (Data) throws -> Bool) async throws -> Void
  ) {
    self.init { spool in
      let task = Task.detached {
        do {
          try await pieces { try spool.append($0) }
          spool.end(nil)
        } catch {
          spool.end(error)
        }
      }
      return { task.cancel() }
    }
  }

  static let pieceSize = 1 << 18
}

/// Bytes that come one after the other, put into a temporary file, so that a payload of any size
/// takes no memory: the file is mapped when it is complete, and goes away with the spool.
///
/// The source of the bytes calls ``append(_:)`` and ``end(_:)``; the sync waits in ``wait(_:)``.
/// Protected by a lock; no closure is called while it is held.
final class PayloadSpool: Sendable {
  private struct State {
    var file: FileHandle?
    var outcome: Result<Void, any Error>?
    var isAbandoned = false
  }

  private let url: URL
  private let state: Locked<State>
  private let isReady = DispatchSemaphore(value: 0)

  /// - Throws: ``SyncError`` when there is no room for a temporary file.
  init() throws {
    url = FileManager.default.temporaryDirectory
      .appending(path: "syncstack-\(UUID().uuidString).json")
    do {
      try Data().write(to: url, options: .withoutOverwriting)
      state = Locked(State(file: try FileHandle(forWritingTo: url)))
    } catch {
      throw PayloadSpool.unreadable("no temporary file can be made: \(error)")
    }
  }

  deinit {
    try? state.withLock { $0.file }?.close()
    try? FileManager.default.removeItem(at: url)
  }

  /// Adds bytes. They are called with in order, by one task or thread.
  ///
  /// - Returns: Whether more are wanted: false when the sync was cancelled.
  func append(_ bytes: Data) throws -> Bool {
    let (file, isAbandoned) = state.withLock { ($0.file, $0.isAbandoned) }
    guard !isAbandoned else { return false }
    do {
      try file?.write(contentsOf: bytes)
    } catch {
      throw PayloadSpool.unreadable("its temporary copy cannot be written: \(error)")
    }
    return true
  }

  /// Adds bytes of a file, from where it stands.
  ///
  /// - Returns: How many; 0 at the end of the file, and when the sync was cancelled.
  func append(upTo count: Int, from source: FileHandle) throws -> Int {
    let (file, isAbandoned) = state.withLock { ($0.file, $0.isAbandoned) }
    if !isAbandoned, let taken = file?.take(upTo: count, from: source) { return taken }
    guard let bytes = try source.read(upToCount: count), try append(bytes) else { return 0 }
    return bytes.count
  }

  /// Says that all bytes have come, or why no more will.
  func end(_ error: (any Error)?) {
    let file = state.withLock { state in
      if state.outcome == nil { state.outcome = error.map { .failure($0) } ?? .success(()) }
      defer { state.file = nil }
      return state.file
    }
    try? file?.close()
    isReady.signal()
  }

  /// Waits until all bytes have come. Cancelling the sync ends the wait at once, even when the
  /// other end sends nothing.
  ///
  /// - Returns: The bytes, mapped.
  func wait(_ control: SyncControl?) throws -> Data {
    control?.onCancel { [self] in
      state.withLock { $0.isAbandoned = true }
      isReady.signal()
    }
    isReady.wait()
    control?.onCancel(nil)
    try control?.checkpoint()
    try state.withLock { $0.outcome }?.get()
    do {
      let data = try Data(contentsOf: url, options: .alwaysMapped)
      // Where a mapped file can be removed, no other program can shorten it, and nothing is left
      // when the process is killed.
      try? FileManager.default.removeItem(at: url)
      return data
    } catch {
      throw PayloadSpool.unreadable("its temporary copy cannot be read: \(error)")
    }
  }

  static func unreadable(_ reason: String) -> SyncError {
    SyncError(
      .unreadablePayload,
      message: """
        The stream cannot be read: \(reason). Check that it is open and that the temporary folder has \
        room for it.
        """)
  }
}
