import Foundation

/// The key of an object in its address: `/orders/17`, OData's `/Orders(17)`, `/Orders('a')` and
/// `/Orders(ID='a')`, PostgREST's `/orders?id=eq.17`.
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
    guard parts.path.split(separator: "/") != collection?.path.split(separator: "/"),
      let step = parts.percentEncodedPath.split(separator: "/").last,
      let last = step.removingPercentEncoding
    else { return nil }
    guard last.last == ")", let open = last.firstIndex(of: "(") else {
      self.init(text: last[...])
      return
    }
    self.init(inParentheses: last[last.index(after: open)...].dropLast())
  }

  /// Reads OData's forms of a key: `17`, `17L`, `'O''Neil'`, `guid'…'`, `ID='a'`.
  private init?(inParentheses text: Substring) {
    let mark = text.firstIndex(of: "'") ?? text.endIndex
    let name = text[..<mark]
    guard !name.contains(",") else { return nil }
    guard mark < text.endIndex else {
      let number = text.split(separator: "=").last ?? ""
      let isLong = number.last == "L" && Int64(number.dropLast()) != nil
      self.init(text: isLong ? number.dropLast() : number)
      return
    }
    let inside = text[mark...].dropFirst().dropLast()
    let pieces = inside.components(separatedBy: "''")
    guard text.last == "'", mark < text.indices.last ?? mark,
      !pieces.contains(where: { $0.contains("'") })
    else { return nil }
    self.init(text: pieces.joined(separator: "'")[...])
  }

  private init?(text: Substring) {
    guard !text.isEmpty else { return nil }
    self.text = String(text)
  }
}
