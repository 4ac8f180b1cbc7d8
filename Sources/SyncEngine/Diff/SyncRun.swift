package import SyncCore
package import SyncStore

/// One sync: the phases in order, everything from *match* on inside one transaction.
///
/// ```
/// parse │ match ─▶ insert ─▶ update ─▶ link ─▶ delete ─▶ save
///       └ transaction ────────────────────────────────── commit
/// ```
///
/// A large file is worked off in parts, parse to link for each, inside the one transaction; a sync
/// that commits per batch has a transaction for each part and a last one for the deletions. What the
/// parts have to know of each other is in ``Claims``.
///
/// Whatever throws in between, a checkpoint of a cancelled sync among it, leaves the store as it was at
/// the last commit.
package struct SyncRun {
  let request: SyncRequest
  let store: Store
  let control: SyncControl

  package init(_ request: SyncRequest, store: Store, control: SyncControl) {
    self.request = request
    self.store = store
    self.control = control
  }

  /// Runs on the calling thread.
  ///
  /// - Returns: The report, and what the last transaction changed.
  package func run() throws -> (report: SyncReport, changes: ChangeSet) {
    try request.payload.withBytes { bytes in
      let node = request.plan.rootNode
      guard !node.identity.isEmpty || request.operations.contains(.alwaysInsert) else {
        throw SyncError.noPrimaryKey(node.entity.name)
      }
      let pass = try SyncPass(request, bytes: bytes, control: control)
      let changes = try run(pass)
      pass.clock.end(.save)
      return (pass.finishedReport, changes)
    }
  }

  private func run(_ pass: SyncPass) throws -> ChangeSet {
    switch request.transaction {
    case .whole where !pass.isStreamed:
      // Nothing of the store is needed to read the payload, so nobody waits for that.
      let stager = try pass.stage()
      return try write {
        try pass.readScope(in: $0)
        try pass.process(stager, in: $0)
        try pass.end(in: $0)
      }
    case .whole:
      return try write {
        try pass.readScope(in: $0)
        repeat { try pass.process(try pass.stage(), in: $0) } while !pass.isAtEnd
        try pass.end(in: $0)
      }
    case .perBatch:
      _ = try write { try pass.readScope(in: $0) }
      repeat {
        let stager = try pass.stage()
        _ = try write { try pass.process(stager, in: $0) }
      } while !pass.isAtEnd
      return try write { try pass.end(in: $0) }
    }
  }

  private func write(_ body: (StoreTransaction) throws -> Void) throws -> ChangeSet {
    let info = TransactionInfo(author: request.author, contextName: request.name)
    return try store.write(info, commit: !request.isDryRun) { transaction in
      let token = transaction.token
      control.onCancel { [store] in store.interrupt(token) }
      defer { control.onCancel(nil) }
      do {
        try body(transaction)
      } catch  where control.isCancelled {
        // A statement that was interrupted says so in SQLite's words.
        throw CancellationError()
      }
    }.1
  }
}
