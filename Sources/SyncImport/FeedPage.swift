public import Foundation
public import SyncCore
public import SyncEngine

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// One page of a ``Feed``: its JSON, and where the feed goes on.
///
/// ```swift
/// FeedPage(json, next: answer.cursor)                   // a chain: nil on the last page
/// FeedPage(json, places: (2...pages).map(String.init))  // all of them, asked for side by side
/// FeedPage(json, next: nil, resume: answer.deltaLink)   // where the next run of changes begins
/// ```
public struct FeedPage: Sendable {
  let payload: SyncPayload
  let next: String?
  let places: [String]
  let resume: String?
  let total: Int?

  /// A page.
  ///
  /// - Parameters:
  ///   - payload: The JSON of the page, in any form that is a payload.
  ///   - next: The place of the next page; nil where this is the last one. A place that was asked
  ///     for before in the run is an error (``FeedError/Code/repeatedPlace``).
  ///   - places: Places of other pages as far as they are known, in any order; those that are known
  ///     already are passed over. They are asked for side by side.
  ///   - resume: For a feed of changes, the place at which the next run begins. Where several pages
  ///     say one, the last page counts. Nil is the `next` of this page, or, on the last page, the
  ///     place at which this page began.
  ///   - total: How many items the whole list has, as the server says. When it changes from page
  ///     to page, or the pages have another number of items, the list has changed while it was
  ///     read: a page by number may then have missed an item, so nothing of the feed is deleted in
  ///     this run.
  public init(
    _ payload: some SyncPayloadConvertible, next: String? = nil, places: [String] = [],
    resume: String? = nil, total: Int? = nil
  ) {
    self.payload = payload.syncPayload
    self.next = next
    self.places = places
    self.resume = resume
    self.total = total
  }

  /// Reads the answer of an HTTP server. One of the type `application/vnd.api+json` is a JSON:API
  /// document, which needs no path: `links.next` leads to the next page.
  ///
  /// | status | |
  /// |---|---|
  /// | 2xx with JSON | the page |
  /// | 204, 304 | a page without items |
  /// | 2xx with HTML, or with JSON that is cut | ``FeedError/Code/unreadable``: asked again |
  /// | 401 | ``FeedError/Code/signedOut``: asked again once after ``Import/renewAccess`` |
  /// | 408, 425, 429, 500, 502 to 599, anything else with `Retry-After` | ``FeedError/Code/busy``: asked again, after the pause of `Retry-After` or `Backoff` |
  /// | anything else | ``FeedError/Code/refused`` |
  ///
  /// - Parameters:
  ///   - data: The body.
  ///   - response: The response.
  ///   - path: Where the place of the next page stands in the body, as in `meta.next_cursor`; a
  ///     number counts as its digits, and null, nothing, an empty text and false as the end. Nil,
  ///     the default, is the `next` of a `Link` header
  ///     (https://www.rfc-editor.org/rfc/rfc8288#section-3), where there is one.
  ///   - resumePath: Where the place at which the next run begins stands, as in
  ///     `['@odata.deltaLink']`.
  ///   - totalPath: Where the number of all items stands, as in `total`.
  /// - Throws: ``FeedError``.
  public init(
    _ data: Data, _ response: URLResponse, next path: JSONPath? = nil,
    resume resumePath: JSONPath? = nil, total totalPath: JSONPath? = nil
  ) throws {
    guard let http = response as? HTTPURLResponse else {
      throw FeedError(.refused, message: "The answer is none of an HTTP server.")
    }
    try FeedPage.check(http, data)
    guard http.statusCode != 204, http.statusCode != 304 else {
      self.init(.json([]) as SyncPayload)
      return
    }
    let link = http.value(forHTTPHeaderField: "Link").flatMap(FeedPage.nextLink)
    let isJSONAPI = http.mediaType.hasPrefix("application/vnd.api+json")
    guard path != nil || resumePath != nil || totalPath != nil || isJSONAPI else {
      self.init(data, next: link)
      return
    }
    let body: JSONValue
    do {
      body = try JSONValue(parsing: data)
    } catch {
      throw FeedError(.unreadable, status: http.statusCode, message: "\(error)")
    }
    func text(_ path: JSONPath?) -> String? {
      guard let value = path.flatMap({ body.value(at: $0) }) else { return nil }
      if let text = value.stringValue { return text.isEmpty ? nil : text }
      return value.integerValue.map(String.init)
    }
    let named = isJSONAPI ? text("links.next") ?? text("links.next.href") ?? link : link
    self.init(
      isJSONAPI ? .jsonAPI(data) : .data(data), next: path == nil ? named : text(path),
      resume: text(resumePath),
      total: totalPath.flatMap { body.value(at: $0)?.integerValue }.flatMap(Int.init(exactly:)))
  }

  private static func check(_ http: HTTPURLResponse, _ data: Data) throws {
    let status = http.statusCode
    let pause = http.value(forHTTPHeaderField: "Retry-After").flatMap(Seconds.parse)
    switch status {
    case 200..<300, 304:
      guard http.expectedContentLength <= Int64(data.count) || status == 304 else {
        throw FeedError(
          .unreadable, status: status,
          message: "The page has \(data.count) of \(http.expectedContentLength) bytes.")
      }
      guard !http.mediaType.contains("html") else {
        throw FeedError(
          .unreadable, status: status,
          message: "The page is HTML and no JSON, as a proxy or a sign-in page sends it.")
      }
    case 401:
      throw FeedError(
        .signedOut, status: status,
        message: "The server wants a sign-in. Give the import a renewAccess, or sign in again.")
    case 408, 425, 429, 500, 502..<600:
      let other = http.value(forHTTPHeaderField: "Backoff").flatMap(Seconds.parse)
      throw FeedError(
        .busy, status: status, retryAfter: pause ?? other,
        message: "The server is busy or down: status \(status). Run the import again later.")
    case _ where pause != nil:
      throw FeedError(
        .busy, status: status, retryAfter: pause,
        message: "The server is busy: status \(status). Run the import again later.")
    default:
      let body = String(decoding: data.prefix(200), as: UTF8.self)
      throw FeedError(
        .refused, status: status,
        message:
          "The server refuses the request: status \(status)\(body.isEmpty ? "" : ", \(body)").")
    }
  }

  /// The target of the link whose relation is `next`.
  static func nextLink(_ header: String) -> String? {
    for link in header.split(separator: "<").dropFirst(header.hasPrefix("<") ? 0 : 1) {
      guard let end = link.firstIndex(of: ">") else { continue }
      let parameters = link[link.index(after: end)...].lowercased().split(separator: ";")
      let isNext = parameters.contains { parameter in
        let parts = parameter.split(separator: "=", maxSplits: 1).map {
          $0.trimmingCharacters(in: CharacterSet(charactersIn: " \t,\""))
        }
        return parts.count == 2 && parts[0] == "rel"
          && parts[1].split(separator: " ").contains("next")
      }
      if isNext { return String(link[..<end]) }
    }
    return nil
  }
}

extension HTTPURLResponse {
  fileprivate var mediaType: String {
    value(forHTTPHeaderField: "Content-Type")?.lowercased() ?? ""
  }
}
