public import Foundation
import SyncCore
public import SyncEngine

/// Sends the changes that wait in an outbox; see ``Outbox/send()``.
///
/// ```swift
/// let operation = SendOperation(outbox)
/// pull.addDependency(operation)                 // edits first, then the server's version of them
/// queue.addOperation(operation)
/// ```
///
/// Runs of one outbox follow each other, whichever queues they are on. Cancelling it stops at once;
/// a change that was sent without an answer is sent again, the same, in the next run.
public final class SendOperation: AsynchronousOperation<OutboxReport>, @unchecked Sendable {
  // Everything that changes is in the task, which is in its lock, and in the progress, which has
  // its own.
  private let task = Locked<Task<Void, Never>?>(nil)
  private let outbox: Outbox

  /// Changes so far, of those that were to be sent when the run began.
  public let progress = Progress(totalUnitCount: 0)

  public init(_ outbox: Outbox) {
    self.outbox = outbox
    super.init()
    name = "Send"
  }

  public override func main() {
    let started = Task { [self] in
      do {
        finish(with: .success(try await outbox.send(progress)))
      } catch {
        finish(with: .failure(error))
      }
    }
    task.withLock { $0 = started }
  }

  public override func stop() {
    task.withLock { $0 }?.cancel()
  }
}
