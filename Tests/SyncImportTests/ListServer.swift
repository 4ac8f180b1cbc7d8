import SyncStack

/// A server of lists in the memory of a test: pages by number, by cursor or all at once, lists of
/// changes, and failures on demand.
final class ListServer: Sendable {
  struct Item: Sendable, Equatable {
    var id: Int
    var name: String
    /// Links, as the JSON says them.
    var links: JSONObject = [:]

    var json: JSONValue {
      var object = links
      object["id"] = .integer(Int64(id))
      object["name"] = .string(name)
      return .object(object)
    }
  }

  /// How a list is parted into pages.
  enum Paging: CaseIterable, Sendable {
    /// Each page leads to the next by the key of its last item.
    case cursor
    /// The first page says the number of all pages and items.
    case number
  }

  struct State: Sendable {
    var lists: [String: [Item]] = [:]
    /// The last change of each item, by numbers that ascend; a nil item was deleted.
    var changes: [String: [(number: Int, id: Int, item: Item?)]] = [:]
    var lastChange = 0
    /// The requests so far, as `Crew/3`.
    var requests: [String] = []
    /// Requests until the next one fails; nil is never.
    var failsAfter: Int?
  }

  private let state: Locked<State>
  let pageSize: Int

  init(_ lists: [String: [Item]] = [:], pageSize: Int = 3) {
    var state = State()
    state.lists = lists
    self.state = Locked(state)
    self.pageSize = pageSize
    for (entity, items) in lists { for item in items { note(entity, item.id, item) } }
  }

  var requests: [String] { state.withLock { $0.requests } }
  var lists: [String: [Item]] { state.withLock { $0.lists } }
  func forgetRequests() { state.withLock { $0.requests = [] } }
  func fail(after count: Int?) { state.withLock { $0.failsAfter = count } }

  private func note(_ entity: String, _ id: Int, _ item: Item?) {
    state.withLock { state in
      state.lastChange += 1
      state.changes[entity, default: []].removeAll { $0.id == id }
      state.changes[entity, default: []].append((state.lastChange, id, item))
    }
  }

  func put(_ entity: String, _ item: Item) {
    state.withLock { state in
      var list = state.lists[entity, default: []]
      if let index = list.firstIndex(where: { $0.id == item.id }) {
        list[index] = item
      } else {
        list.append(item)
        list.sort { $0.id < $1.id }
      }
      state.lists[entity] = list
    }
    note(entity, item.id, item)
  }

  func remove(_ entity: String, _ id: Int) {
    state.withLock { $0.lists[entity]?.removeAll { $0.id == id } }
    note(entity, id, nil)
  }

  /// A page of the whole list.
  func page(_ entity: String, _ place: String?, _ paging: Paging = .cursor) throws -> FeedPage {
    ListServer.read(try body(entity, place, paging))
  }

  /// A page of the changes since a place.
  func changes(_ entity: String, _ place: String?) throws -> FeedPage {
    ListServer.read(try changesBody(entity, place))
  }

  /// The page that a body says.
  static func read(_ body: JSONValue) -> FeedPage {
    FeedPage(
      body, next: body["next"]?.stringValue,
      places: body["places"]?.arrayValue?.compactMap(\.stringValue) ?? [],
      resume: body["resume"]?.stringValue,
      total: body["total"]?.integerValue.map { Int($0) })
  }

  /// The body of a page of the whole list.
  func body(_ entity: String, _ place: String?, _ paging: Paging) throws -> JSONValue {
    try begin(entity, place)
    let list = lists[entity] ?? []
    switch paging {
    case .cursor:
      let rest = list.filter { $0.id > place.flatMap { Int($0) } ?? Int.min }
      let items = rest.prefix(pageSize)
      let next = rest.count > pageSize ? items.last.map { "\($0.id)" } : nil
      return ["items": .array(items.map(\.json)), "next": next.map(JSONValue.string) ?? .null]
    case .number:
      let number = place.flatMap { Int($0) } ?? 1
      let items = list.dropFirst((number - 1) * pageSize).prefix(pageSize)
      let count = (list.count + pageSize - 1) / pageSize
      let places = number == 1 && count > 1 ? (2...count).map { JSONValue.string("\($0)") } : []
      return [
        "items": .array(items.map(\.json)), "places": .array(places),
        "total": .integer(Int64(list.count)),
      ]
    }
  }

  /// The body of a page of the changes since a place.
  func changesBody(_ entity: String, _ place: String?) throws -> JSONValue {
    try begin(entity, place)
    let start = place.flatMap { Int($0) } ?? 0
    let rest = state.withLock { $0.changes[entity] ?? [] }.filter { $0.number > start }
    let part = rest.prefix(pageSize)
    let end = part.last?.number ?? start
    let items = part.map { change in
      change.item?.json ?? ["id": .integer(Int64(change.id)), "deleted": true]
    }
    return [
      "items": .array(items), "next": part.count < rest.count ? .string("\(end)") : .null,
      "resume": .string("\(end)"),
    ]
  }

  private func begin(_ entity: String, _ place: String?) throws {
    let fails = state.withLock { state in
      state.requests.append("\(entity)/\(place ?? "")")
      guard let left = state.failsAfter else { return false }
      state.failsAfter = left - 1
      return left <= 0
    }
    if fails { throw FeedError(.refused, status: 500, message: "The server is switched off.") }
  }
}
