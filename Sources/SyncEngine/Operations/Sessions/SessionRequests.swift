import SyncCore

/// Makes the requests of pages, each list's settings once. Confined to its sync.
final class SessionRequests {
  private let sync: Sync
  private let session: SyncSession
  private let setup: SyncSetup
  private var known: [Int: SyncRequest] = [:]

  /// - Throws: ``SyncError`` when a setting is about one list where there are several.
  init(_ sync: Sync, _ session: SyncSession, _ setup: SyncSetup) throws {
    self.sync = sync
    self.session = session
    self.setup = setup
    guard session.lists.count > 1, setup.parent != nil || setup.settings.filter != nil else {
      return
    }
    throw SyncError(
      .invalidRequest,
      message: """
        A parent or a filter is about one list, and the session has \(session.lists.count). Give the predicate to \
        the list, and sync children of a parent on their own.
        """)
  }

  /// A request of each list, in their order.
  var ofLists: [SyncRequest] {
    get throws { try session.lists.indices.map(ofList) }
  }

  /// A request of a page.
  ///
  /// - Parameter path: Leads to the items.
  func of(_ page: SyncSession.Page, at path: JSONPath?) throws -> SyncRequest {
    var request = try ofList(number(of: page))
    request.payload = page.payload
    request.setup.path = path
    if case .name(let name) = page.id { request.pageName = name }
    return request
  }

  private func ofList(_ number: Int) throws -> SyncRequest {
    if let request = known[number] { return request }
    let list = session.lists[number]
    var request = try sync.request(.json([]), from: list.source, list.setup(in: setup))
    request.place = PlaceOfPage(list: number)
    known[number] = request
    return request
  }

  private func number(of page: SyncSession.Page) throws -> Int {
    if page.list == nil, session.lists.count == 1 { return 0 }
    if let number = session.lists.firstIndex(where: { $0.name == page.list }) { return number }
    let names = session.lists.map(\.name).joined(separator: ", ")
    throw SyncError(
      .invalidRequest,
      message: page.list.map {
        "The session has no list “\($0)”, but these: \(names). Give the page the name of one."
      }
        ?? """
        The session has several lists: \(names). Say of which one the page is, as in page(json, of: \
        "\(session.lists[0].name)").
        """)
  }
}
