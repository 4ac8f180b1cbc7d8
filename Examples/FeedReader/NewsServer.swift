import Foundation
import Loopback
import SyncStack
import Synchronization

/// Authors, articles and comments in pages of ten, and the comments as changes since a number.
final class NewsServer: Sendable {
  typealias Request = LoopbackServer.Request
  typealias Answer = LoopbackServer.Answer

  private struct State {
    var authors = (1...30).map { JSONObject(["id": .integer($0), "name": "Author \($0)"]) }
    var articles = (1...60).map { id in
      JSONObject([
        "id": .integer(id), "title": "Article \(id)", "author_id": .integer(id % 30 + 1),
      ])
    }
    var comments = (1...50).map { id in
      JSONObject([
        "id": .integer(id), "text": "Comment \(id)", "article_id": .integer(id % 60 + 1),
      ])
    }
    var requests: [String] = []
    var last: Int?
    var atLast: @Sendable () -> Void = {}
  }

  private let state = Mutex(State())

  /// The requests since ``begin(_:_:)``.
  var requests: [String] { state.withLock { $0.requests } }

  /// Forgets the requests, and calls the closure at the one of that number, which gets no answer.
  func begin(_ last: Int?, _ atLast: @escaping @Sendable () -> Void) {
    state.withLock { ($0.requests, $0.last, $0.atLast) = ([], last, atLast) }
  }

  /// An author goes, a comment is new, one has another text, one is deleted.
  func change() {
    state.withLock { state in
      state.authors.removeLast()
      state.comments += [
        ["id": 51, "text": "New", "article_id": 1],
        ["id": 7, "text": "Edited", "article_id": 8],
        ["id": 9, "deleted": true],
      ]
    }
  }

  func answer(_ request: Request) -> Answer? {
    let query = request.query.first.map { "?\($0.key)=\($0.value)" } ?? ""
    let (now, end) = state.withLock { state -> (State, (@Sendable () -> Void)?) in
      state.requests.append("\(request.path.dropFirst())\(query)")
      guard let last = state.last, state.requests.count >= last else { return (state, nil) }
      return (state, state.requests.count == last ? state.atLast : {})
    }
    if let end {
      end()
      return nil
    }
    switch request.path {
    case "/authors": return .page(of: now.authors, "authors", request)
    case "/articles": return .page(of: now.articles, "articles", request)
    case "/comments": return .changes(of: now.comments, "comments", request)
    default: return .status(404)
    }
  }
}

extension LoopbackServer.Answer {
  private static let size = 10

  /// A page by its number.
  fileprivate static func page(
    of list: [JSONObject], _ name: String, _ request: LoopbackServer.Request
  ) -> Self {
    let number = Int(request.query["page"] ?? "") ?? 1
    let items = list.dropFirst((number - 1) * size).prefix(size)
    let isLast = number * size >= list.count
    return page(items, ["next": isLast ? .null : .string("\(name)?page=\(number + 1)")])
  }

  /// The changes since a number.
  fileprivate static func changes(
    of list: [JSONObject], _ name: String, _ request: LoopbackServer.Request
  ) -> Self {
    let start = Int(request.query["since"] ?? "") ?? 0
    let items = list.dropFirst(start).prefix(size)
    let end = start + items.count
    return page(items, [end < list.count ? "next" : "until": .string("\(name)?since=\(end)")])
  }

  private static func page(_ items: ArraySlice<JSONObject>, _ places: JSONObject) -> Self {
    var page = places
    page["items"] = .array(items.map { JSONValue.object($0) })
    return .json(String(decoding: JSONValue.object(page).data, as: UTF8.self))
  }
}
