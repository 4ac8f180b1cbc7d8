/// One element of an XML document, with everything inside it.
struct MarkupElement {
  var name: String
  var attributes: [MarkupAttribute] = []
  var children: [MarkupElement] = []

  /// All character data directly inside the element.
  var text = ""
  var place: MarkupPlace

  /// The value of an attribute, or nil when the element does not have it.
  func attribute(_ name: String) -> String? {
    attributes.first { $0.name == name }?.value
  }
}

struct MarkupAttribute {
  let name: String
  let value: String
  let place: MarkupPlace
}

/// A place in a document; both numbers begin at 1, columns count characters.
struct MarkupPlace: Hashable, CustomStringConvertible {
  let line: Int
  let column: Int

  var description: String { "line \(line), column \(column)" }
}

/// Why a document is no well-formed XML, or uses what the reader refuses, and where.
struct XMLError: Error, Hashable {
  let message: String
  let place: MarkupPlace
}
