package import SyncCore
package import SyncStore

/// One sync: the phases in order, everything from *match* on inside one transaction.
///
/// ```
/// parse │ match ─▶ insert ─▶ update ─▶ link ─▶ delete ─▶ save
///       └ transaction ────────────────────────────────── commit
/// ```
///
/// A large file is worked off in parts, parse to link for each, inside the one transaction; while one is
/// written the next is read (``PartAhead``). A sync that commits per batch has a transaction for each part
/// and a last one for the deletions. A dry run of it has one transaction, so that parts see those before them. Parts are
/// applied in order, without knowing what comes; what the end has to know of them is in ``Claims``.
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
  ///
  /// - Parameter enter: Called once before the store is touched for the first time, when everything
  ///   that does not need it is done: where syncs wait for each other.
  package func run(
    enter: () throws -> Void = {}
  ) throws -> (report: SyncReport, changes: ChangeSet) {
    try withoutActuallyEscaping(enter) { enter in try run(Entrance(enter)) }
  }

  /// Calls something before the first of several things.
  private final class Entrance {
    private var enter: (() throws -> Void)?

    init(_ enter: @escaping () throws -> Void) {
      self.enter = enter
    }

    func pass() throws {
      let enter = enter
      self.enter = nil
      try enter?()
    }
  }

  private func run(_ entrance: Entrance) throws -> (report: SyncReport, changes: ChangeSet) {
    if let rewriting = PayloadRewriting(request) {
      return try SyncRun(rewriting.run(control), store: store, control: control).run(entrance)
    }
    return try runPlain(entrance)
  }

  private func runPlain(_ entrance: Entrance) throws -> (report: SyncReport, changes: ChangeSet) {
    try request.payload.withBytes(control) { bytes in
      let node = request.plan.rootNode
      try checkIdentity(of: node)
      if node.takesNull, request.path == nil, isNull(bytes) {
        var request = request
        request.payload = .json([])
        request.saysNothing = true
        // Pages delete nothing, and go by the settings of their session.
        if request.session == nil { request.operations.remove(.delete) }
        return try SyncRun(request, store: store, control: control).runPlain(entrance)
      }
      let pass = try SyncPass(request, bytes: bytes, control: control)
      // Another thread may still read these bytes.
      defer { pass.reader.stop() }
      let changes = request.session == nil ? try run(pass, entrance) : try runPage(pass, entrance)
      pass.clock.end(.save)
      return (pass.finishReport(), changes)
    }
  }

  /// Checks that somebody can say which objects the items mean: those without a key belong to a given parent.
  private func checkIdentity(of node: PlanNode) throws {
    guard !node.needsNoIdentity, !request.operations.contains(.alwaysInsert),
      try ParentScope.resolve(request)?.ownsKeyless(request.plan) != true,
      node.kinds?.nodes.contains(where: { request.plan.nodes[$0].identity.isEmpty }) != false
    else { return }
    if node.hasToNameIdentifiers { throw MappingError.identifiersRequired(node.entity) }
    throw SyncError.noPrimaryKey(node.entity.name)
  }

  private func isNull(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let blanks: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
    guard let start = bytes.firstIndex(where: { !blanks.contains($0) }) else { return false }
    let rest = bytes[start...]
    return rest.starts(with: "null".utf8) && rest.dropFirst(4).allSatisfy(blanks.contains)
  }

  private func run(_ pass: SyncPass, _ entrance: Entrance) throws -> ChangeSet {
    switch request.transaction {
    case .whole where !pass.isStreamed:
      try stage(pass)
      return try write(pass, entrance) {
        try pass.readScope(in: $0)
        try pass.process(in: $0)
        try pass.end(in: $0)
      }
    case .perBatch where !request.isDryRun:
      _ = try write(pass, entrance) { try pass.readScope(in: $0) }
      try store.writeInBatches {
        repeat {
          try pass.stage()
          _ = try write(pass, entrance) { try pass.process(in: $0) }
          pass.claims.commit()
        } while !pass.isAtEnd
      }
      return try write(pass, entrance) { try pass.end(in: $0) }
    case .whole, .perBatch:
      return try write(pass, entrance) {
        try pass.readScope(in: $0)
        repeat {
          try pass.stage()
          try pass.process(in: $0)
          if request.transaction != .whole { pass.count(try $0.takeChanges()) }
        } while !pass.isAtEnd
        try pass.end(in: $0)
      }
    }
  }

  /// Reads a payload that is in memory as a whole. Of the store nothing is needed for that but fingerprints.
  private func stage(_ pass: SyncPass) throws {
    if pass.wantsFingerprints {
      if store.readsBesideWrites {
        try store.read { try pass.readFingerprints(from: $0) }
      } else {
        pass.postponeFingerprints()
      }
    }
    // Pages are read by one thread.
    if request.session == nil {
      pass.reader.whenScanned = { [store] in store.prepareToReadBeside() }
    }
    try pass.stage()
  }

  /// A page stores what it brings at once; what it does not mention waits for the other pages.
  private func runPage(_ pass: SyncPass, _ entrance: Entrance) throws -> ChangeSet {
    if !pass.isStreamed { try stage(pass) }
    // Nothing is left to fail when the page was committed.
    defer { request.session?.didFailPage() }
    let changes = try write(pass, entrance) {
      try pass.readScope(in: $0)
      try pass.process(in: $0)
      while !pass.isAtEnd {
        try pass.stage()
        try pass.process(in: $0)
      }
      try pass.endPage(in: $0)
    }
    pass.didCommitPage()
    return changes
  }

  private func write(
    _ pass: SyncPass, _ entrance: Entrance,
    _ body: (StoreTransaction) throws -> Void
  ) throws -> ChangeSet {
    try entrance.pass()
    let changes = try store.write(request, control) {
      try pass.work(in: $0, body)
    }
    pass.count(changes)
    return changes
  }
}
