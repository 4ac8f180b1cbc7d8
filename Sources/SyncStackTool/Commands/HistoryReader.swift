import Foundation
import SyncStack

/// Reads the history of a store that another process may be writing. Confined to its command.
final class HistoryReader {
  private let store: Store
  private let text: HistoryText
  private(set) var token: HistoryToken

  /// Opens the store for reading only.
  ///
  /// - Parameters:
  ///   - token: Where to begin; nil is after the latest commit.
  ///   - text: How commits are written.
  /// - Throws: ``ToolError`` when the store keeps no history.
  init(_ url: URL, after token: HistoryToken?, as text: HistoryText) throws {
    var configuration = Store.Configuration(.file(url))
    configuration.isReadOnly = true
    store = try Store(model: Store.keptModel(at: url), configuration: configuration)
    self.text = text
    guard let latest = try store.read({ try $0.latestHistoryToken() }) else {
      try? store.close()
      throw ToolError(
        "\(url.path) keeps no history. 'syncstack history --store \(url.relativePath) --start' "
          + "starts one; commits are recorded from then on.")
    }
    self.token = token ?? latest
  }

  /// Writes the commits after the place that was reached.
  ///
  /// - Parameter limit: How many at most.
  /// - Returns: How many there were.
  func write(to terminal: Terminal, limit: Int = .max) throws -> Int {
    var written = 0
    while written < limit {
      let count = try store.read { reader in
        let portion = min(HistoryReader.portion, limit - written)
        let transactions = try reader.history(since: token, limit: portion)
        for transaction in transactions {
          terminal.print(try text.lines(of: transaction, in: reader))
          token = transaction.token
        }
        return transactions.count
      }
      written += count
      if count < HistoryReader.portion { break }
    }
    return written
  }

  /// Commits that are read at once.
  private static let portion = 50

  /// A number that is another one after each commit of others.
  func dataVersion() throws -> Int64 {
    try store.read { try $0.dataVersion() }
  }

  func close() throws {
    try store.close()
  }
}

extension Arguments {
  /// The value of `--since`, a place in a history.
  func since() throws(UsageError) -> HistoryToken? {
    try count("--since").map { HistoryToken(number: Int64($0)) }
  }
}
