package import SyncCore
package import SyncStore

/// One sync: the phases in order, everything from *match* on inside one transaction.
///
/// ```
/// parse │ match ─▶ insert ─▶ update ─▶ link ─▶ delete ─▶ save
///       └ transaction ────────────────────────────────── commit
/// ```
///
/// A large file is worked off in parts, parse to link for each, inside the one transaction; while
/// one is written the next is read (``PartAhead``). A sync that commits per batch has a transaction
/// for each part and a last one for the deletions. A dry run of it has one transaction, so that
/// parts see those before them. Parts are applied in order, without knowing later ones; ``Claims``
/// holds the facts about them that the end needs. Pages of a session, and several lists, are worked
/// off by a ``PagesRun``.
///
/// An error in between, a checkpoint of a cancelled sync included, leaves the store as it was at
/// the last commit.
package final class SyncRun {
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
  /// - Parameter enter: Called once before the store is written to, when everything that does not
  ///   need it is done: where syncs wait for each other.
  /// - Returns: The report, and the changes of the last transaction.
  package func run(
    enter: () throws -> Void = {}
  ) throws -> (report: SyncReport, changes: ChangeSet) {
    try SyncRun.withPass(of: request, control) { pass in
      if !pass.isStreamed, request.setup.transaction == .whole { try pass.stage(beside: store) }
      try enter()
      let changes =
        if !request.setup.isDryRun, request.setup.transaction != .whole {
          try runBatches(pass)
        } else {
          try write(pass) { try pass.workOff(in: $0) }
        }
      pass.phases.end(.save)
      return (pass.finishReport(), changes)
    }
  }

  /// Gives the pass of a request to a closure, whose payload is rewritten before where a hook or
  /// its form asks for it.
  ///
  /// - Parameter earlier: The pass of the page or the list before, in a sync that has several.
  static func withPass<T>(
    of request: SyncRequest, _ control: SyncControl, after earlier: SyncPass? = nil,
    _ body: (SyncPass) throws -> T
  ) throws -> T {
    let request =
      try request.isReadAsItStands
      ? request : PayloadRewriting(request: request).rewritten(control)
    return try request.payload.withBytes(control) { bytes in
      try checkIdentity(of: request)
      if request.plan.rootNode.takesNull, request.setup.path == nil, isNull(bytes) {
        var request = request
        request.payload = .json([])
        request.saysNothing = true
        // Pages delete nothing, and go by the settings of their session.
        if request.session == nil { request.settings.operations.remove(.delete) }
        return try withPass(of: request, control, after: earlier, body)
      }
      let pass = try SyncPass(request, bytes: bytes, control: control, after: earlier)
      // Another thread may still read these bytes.
      defer { pass.reader.stop() }
      return try body(pass)
    }
  }

  /// Checks that the items can say which objects they mean: those without a key belong to a given
  /// parent.
  private static func checkIdentity(of request: SyncRequest) throws {
    let node = request.plan.rootNode
    guard !node.needsNoIdentity, !request.settings.operations.contains(.alwaysInsert),
      try request.setup.parent.map({
        try ParentScope.resolve($0, request).ownsKeyless(request.plan)
      }) != true,
      node.kinds?.nodes.contains(where: { request.plan.nodes[$0].identity.isEmpty }) != false
    else { return }
    if node.hasToNameIdentifiers { throw MappingError.identifiersRequired(node.entity) }
    throw SyncError.noPrimaryKey(node.entity.name)
  }

  private static func isNull(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let blanks: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
    guard let start = bytes.firstIndex(where: { !blanks.contains($0) }) else { return false }
    let rest = bytes[start...]
    return rest.starts(with: "null".utf8) && rest.dropFirst(4).allSatisfy(blanks.contains)
  }

  /// Commits each part, and at the end the deletions.
  private func runBatches(_ pass: SyncPass) throws -> ChangeSet {
    _ = try write(pass) {
      try pass.begin(in: $0)
      try pass.loadKnownItems(from: $0)
    }
    try store.writeInBatches {
      repeat {
        try pass.stage()
        _ = try write(pass) { transaction in
          try pass.process(in: transaction)
          try pass.reader.known?.settle(pass.edits, in: transaction, control)
        }
        pass.claims.commit()
      } while !pass.isAtEnd
    }
    return try write(pass) { try pass.end(in: $0) }
  }

  private func write(
    _ pass: SyncPass, _ body: (StoreTransaction) throws -> Void
  ) throws -> ChangeSet {
    let changes = try store.write(request, control) { try pass.work(in: $0, body) }
    pass.count(changes)
    pass.reader.known?.didCommit(changes.generation)
    return changes
  }
}

extension Store {
  /// Runs one transaction of a sync. Cancelling the sync ends it wherever it is: while it waits for
  /// its turn, inside a long statement, between two of them. Only the commit itself is not stopped.
  ///
  /// - Throws: `CancellationError` when the sync was cancelled, even if another error came of it
  ///   first.
  func write(
    _ request: SyncRequest, _ control: SyncControl,
    _ body: (StoreTransaction) throws -> Void
  ) throws -> ChangeSet {
    let info = TransactionInfo(
      author: request.settings.author, contextName: request.name, source: .import)
    let token = TransactionToken()
    control.onCancel { [self] in interrupt(token) }
    defer { control.onCancel(nil) }
    do {
      return try write(info, commit: !request.setup.isDryRun, token: token, body).1
    } catch  where control.isCancelled {
      throw CancellationError()
    }
  }
}
