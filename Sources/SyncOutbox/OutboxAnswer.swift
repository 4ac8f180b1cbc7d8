public import Foundation
public import SyncCore

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// The server's word on one change.
public enum OutboxAnswer: Sendable, Hashable {
  /// It was taken. JSON of the object, when the server gives it, is taken over: a key that the
  /// server made, and all else it says. An edit made here meanwhile stays, and is sent next. A text
  /// or a number is the key alone, of a new object that has none.
  case accepted(JSONValue? = nil)

  /// The object is not there any more. For a deletion that is as good as accepted; else see
  /// ``Outbox/whenGone``.
  case gone

  /// The object has changed since; with the server's version, when there is one. See
  /// ``Outbox/whenInConflict``.
  case conflict(JSONValue? = nil)

  /// The change cannot be taken as it is, with a reason for people. It is kept in
  /// ``Outbox/refused``.
  case refused(String)

  /// Not now: it is sent again after so many seconds, or after a growing pause when none are given.
  case retry(after: TimeInterval? = nil, reason: String? = nil)

  /// The server's version of the object.
  var json: JSONValue? {
    switch self {
    case .accepted(let json), .conflict(let json): json
    case .gone, .refused, .retry: nil
    }
  }

  /// Reads the answer of an HTTP server in the usual way.
  ///
  /// | status | answer |
  /// |---|---|
  /// | 2xx | accepted, with the JSON of the body if there is one; a body that is HTML, or JSON that is cut, is no answer: retry |
  /// | 2xx with `errors` or `userErrors` instead of the object, as GraphQL has them | refused, with the reason in them |
  /// | 201, 204 without JSON | accepted, with the key in `Location` or `OData-EntityId`: `/orders/17`, `/Orders(17)`, `/orders?id=eq.17` |
  /// | 202 | accepted; its body tells of the request, and of the object only `at` a path |
  /// | 207 | refused: it has several answers, which you have to read |
  /// | 404, 410, PostgREST's 406 of no row | gone |
  /// | 409, 412 | conflict, with the JSON of the object; where there is none, that of the error |
  /// | 401, 407, 408, 425, 429, 5xx but 501 | retry, after the pause of `Retry-After` or `Backoff`, a day at most |
  /// | anything else with `Retry-After` | retry, then |
  /// | anything else | refused, with the reason in the body if it has one |
  ///
  /// - Parameters:
  ///   - data: The body.
  ///   - response: The response. One that is not of HTTP is refused.
  ///   - path: Where the object stands in the body, as in `data` or `order`; nil is the body
  ///     itself. A list of one object is that object.
  public init(_ data: Data, _ response: URLResponse, at path: JSONPath? = nil) {
    guard let http = response as? HTTPURLResponse else {
      self = .refused("The answer is none of an HTTP server.")
      return
    }
    let headers = HTTPHeaders(http.statusCode, http.url) { http.value(forHTTPHeaderField: $0) }
    self.init(http.statusCode, headers, try? JSONValue(parsing: data), data, at: path)
  }

  /// Reads one of the answers in a response that has several, as of a bulk endpoint: the same as
  /// ``init(_:_:at:)`` by its status and its JSON.
  ///
  /// ```swift
  /// answers.map { OutboxAnswer(status: $0["status"]?.integerValue, $0["body"]) }
  /// ```
  ///
  /// - Parameters:
  ///   - status: The status. Nil, where there is none, is no answer: retry.
  ///   - body: The body; nil is an empty one.
  ///   - headers: The headers that it has of its own, whatever the case of their names.
  ///   - path: Where the object stands in the body; nil is the body itself.
  public init(
    status: Int64?, _ body: JSONValue? = nil, headers: [String: String] = [:],
    at path: JSONPath? = nil
  ) {
    guard let status = status.flatMap(Int.init(exactly:)) else {
      self = .retry(reason: "The server has not said what became of it.")
      return
    }
    let values = Dictionary(headers.map { ($0.key.lowercased(), $0.value) }) { first, _ in first }
    let read = HTTPHeaders(status, nil) { values[$0.lowercased()] }
    self.init(status, read, body, body?.data ?? Data(), at: path)
  }

