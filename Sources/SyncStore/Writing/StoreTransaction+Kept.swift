package import Foundation
import SyncCore

extension StoreTransaction {
  /// Keeps the generation that the transaction leads to: whoever finds another one later knows that
  /// somebody has written since.
  package func keepGeneration(_ kind: String, _ name: String) {
    generationMarks.append((kind, name))
  }

  func writeMarks(_ generation: Int64) throws {
    for (kind, name) in generationMarks {
      try keep(kind, name, withUnsafeBytes(of: generation.littleEndian) { Data($0) })
    }
  }

  /// Keeps a state of that kind and name; nil forgets it.
  package func keep(_ kind: String, _ name: String, _ data: Data?) throws {
    try prepareToRead()
    guard let data else {
      let statement = try connection.statement("DELETE FROM _syncstack WHERE key = ?")
      statement.bind(1, key(kind, name))
      return try statement.run()
    }
    let statement = try connection.statement(
      "INSERT OR REPLACE INTO _syncstack (key, value) VALUES (?, ?)")
    statement.bind(1, key(kind, name))
    statement.bind(2, .data(data))
    try statement.run()
  }
}
