import Foundation
import SyncCore

/// A payload that comes piece by piece, from a file handle or a sequence. It may be
/// larger than memory: it goes through a temporary file. It can be read once.
///
/// Made by the forms `handle` and `chunks` of a ``SyncPayload``.
final class SyncByteStream: Sendable {
  private let source: Locked<(@Sendable (PayloadSpool) -> @Sendable () -> Void)?>

  /// - Parameter source: Begins to fill a spool and returns what stops it.
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
