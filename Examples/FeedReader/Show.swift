import Foundation
import Loopback
import SyncStack
import Synchronization

/// Reads the news of a server in this process by runs of this program: one is cancelled, one is
/// killed, and one goes on to the end. A further one reads what has changed.
struct Show {
  private let news = NewsServer()

  func run() async throws {
    let server = try LoopbackServer { news.answer($0) }
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = folder.appending(path: "news.sqlite")
    guard let api = server.url("/") else { return }

    print("Three lists in 14 pages. The first run is cancelled at its fifth request:")
    try await read(api, store, endsAt: 5) { $0.interrupt() }
    print("\nThe second one is killed at its fifth request:")
    try await read(api, store, endsAt: 5) { kill($0.processIdentifier, SIGKILL) }
    print("\nThe third one goes on, and deletes at its end what no page had:")
    try await read(api, store)
    print("\nThe server has changed three comments since, and lost an author:")
    news.change()
    try await read(api, store)
    let stack = try DataStack.news(.sqlite(store))
    let counts = try await stack.performBackgroundTask { context in
      try (
        context.count(Fetch<Author>()), context.count(Fetch<Article>()),
        context.count(Fetch<Comment>())
      )
    }
    print("\nStored: \(counts.0) authors, \(counts.1) articles, \(counts.2) comments")
    try stack.close()
  }

  /// Runs this program, and does something to it while one of its requests waits.
  private func read(
    _ api: URL, _ store: URL, endsAt request: Int? = nil,
    _ end: @escaping @Sendable (Process) -> Void = { _ in }
  ) async throws {
    let process = Process()
    process.executableURL = Bundle.main.executableURL
    process.arguments = [api.absoluteString, store.path]
    let running = UncheckedProcess(process)
    news.begin(request) { end(running.process) }
    fflush(nil)
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
      process.terminationHandler = { _ in done.resume() }
      do { try process.run() } catch { done.resume(throwing: error) }
    }
    print("  \(news.requests.joined(separator: " "))")
  }
}

/// A process that a thread of the server signals.
private struct UncheckedProcess: @unchecked Sendable {
  // Unchecked: signals may come from any thread.
  let process: Process

  init(_ process: Process) { self.process = process }
}
