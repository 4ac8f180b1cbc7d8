package import SyncCore
package import SyncStore

/// One sync of several lists: one transaction, one report, one change set.
///
/// ```
/// parse of the first │ scopes ─▶ list ─▶ list ─▶ … ─▶ waiting references ─▶ deletions of each list
///                    └ transaction ───────────────────────────────────────────────── commit
/// ```
///
/// A list is a part to those behind it: it is applied in order, and knows nothing of those to come.
/// References and deletions are decided when all lists were read. Of the claims each list has its
/// counts, its scope and the members of its parent to itself (``Claims/OfList``).
package struct ListsRun {
  let requests: [SyncRequest]
  let store: Store
  let control: SyncControl

  package init(_ requests: [SyncRequest], store: Store, control: SyncControl) {
    self.requests = requests.enumerated().map { index, request in
      var request = request
      request.placeOfList = PlaceOfList(isFirst: index == 0, isLast: index == requests.count - 1)
      return request
    }
    self.store = store
    self.control = control
  }

  /// Runs on the calling thread.
  ///
  /// - Parameter enter: As for ``SyncRun/run(enter:)``.
  package func run(
    enter: () throws -> Void = {}
  ) throws -> (report: SyncReport, changes: ChangeSet) {
    try open(requests[...], []) { passes in
      let changes = try work(passes, enter)
      return (report(of: passes), changes)
    }
  }

  /// Gives the passes of all lists to a closure, while their payloads are in memory.
  private func open<T>(
    _ rest: ArraySlice<SyncRequest>, _ passes: [SyncPass], _ body: ([SyncPass]) throws -> T
  ) throws -> T {
    guard let request = rest.first else { return try body(passes) }
    return try SyncRun.withPass(of: request, control, after: passes.last) { pass in
      try open(rest.dropFirst(), passes + [pass], body)
    }
  }

  private func work(_ passes: [SyncPass], _ enter: () throws -> Void) throws -> ChangeSet {
    guard let first = passes.first, let last = passes.last else { return ChangeSet() }
    var before = 0
    let total = passes.reduce(0) { $0 + $1.bytes.count }
    for pass in passes {
      pass.reader.span = (before, total)
      before += pass.bytes.count
    }
    if !first.isStreamed { try first.stage() }
    try enter()
    let changes = try store.write(first.request, control) { transaction in
      try first.work(in: transaction) { transaction in
        for pass in passes { try pass.inTurn { try pass.readScope(in: transaction) } }
        var earlier: SyncPass?
        for pass in passes {
          if let earlier { pass.goOn(after: earlier) }
          try pass.inTurn { try pass.workOffParts(in: transaction) }
          earlier = pass
        }
        try decide(passes, in: transaction)
      }
    }
    last.count(changes)
    last.phases.end(.save)
    return changes
  }

  /// Takes the decisions that need all lists: waiting references, and deletions.
  private func decide(_ passes: [SyncPass], in transaction: StoreTransaction) throws {
    var states: [Int: Claims.State] = [:]
    for pass in passes {
      pass.inTurn {
        guard pass.scope.isWholeEntity else { return }
        states[pass.rootIndex, default: .init()].add(pass.claims.state)
      }
    }
    var earlier = passes[passes.count - 1]
    let unresolved = try earlier.inTurn { try earlier.linkWaiting(in: transaction) }
    for pass in passes {
      pass.goOn(after: earlier)
      try pass.inTurn {
        // Lists of the same objects say together which there are.
        if pass.scope.isWholeEntity, let sum = states[pass.rootIndex] {
          pass.claims.state.take(sum: sum)
        }
        try pass.delete(in: transaction)
        if pass.request.placeOfList?.isLast == true { try pass.keep(unresolved, in: transaction) }
      }
      earlier = pass
    }
  }

  private func report(of passes: [SyncPass]) -> SyncReport {
    var report = passes[passes.count - 1].finishReport()
    report.payloadBytes = passes.reduce(0) { $0 + $1.bytes.count }
    report.itemCount = passes.reduce(0) { $0 + $1.reader.itemCount }
    return report
  }
}

extension SyncPass {
  /// Does a part of the work on one of several lists, with the claims of that list.
  func inTurn<T>(_ body: () throws -> T) rethrows -> T {
    claims.exchange(with: &claimsOfList)
    defer { claims.exchange(with: &claimsOfList) }
    return try body()
  }

  /// Takes over the state that the lists of a sync share.
  func goOn(after earlier: SyncPass) {
    guard earlier !== self else { return }
    changeCount = earlier.changeCount
    unsentEdits = earlier.unsentEdits
    phases = earlier.phases
    collected = earlier.collected
  }

  fileprivate var rootIndex: Int { request.plan.rootNode.entity.rootIndex }
}
