package import SyncCore
package import SyncStore

/// One transaction of pages: of one or several pages of a session, of its end, of both, or of a
/// sync of several lists, which is pages and end without a session.
///
/// ```
/// parse of the first │ scopes ─▶ page ─▶ page ─▶ … ─▶ the claims are kept, or the end
///                    └ transaction ────────────────────────────────────── commit
///
/// the end              objects that are gone ─▶ waiting references ─▶ deletions of each list
/// ```
///
/// A page is a part to those behind it: it is applied in order, and knows nothing of those to come.
/// References and deletions are decided in the end. Of the claims each list has its counts, its
/// scope and the members of its parent to itself (``Claims/select(_:)``). The payloads are opened
/// one after the other, as their turn comes. Runs once.
package final class PagesRun {
  private var pages: [SyncRequest]
  private let lists: () throws -> [SyncRequest]
  private let session: SessionState?
  private let ends: Bool
  private let expected: [Int: Int]
  private let store: Store
  private let control: SyncControl

  /// A request of each list whose settings are known, by its number.
  private var known: [Int: SyncRequest] = [:]
  /// The items that need not be read, of a session's pages and of the lists.
  private let knownPages: KnownPages?
  private var knownItems: KnownLists?
  /// The last pass of each list, for the end.
  private var passes: [Int: SyncPass] = [:]
  /// The pass that worked last, which has the state that all share.
  private var latest: SyncPass?

  // Over all pages.
  private var spans: [PayloadReader.Span] = []
  private var byteCount = 0
  private var itemCounts: [Int: Int] = [:]
  private var partCount = 0

  /// - Parameters:
  ///   - pages: The pages in their order; with ``SyncRequest/place`` where there are several lists.
  ///   - session: The session whose pages they are; nil when these are all pages there are.
  ///   - ends: Whether the end comes behind the pages.
  ///   - expected: How many items a list has over all pages, by its number; with another count the
  ///     end deletes nothing of it.
  ///   - knownPages: The items of the session that need not be read; nil reads all.
  ///   - lists: Gives a request of each list, by their numbers, whose payload is not read.
  package init(
    _ pages: [SyncRequest], of session: SessionState? = nil, ends: Bool,
    expecting expected: [Int: Int] = [:], knownPages: KnownPages? = nil,
    lists: @escaping () throws -> [SyncRequest], store: Store,
    control: SyncControl
  ) {
    self.session = session
    self.ends = ends
    self.expected = expected
    self.knownPages = knownPages
    self.lists = lists
    self.store = store
    self.control = control
    self.pages = pages
    for index in pages.indices {
      var place = pages[index].place ?? PlaceOfPage(list: 0)
      place.isLast = index == pages.count - 1
      self.pages[index].place = place
      self.pages[index].session = session
      if known[place.list] == nil { known[place.list] = self.pages[index] }
    }
    if session == nil { knownItems = KnownLists(self.pages) }
  }

  /// Runs on the calling thread.
  ///
  /// - Parameters:
  ///   - enter: As for ``SyncRun/run(enter:)``.
  ///   - check: Called inside the transaction before the end decides anything.
  package func run(
    enter: () throws -> Void = {}, check: (StoreReader) throws -> Void = { _ in }
  ) throws -> (report: SyncReport, changes: ChangeSet) {
    if pages.count > 1 { try settle() }
    guard let first = pages.first else {
      guard let list = try lists().first else { return (SyncReport(), ChangeSet()) }
      return try write(from: pass(of: list), enter, check)
    }
    return try SyncRun.withPass(of: first, control) { pass in
      if let span = spans.first { pass.reader.span = span }
      try stage(pass)
      return try write(from: pass, enter, check)
    }
  }

  /// Reads the first page, if it need not wait for its turn.
  private func stage(_ first: SyncPass) throws {
    let ahead = knownPages?.itemsAhead(of: first.request)
    first.reader.known = ahead?.items ?? knownItems?.items(of: first.request)
    if !first.isStreamed, ahead?.mayRead != false { try first.stage(beside: store) }
  }

  /// Reads what cannot be read while the store waits, and tells how much of all each page is.
  private func settle() throws {
    try SharedDocuments.settle(&pages, control)
    let sizes = pages.map { $0.payload.expectedSize ?? PagesRun.usualSize }
    let total = sizes.reduce(0, +)
    var before = 0
    for size in sizes {
      spans.append(PayloadReader.Span(before: before, size: size, total: total))
      before += size
    }
  }

  /// Bytes of a page whose size is not known, for the progress.
  private static let usualSize = 4096

  private func write(
    from first: SyncPass, _ enter: () throws -> Void, _ check: (StoreReader) throws -> Void
  ) throws -> (report: SyncReport, changes: ChangeSet) {
    try enter()
    // Nothing is left to fail of a page that was committed.
    defer {
      session?.didFailPage()
      knownPages?.didEnd()
    }
    latest = first
    let changes = try store.write(first.request, control) { transaction in
      try first.work(in: transaction) { transaction in
        let hadBegun = try begin(first, in: transaction)
        first.reader.known = knownItems?.items(of: first.request)
        for index in pages.indices {
          if index == 0 {
            try workOff(first, checksParent: hadBegun, in: transaction)
          } else {
            try SyncRun.withPass(of: pages[index], control, after: latest) { pass in
              pass.reader.span = spans[index]
              pass.reader.known = knownItems?.items(of: pass.request)
              try workOff(pass, checksParent: hadBegun, in: transaction)
            }
          }
        }
        if ends { try end(in: transaction, check) } else { try keep(in: transaction) }
      }
    }
    let last = latest ?? first
    last.count(changes)
    if !first.request.setup.isDryRun {
      if ends {
        session?.reset()
        knownPages?.reset()
      } else {
        session?.didCommitPage()
        knownPages?.didCommit(changes.generation)
      }
    }
    last.phases.end(.save)
    var report = last.finishReport()
    report.payloadBytes = byteCount
    report.itemCount = itemCounts.values.reduce(0, +)
    report.commits.items = itemCounts
    return (report, changes)
  }

  /// A pass over no items, which takes part in the beginning or the end alone.
  private func pass(of list: SyncRequest) throws -> SyncPass {
    var request = list
    request.payload = .json([])
    request.setup.path = nil
    request.session = session
    request.place = PlaceOfPage(list: list.list)
    return try request.payload.withBytes { bytes in
      let pass = try SyncPass(request, bytes: bytes, control: control, after: latest)
      pass.close()
      return pass
    }
  }

  // MARK: - Pages

  /// Takes up the claims of the session, or reads the facts about the store that have to be read
  /// before anything is written: for all lists, because the pages of one move objects into and out
  /// of the scopes of others.
  ///
  /// - Returns: Whether there were pages before.
  private func begin(_ first: SyncPass, in transaction: StoreTransaction) throws -> Bool {
    if let session {
      try session.refresh(in: transaction, control)
      first.claims = session.claims
      // Others may have written since the last page.
      first.claims.seenKeys = [:]
    }
    let hasBegun = first.claims.hasBegun
    // A page of the only list knows all there is.
    let isOnly = !pages.isEmpty && session?.lists.count == 1
    if ends || !hasBegun && !isOnly { for list in try lists() { known[list.list] = list } }
    try session?.check(known, in: transaction)
    if let knownPages {
      knownItems = try knownPages.begin(
        known.inKeyOrder.map(\.value), isFirst: !hasBegun, in: transaction)
    }
    guard !hasBegun else { return true }
    for (list, request) in known.inKeyOrder where request.setup.parent != nil {
      first.claims.listsOfParents[list] = known.filter { $1.sharesParent(with: request) }.keys.min()
    }
    for (list, request) in known.inKeyOrder {
      first.claims.select(list)
      if list == first.request.list {
        try first.checkParent(in: transaction)
        try first.readScope(in: transaction)
      } else if RootScope.mayBePartial(request) {
        let pass = try pass(of: request)
        try pass.checkParent(in: transaction)
        try pass.readScope(in: transaction)
        first.goOn(after: pass)
      }
    }
    first.claims.select(first.request.list)
    try first.loadDeferred(in: transaction)
    return false
  }

  private func workOff(
    _ pass: SyncPass, checksParent: Bool, in transaction: StoreTransaction
  ) throws {
    latest = pass
    pass.claims.select(pass.request.list)
    if checksParent { try pass.checkParent(in: transaction) }
    partCount -= pass.claims.state.partCount
    try pass.workOffParts(in: transaction)
    partCount += pass.claims.state.partCount
    byteCount += pass.bytes.count
    itemCounts[pass.request.list, default: 0] += pass.reader.itemCount
    pass.close()
    if ends { passes[pass.request.list] = pass }
  }

  /// Ends the pages: the session takes over their claims.
  private func keep(in transaction: StoreTransaction) throws {
    guard let latest else { return }
    if partCount > 1 { try latest.waitingReferences(in: transaction).linkRequired() }
    try latest.noteObjectsOutsideGroups(in: transaction)
    try latest.phases.begin(.save, total: 1)
    try knownItems?.settle(latest.edits, in: transaction, control)
    try session?.keep(known, pages: pages.compactMap(\.pageName), in: transaction, control)
    try transaction.write(latest.request.setup.metadata)
  }

  // MARK: - The end

  /// Takes the decisions that need all pages of all lists: objects that are gone, waiting
  /// references, and deletions.
  private func end(
    in transaction: StoreTransaction, _ check: (StoreReader) throws -> Void
  ) throws {
    let lists = known.inKeyOrder.map(\.value)
    if let session {
      try check(transaction)
      try session.checkPages(of: lists)
    }
    var all: [SyncPass] = []
    for list in lists {
      if let pass = passes[list.list] ?? latest, pass.request.list == list.list {
        all.append(pass)
      } else {
        let pass = try pass(of: list)
        latest = pass
        all.append(pass)
      }
    }
    guard let worked = latest else { return }
    for (list, count) in expected.inKeyOrder {
      worked.claims.select(list)
      worked.claims.state.expect(count)
    }
    try worked.deleteGone(in: transaction)
    let unresolved = try worked.linkWaiting(in: transaction)
    let sums = all.count > 1 ? sums(all) : [:]
    suspendTogether(all)
    for (index, pass) in all.enumerated() {
      if let latest { pass.goOn(after: latest) }
      latest = pass
      pass.claims.select(pass.request.list)
      // Lists of the same objects say together which there are.
      if let sum = sums[pass.rootIndex], pass.scope.isWholeEntity {
        pass.claims.state.take(sum: sum)
      }
      try pass.delete(in: transaction, endsLists: index == all.count - 1)
    }
    try knownItems?.keep(latest?.edits, in: transaction, control)
    try latest?.keep(unresolved, in: transaction)
    try session?.forget(in: transaction)
  }

  /// Suspends all lists of a parent when one of them has an item whose object is unknown: it may be
  /// any member.
  private func suspendTogether(_ passes: [SyncPass]) {
    func forEach(_ body: (_ parent: Int, _ state: inout Claims.State) -> Void) {
      for pass in passes where pass.reader.parent != nil {
        pass.claims.select(pass.request.list)
        body(pass.claims.parentList, &pass.claims.state)
      }
    }
    var suspended: Set<Int> = []
    forEach { if $1.isRootSuspended { suspended.insert($0) } }
    if !suspended.isEmpty { forEach { if suspended.contains($0) { $1.isRootSuspended = true } } }
  }

  /// The facts about lists of the same objects together, by their root entity.
  private func sums(_ passes: [SyncPass]) -> [Int: Claims.State] {
    var sums: [Int: Claims.State] = [:]
    for pass in passes {
      pass.claims.select(pass.request.list)
      guard pass.scope.isWholeEntity else { continue }
      sums[pass.rootIndex, default: .init()].add(pass.claims.state)
    }
    return sums
  }
}

@available(*, unavailable, message: "A run is confined to its sync.")
extension PagesRun: Sendable {}

extension SyncRequest {
  /// Whether the items of both are members of one parent, in one relationship.
  fileprivate func sharesParent(with other: SyncRequest) -> Bool {
    setup.parent == other.setup.parent
      && setup.parentRelationship == other.setup.parentRelationship
      && plan.rootNode.entity == other.plan.rootNode.entity
  }
}

extension SyncPass {
  fileprivate var rootIndex: Int { request.plan.rootNode.entity.rootIndex }
}
