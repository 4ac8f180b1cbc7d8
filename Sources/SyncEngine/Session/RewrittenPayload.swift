import Foundation
import SyncCore

/// What a document became before it is read, and where its items stood.
struct RewrittenPayload {
  /// An item that stood anywhere in the document.
  struct Resource {
    let path: String
    /// The node of the plan that reads it beside the items at the top; nil is one of these.
    var node: Int?
  }

  var json = JSONValue.array([])
  /// The rest of the way to the list in it.
  var path: JSONPath?
  /// Where each item stood; empty where most are still where they were.
  var resources: [Resource] = []
  /// The way that was gone already, and the objects of the document by what they are; where several are equal, none.
  private var prefix = "$"
  private var originals: [JSONValue: String] = [:]

  /// Whether the items are all there are.
  var isWhole = true
  /// Whether it is a page of a longer list, and the address of the next one.
  var isPage = false
  var nextPage: String?
  /// What was passed over.
  var remarks: [(path: String, message: String)] = []

  init() {}

  /// Lets a hook rewrite what stands at a path, up to the first step that means each child.
  ///
  /// - Throws: ``JSONError`` when the path leads nowhere, and what the hook throws.
  init(
    _ document: JSONValue, at path: JSONPath?, by prepare: (JSONValue) throws -> JSONValue
  ) throws {
    let list = path?.listPath ?? JSONPath()
    guard let value = document.value(at: list) else {
      // The reader says best what is wrong.
      _ = try document.data().withUnsafeBytes { try JSONItemReader($0, at: list) }
      throw JSONError(.pathNotFound, path: "\(list)", message: "There is nothing at \(list).")
    }
    json = try prepare(value)
    self.path = path.map { JSONPath($0.elements) }
    prefix = "\(list)"
    if json != value { note(document, "$") }
  }

  private mutating func note(_ value: JSONValue, _ path: String) {
    switch value {
    case .array(let elements):
      for (index, element) in elements.enumerated() { note(element, "\(path)[\(index)]") }
    case .object(let members):
      originals[value] = originals[value] == nil ? path : ""
      for member in members { note(member.value, path + JSONPath.text(ofKey: member.key)) }
    default: break
    }
  }

  /// Where an item stood in the document: one that the hook left as it was, where it was, others where they stand now.
  ///
  /// - Parameters:
  ///   - item: Its number.
  ///   - place: Where it stands in what is read.
  func place(of item: Int, _ place: JSONItemPlace, _ json: () -> JSONValue) -> JSONItemPlace {
    if !resources.isEmpty { return JSONItemPlace(path: resources[item].path) }
    if !originals.isEmpty, let path = originals[json()], !path.isEmpty {
      return JSONItemPlace(path: path)
    }
    return JSONItemPlace(path: prefix + place.path.dropFirst(), element: place.element)
  }

  /// The node that reads an item beside those at the top.
  func node(of item: Int) -> Int? {
    resources.indices.contains(item) ? resources[item].node : nil
  }
}
