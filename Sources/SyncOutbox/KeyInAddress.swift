import Foundation

/// The key of an object in its address: `/orders/17`, OData's `/Orders(17)` and `/Orders('a')`,
/// PostgREST's `/orders?id=eq.17`.
struct KeyInAddress {
  let text: String

  /// Nil when it has none, or one of several parts.
  ///
  /// - Parameter collection: Where the request went, which is no object's address.
  init?(_ address: String, beside collection: URL?) {
    guard let parts = URLComponents(string: address) else { return nil }
    let equals = (parts.queryItems ?? []).compactMap(\.value).filter { $0.hasPrefix("eq.") }
    guard equals.isEmpty else {
      guard equals.count == 1 else { return nil }
      self.init(text: equals[0].dropFirst(3))
      return
    }
    let steps = parts.path.split(separator: "/")
    guard let last = steps.last, steps != collection?.path.split(separator: "/") else { return nil }
    guard last.last == ")", let open = last.firstIndex(of: "(") else {
      self.init(text: last)
      return
    }
    let inside = last[last.index(after: open)...].dropLast()
    guard inside.first != "'", !inside.contains(",") else {
      self.init(
        text: inside.first == "'" && inside.last == "'" ? inside.dropFirst().dropLast() : "")
      return
    }
    self.init(text: inside)
  }

  private init?(text: Substring) {
    guard !text.isEmpty else { return nil }
    self.text = String(text)
  }
}