  private init(
    _ status: Int, _ headers: HTTPHeaders, _ body: JSONValue?, _ data: Data, at path: JSONPath?
  ) {
    let found = path.map { body?.value(at: $0) } ?? body
    let object = found?.onlyObject
    switch status {
    case 202 where path == nil: self = .accepted()
    case 207:
      self = .refused("Status 207: several answers in one, which the handler has to read itself.")
    case 200..<300:
      if data.isEmpty || status == 204 {
        self = .accepted(headers.key)
      } else if body == nil, headers.promisesDocument {
        self = .retry(reason: "Status \(status), but the body is not JSON.")
      } else if path == nil || object == nil, let reason = body?.mutationErrors(at: path) {
        self = .refused("Status \(status): \(reason)")
      } else {
        self = .accepted(object ?? headers.key)
      }
    case 404, 410: self = .gone
    case 406 where body?.isOfNoRow == true: self = .gone
    case 409, 412: self = .conflict(object ?? (body?.reason == nil ? nil : body?.onlyObject))
    case 401, 407, 408, 425, 429, 500, 502...599:
      self = .retry(after: headers.retryAfter, reason: "Status \(status).")
    case _ where headers.isToComeAgain:
      self = .retry(after: headers.retryAfter, reason: "Status \(status).")
    default:
      let reason = body?.reason ?? String(decoding: data.prefix(200), as: UTF8.self)
      self = .refused("Status \(status)\(reason.isEmpty ? "." : ": \(reason)")")
    }
  }
}

/// The headers that count.
private struct HTTPHeaders {
  let retryAfter: TimeInterval?

  /// Whether it says when, as servers do that count requests, whatever the status.
  let isToComeAgain: Bool

  /// Whether the body is said to be JSON, or a page for people: another text may be a server's way
  /// to say “done”.
  let promisesDocument: Bool

  /// The key of the new object, where its address tells it.
  let key: JSONValue?

  /// - Parameters:
  ///   - url: Where the request was sent.
  ///   - value: The value of a header.
  init(_ status: Int, _ url: URL?, _ value: (String) -> String?) {
    let place = value("Location") ?? value("OData-EntityId")
    key =
      [201, 204].contains(status)
      ? place.flatMap { KeyInAddress($0, beside: url)?.text }.map(JSONValue.string) : nil
    let type = value("Content-Type")?.lowercased() ?? ""
    promisesDocument = type.contains("json") || type.contains("html")
    let asked = value("Retry-After").flatMap(Seconds.parse)
    isToComeAgain = asked != nil
    retryAfter = asked ?? value("Backoff").flatMap(Seconds.parse)
  }
}

extension JSONValue {
  /// The object, also when it is the only one of a list.
  fileprivate var onlyObject: JSONValue? {
    if let list = arrayValue, list.count == 1 { return list[0].onlyObject }
    return objectValue.map { .object($0) }
  }

  /// Whether PostgREST was asked for one object, and found no row: its versions differ in the code
  /// and the verb, not in the number before “rows”.
  fileprivate var isOfNoRow: Bool {
    guard let details = self["details"]?.stringValue else { return false }
    return details.hasSuffix(" 0 rows") || details.contains(" 0 rows,")
  }

  /// The errors of a server that answers everything with 200, as GraphQL does, instead of the
  /// object: `errors` or `userErrors` on the way to it, or nothing but `data` and `errors`.
  fileprivate func mutationErrors(at path: JSONPath?) -> String? {
    guard let path else {
      let names = objectValue.map { Set($0.map(\.key)) } ?? []
      let isGraphQL = names.isSubset(of: ["data", "errors", "extensions"])
      return isGraphQL
        ? objectValue?["errors"]?.arrayValue.flatMap { JSONValue.array($0).reason } : nil
    }
    return path.steps.indices.lazy.compactMap { count in
      let object = value(at: JSONPath(Array(path.steps.prefix(count))))?.objectValue
      return object?["errors"]?.reason ?? object?["userErrors"]?.reason
    }.first
  }
}
