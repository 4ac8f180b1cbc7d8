package import SyncCore

extension StoreTransaction {
  /// Writes the values that a program keeps beside the objects; values that are null are removed.
  package func write(_ metadata: StoreMetadata) throws {
    for (name, value) in metadata.values.inKeyOrder {
      let key = Metadata.programPrefix + name
      if value.isNull {
        try connection.run("DELETE FROM _syncstack WHERE key = ?", [key])
      } else {
        try connection.run(
          "INSERT OR REPLACE INTO _syncstack (key, value) VALUES (?, ?)", [key, value.archive])
      }
    }
  }
}
