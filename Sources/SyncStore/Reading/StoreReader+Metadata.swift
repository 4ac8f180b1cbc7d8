import Foundation
package import SyncCore

extension StoreReader {
  /// The values that programs keep beside the objects.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/damaged`` for a value that is none.
  /// - Complexity: linear in the number of values.
  package func metadata() throws -> StoreMetadata {
    try prepareToRead()
    let prefix = Metadata.programPrefix
    let rows = try connection.all(
      "SELECT key, value FROM _syncstack WHERE key >= ?1 AND key < ?2",
      [prefix, Metadata.programLimit]
    ) { ($0.text(0), Data($0.bytes(1))) }
    var result = StoreMetadata()
    for (key, archive) in rows {
      guard let value = Value(archive: archive) else {
        throw StoreError(
          .damaged, message: "The value of “\(key)” in the table _syncstack is none.")
      }
      result[String(key.dropFirst(prefix.count))] = value
    }
    return result
  }
}
