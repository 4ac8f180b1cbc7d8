import SyncStack
import TestSupport

/// A way to run a sync that must not change the outcome.
enum SyncForm: Hashable, Sendable {
  /// As a caller without settings gets it.
  case whole
  /// Worked off in parts of so many items, as payloads are that do not fit into memory.
  case parts(of: Int)
  /// A page session whose pages have so many items; one that is kept begins anew with each page,
  /// from the session that the store kept.
  case pages(of: Int, areKept: Bool = false)
  /// A commit for each so many items; a sync that is stopped is run again from the beginning.
  case batches(of: Int, areStopped: Bool = false)

  /// Items of a part, page or batch; nil is all of them.
  var size: Int? {
    switch self {
    case .whole: nil
    case .parts(let size), .pages(let size, _), .batches(let size, _): size
    }
  }

  var isSession: Bool { if case .pages = self { true } else { false } }
  var isOneTransaction: Bool {
    switch self {
    case .whole, .parts: true
    case .pages, .batches: false
    }
  }

  /// The form in which a payload really comes: a session has no parent.
  func form(of payload: OraclePayload) -> SyncForm {
    if isSession, payload.scope.isList, let size { .parts(of: size) } else { self }
  }

  typealias Outcome = (report: SyncReport, changes: ChangeSet)

  /// Syncs one or more lists whose parents are there.
  ///
  /// - Returns: The outcome of each transaction that tells one.
  func run(
    _ lists: [OraclePayload], in store: Store, _ control: SyncControl = SyncControl(),
    change: (inout SyncRequest) -> Void = { _ in }
  ) throws -> [Outcome] {
    var requests = try lists.compactMap { try $0.request(in: store) }
    if requests.isEmpty { return [] }
    for list in requests.indices { change(&requests[list]) }
    // A session has no parent, and no dry run.
    let hasPages = isSession && requests.allSatisfy { $0.setup.parent == nil && !$0.setup.isDryRun }
    for list in requests.indices where hasPages || requests.count > 1 {
      requests[list].place = PlaceOfPage(list: list)
    }
    switch self {
    case .pages(_, let areKept) where hasPages:
      return try runPages(lists, requests, areKept: areKept, in: store)
    case .batches(let size, let areStopped) where requests.count == 1:
      requests[0].setup.transaction = .perBatch(size)
      for count in stride(from: 6, to: areStopped ? 60 : 0, by: 9) {
        do {
          return [try SyncRun(requests[0], store: store, control: .cancelled(after: count)).run()]
        } catch is CancellationError {}
      }
    default:
      for list in requests.indices { requests[list].tuning.partItems = size }
    }
    let all = requests
    if all.count > 1 {
      return [try PagesRun(all, ends: true, lists: { all }, store: store, control: control).run()]
    }
    return try all.map { try SyncRun($0, store: store, control: control).run() }
  }

  private func runPages(
    _ lists: [OraclePayload], _ requests: [SyncRequest], areKept: Bool, in store: Store
  ) throws -> [Outcome] {
    func begin() -> (SessionState, KnownPages) {
      if areKept { return (SessionState(entity: lists[0].entity, name: "kept"), KnownPages()) }
      let lists = lists.enumerated().map { SessionState.List(name: "\($0)", entity: $1.entity) }
      return (SessionState(lists, of: store.model, name: nil), KnownPages())
    }
    var (session, knownPages) = begin()
    var pages = zip(requests, lists).flatMap { request, list in
      list.pieces(of: size).map { piece -> [SyncRequest] in
        var page = request
        page.payload = .json(.array(piece))
        return [page]
      }
    }
    // The end.
    pages.append([])
    return try pages.map { page in
      if areKept { (session, knownPages) = begin() }
      do {
        return try PagesRun(
          page, of: session, ends: page.isEmpty, knownPages: knownPages, lists: { requests },
          store: store, control: SyncControl()
        ).run()
      } catch {
        try store.write { try session.forget(in: $0) }
        throw error
      }
    }
  }
}
