import Foundation
import SyncStack
import TestSupport

/// Fifty observers of one stack, of every kind, and the change sets that each of them heard.
final class StressObservers: Sendable {
  private let stack: DataStack
  private let tokens: Locked<[Token]>
  private let loggers: [SyncLogger]

  /// The change sets of those on the notification center, one list each.
  let classic: [Log<ChangeSet>]
  /// The change sets of those that await, one list each, once the stack is closed.
  let awaited: [Task<[ChangeSet], Never>]
  /// The generations of the lines that each logger wrote.
  let logged: [Log<Int64>]
  /// How each sync ended, by its number.
  let ends = Log<(number: Int, name: Notification.Name)>()

  var count: Int { classic.count + awaited.count + logged.count }

  // Unchecked: only handed back to the notification center.
  private struct Token: @unchecked Sendable {
    let token: any NSObjectProtocol
  }

  init(_ stack: DataStack) throws {
    self.stack = stack
    classic = (0..<20).map { _ in Log() }
    logged = (0..<10).map { _ in Log() }
    var tokens: [Token] = []
    for log in classic {
      let token = NotificationCenter.default.addObserver(
        forName: .dataStackDidChange, object: stack, queue: nil
      ) { log.append($0.changeSet) }
      tokens.append(Token(token: token))
    }
    for name in [Notification.Name.syncDidFinish, .syncDidCancel, .syncDidFail] {
      let token = NotificationCenter.default.addObserver(forName: name, object: stack, queue: nil) {
        [ends] in ends.append((Int($0.sync?.author ?? "") ?? -1, name))
      }
      tokens.append(Token(token: token))
    }
    self.tokens = Locked(tokens)
    loggers = logged.map { log in
      SyncLogger(
        stack,
        format: .custom { change in
          log.append(change.generation)
          return nil
        }
      ) { _ in }
    }
    awaited =
      try (0..<10).map { _ in
        let changes = stack.changes
        return Task { await changes.reduce(into: []) { $0.append($1) } }
      }
      + (0..<10).map { _ in
        let changes = try stack.changes(ofEntityNamed: "User")
        return Task { await changes.reduce(into: []) { $0.append($1) } }
      }
  }

  /// Ends observing.
  func end() {
    for token in tokens.withLock({ $0 }) { NotificationCenter.default.removeObserver(token.token) }
    for logger in loggers { logger.cancel() }
  }
}

/// Reads everything again and again while syncs run.
struct StressReader: Sendable {
  private let task: Task<[[Int64: String]], any Error>

  /// Reads at every so many commits.
  init(_ stack: DataStack, every stride: Int) {
    let changes = stack.changes
    task = Task {
      let context = stack.newBackgroundContext()
      var states: [[Int64: String]] = []
      var number = 0
      for await _ in changes {
        number += 1
        guard number % stride == 0 else { continue }
        states.append(try await context.perform { try Self.names(in: context) })
      }
      return states
    }
  }

  /// Ends reading, and gives the states that it found, in order.
  func end() async throws -> [[Int64: String]] {
    task.cancel()
    return try await task.value
  }

  /// Keys and names of the stored users.
  static func names(in context: ManagedObjectContext) throws -> [Int64: String] {
    var names: [Int64: String] = [:]
    for user in try context.fetch(Fetch<ManagedObject>(entityNamed: "User")) {
      names[user["id"] as? Int64 ?? -1] = user["name"] as? String ?? ""
    }
    return names
  }
}
