public import Foundation
import SyncCore
public import SyncEngine

/// Fetches the records that others sent; see ``CloudEngine/pull(progress:)``.
///
/// Put it on the engine's queue, or on any other: pulls and pushes of one engine follow each other.
public final class PullOperation: AsynchronousOperation<PullReport>, @unchecked Sendable {
  // Everything that changes is in the task, which is under its mutex, and in the progress, which
  // has its own.
  private let work: CloudWork<PullReport>

  /// Records so far, of those that are known of.
  public let progress = Progress(totalUnitCount: 0)

  public init(_ engine: CloudEngine) {
    work = CloudWork { [progress] in try await engine.pull(progress: progress) }
    super.init()
    name = "Pull"
  }

  public override func main() {
    work.begin { [self] in finish(with: $0) }
  }

  public override func stop() {
    work.stop()
  }
}

/// Sends the edits that were saved here; see ``CloudEngine/push(progress:)``.
///
/// Let it depend on a ``PullOperation``, so that conflicts are found before they are sent.
public final class PushOperation: AsynchronousOperation<PushReport>, @unchecked Sendable {
  // As in PullOperation.
  private let work: CloudWork<PushReport>

  /// Records so far, of those that wait.
  public let progress = Progress(totalUnitCount: 0)

  public init(_ engine: CloudEngine) {
    work = CloudWork { [progress] in try await engine.push(progress: progress) }
    super.init()
    name = "Push"
  }

  public override func main() {
    work.begin { [self] in finish(with: $0) }
  }

  public override func stop() {
    work.stop()
  }
}

/// The task of an operation.
private final class CloudWork<Output: Sendable>: Sendable {
  private let body: @Sendable () async throws -> Output
  private let task = Locked<Task<Void, Never>?>(nil)

  init(_ body: @escaping @Sendable () async throws -> Output) {
    self.body = body
  }

  func begin(_ finish: @escaping @Sendable (Result<Output, any Error>) -> Void) {
    let body = body
    let started = Task {
      do {
        finish(.success(try await body()))
      } catch {
        finish(.failure(error))
      }
    }
    task.withLock { $0 = started }
  }

  func stop() {
    task.withLock { $0 }?.cancel()
  }
}
