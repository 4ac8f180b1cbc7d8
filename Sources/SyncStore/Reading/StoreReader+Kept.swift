package import Foundation
import SyncCore

/// Small states of the layers above, kept beside the data and written in the same transaction: by a
/// kind and a name.
extension StoreReader {
  /// The state of that kind and name, or nil.
  package func kept(_ kind: String, _ name: String) throws -> Data? {
    try prepareToRead()
    let statement = try connection.statement("SELECT value FROM _syncstack WHERE key = ?")
    defer { statement.reset() }
    statement.bind(1, key(kind, name))
    return try statement.step() && !statement.isNull(0) ? Data(statement.bytes(0)) : nil
  }

  /// The generation that was kept under that kind and name, or nil.
  package func keptGeneration(_ kind: String, _ name: String) throws -> Int64? {
    guard let data = try kept(kind, name), data.count == 8 else { return nil }
    return data.withUnsafeBytes { Int64(littleEndian: $0.loadUnaligned(as: Int64.self)) }
  }

  func key(_ kind: String, _ name: String) -> String { "\(kind):\(name)" }
}
