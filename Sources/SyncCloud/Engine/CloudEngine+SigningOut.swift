import SyncCore
import SyncEngine
import SyncStore

extension CloudEngine {
  /// Stops, and forgets the account: the next sync is the first one, of the account that is signed
  /// in then.
  ///
  /// - Parameter wipe: Whether all objects of the scope go here, those with edits that were not
  ///   sent among them: look at ``CloudStatus/waiting`` before. On the server nothing goes.
  ///   Otherwise they stay, and the next sync sends them as the oldest there are: objects of the
  ///   same identity that the account has win.
  /// - Throws: `StoreError`, with everything as it was.
  /// - Complexity: Linear in the synced objects.
  public func signOut(wipe: Bool) async throws {
    await stop()
    try await turn.run {
      disconnect()
      let files = try await write { writing in
        let transaction = writing.transaction
        var files: Set<String> = []
        for shared in try writing.sharedZones.get() {
          // Shares of others go with the account.
          if wipe || shared.owner != nil {
            try writing.enter(shared.key) {
              files.formUnion(try Self.fileNames(in: writing))
              try Self.wipe(in: writing)
            }
          }
          try writing.remove(shared.key)
        }
        if wipe { try Self.wipe(in: writing) }
        try transaction.removeRemoteZone(writing.zone.name)
        var zone = RemoteZone(writing.zone.name)
        // Edits up to now count by the objects, not by their commits.
        zone.history = try transaction.requireHistoryToken().number
        zone.model = writing.zone.model
        writing.zone = zone
        return files
      }
      try await removeUnnamedAssets(wipe ? nil : files)
    }
    monitor.tell()
  }

  /// Deletes all objects of the zone here.
  ///
  /// - Returns: The names of their records.
  @discardableResult
  static func wipe(in writing: CloudWriting) throws -> [String] {
    var names: [String] = []
    let transaction = writing.transaction
    let deleter = ObjectDeleter(writing: writing)
    for record in try transaction.allRemoteRecords(in: writing.zone.name) {
      guard let object = writing.object(of: record) else { continue }
      let (row, entity) = (object.row, object.entity)
      // All go, so that nothing that leads to something denies that.
      for relationship in entity.relationships
      where relationship.kind == .manyToMany && relationship.deleteRule == .deny {
        let members = try transaction.members(of: relationship, in: entity, owners: [row])
        try transaction.removeLinks(
          relationship, of: entity, pairs: members.map { (owner: row, member: $0.row) })
      }
      try deleter.delete(object, name: record.name)
      names.append(record.name)
    }
    return names
  }
}
