import Foundation
import SyncStack

/// How a page leads to the next one.
enum Paging: Sendable, Equatable {
  /// By a header `Link: </articles?page=2>; rel="next"`, or by a member of the document at a path, as in
  /// `links.next`: text that is an address, relative to that of the page. Where both are missing, the
  /// feed ends.
  case links(member: String)
  /// By a number in the query, counted from where the first address begins, or from 1. The feed ends with
  /// the first page that has no items.
  case numbers(parameter: String)

  /// The address of the next page; nil when this is the last.
  func next(
    after response: PageClient.Response, document: JSONValue, itemCount: Int
  ) -> URL? {
    switch self {
    case .links(let member):
      let target =
        response.link.flatMap(Paging.nextTarget)
        ?? document.value(at: JSONPath(member))?.stringValue
      guard let target, let url = URL(string: target, relativeTo: response.url)?.absoluteURL,
        url.scheme == "http" || url.scheme == "https"
      else { return nil }
      return url
    case .numbers(let parameter):
      guard itemCount > 0 else { return nil }
      return Paging.counted(response.url, parameter)
    }
  }

  /// The address in a link header that stands before `rel="next"`.
  static func nextTarget(ofLinkHeader header: String) -> String? {
    // Addresses may hold commas and semicolons, so the brackets come first.
    for link in header.split(separator: "<").dropFirst(header.hasPrefix("<") ? 0 : 1) {
      let parts = link.split(separator: ">", maxSplits: 1)
      guard parts.count == 2 else { continue }
      let isNext = parts[1].split(whereSeparator: { $0 == ";" || $0 == "," }).contains {
        parameter in
        let sides = parameter.split(separator: "=", maxSplits: 1).map {
          $0.trimmingCharacters(in: .whitespaces.union(["\""])).lowercased()
        }
        return sides.first == "rel" && sides.last?.split(separator: " ").contains("next") == true
      }
      if isNext { return String(parts[0]) }
    }
    return nil
  }

  /// The address with a number one higher.
  private static func counted(_ url: URL, _ parameter: String) -> URL? {
    guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return nil }
    var items = parts.queryItems ?? []
    let number = items.last { $0.name == parameter }?.value.flatMap { Int($0) } ?? 1
    items.removeAll { $0.name == parameter }
    items.append(URLQueryItem(name: parameter, value: "\(number + 1)"))
    parts.queryItems = items
    return parts.url
  }
}
