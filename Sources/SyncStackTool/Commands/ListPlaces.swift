import Foundation
import SyncStack

/// Where the lists of objects lie in a document that is one object around them, as most APIs
/// answer, and objects by their keys, as Firebase has them.
struct ListPlaces {
  /// A list, and what tells whether it is the one that is meant.
  private struct Place {
    let path: [String]
    let hasKey: Bool
    let count: Int
    /// Whether nothing but plain values and what is known to be about the list stands beside it.
    let isBare: Bool
  }

  /// What stands beside the lists of many APIs.
  private static let besides: Set<String> = [
    "meta", "links", "_links", "pagination", "paging", "page", "page_info", "pageInfo", "info",
    "response_metadata", "cursor", "cursors", "header", "headers", "status", "query", "request",
  ]

  private let places: [Place]

  /// What `--at` takes for each.
  var paths: [String] { places.map { $0.path.joined(separator: ".") } }

  /// - Parameters:
  ///   - shape: What is known of the document, or of what lies at the path.
  ///   - path: The path that was given.
  ///   - count: How many documents there are; when there are more items, they are no objects around
  ///     lists.
  init(in shape: ObjectShape, at path: String? = nil, of count: Int = 1) {
    let path = path.map { [$0] } ?? []
    guard shape.count == count else {
      places = []
      return
    }
    places =
      ListPlaces.byKeys(shape, under: path).map { [$0] }
      ?? ListPlaces.lists(in: shape, under: path, isBare: true)
  }

  /// - Parameter document: The whole document.
  init(in document: Data, at path: String?) throws {
    let shape = ObjectShape()
    let tape = JSONTape()
    try document.withUnsafeBytes { bytes in
      var reader = try JSONItemReader(bytes, at: path.map { JSONPath($0) } ?? JSONPath())
      while try reader.next(into: tape) {
        if let object = tape.value(0).objectValue { shape.add(object) }
      }
    }
    self.init(in: shape, at: path)
  }

  private static func lists(
    in shape: ObjectShape, under path: [String], isBare: Bool
  ) -> [Place] {
    let objects = shape.keys.filter { key in
      let member = shape.members[key]
      return (member?.object != nil || member?.elementObjects != nil) && !besides.contains(key)
    }
    return shape.keys.flatMap { key -> [Place] in
      guard let member = shape.members[key], !key.contains(".") else { return [] }
      let place = path + [key]
      // What connections of GraphQL list.
      if let node = member.elementObjects?.members["node"]?.object,
        Set(member.elementObjects?.keys ?? []).isSubset(of: ["node", "cursor", "__typename"])
      {
        let hasKey = KeyFinder.ofRoot(node, "Node").key != nil
        return [
          Place(
            path: path + ["\(key)[]", "node"], hasKey: hasKey, count: node.count,
            isBare: isBare && objects == [key])
        ]
      }
      if let object = member.object, let place = byKeys(object, under: place) { return [place] }
      if let elements = member.elementObjects {
        let hasKey = KeyFinder.ofRoot(elements, DraftNames.entity(key)).key != nil
        return [
          Place(
            path: place, hasKey: hasKey, count: elements.count, isBare: isBare && objects == [key])
        ]
      }
      return member.object.map {
        lists(in: $0, under: place, isBare: isBare && objects == [key])
      } ?? []
    }
  }

  /// Objects by their keys, as far as the keys show that they are no names:
  /// `{"8863": {…}, "9224": {…}}`.
  private static func byKeys(_ shape: ObjectShape, under path: [String]) -> Place? {
    guard shape.keys.count > 1, shape.isDictionary,
      shape.members.values.allSatisfy({ $0.object != nil && $0.objects == $0.present })
    else { return nil }
    return Place(path: path + ["*"], hasKey: true, count: shape.keys.count, isBare: true)
  }

  /// The one that is meant: of objects with keys, near the top, long; nil when there is none, or it
  /// may as well be a part of the object.
  var best: String? {
    let best = places.enumerated().filter { $1.hasKey || $1.isBare }.min { one, other in
      func rank(_ place: (offset: Int, element: Place)) -> (Int, Int, Int, Int) {
        let (offset, place) = place
        return (place.hasKey ? 0 : 1, place.path.count, -place.count, offset)
      }
      return rank(one) < rank(other)
    }
    return best?.element.path.joined(separator: ".")
  }

  /// What was done about it, and what to type next.
  func advice(taking path: String) -> String {
    let others = paths.filter { $0 != path }
    return "The document is one object with a list at \(path), and this is the model of that: give "
      + "--at \(ListPlaces.word(path)) to doctor and import too. "
      + (others.isEmpty ? "" : "There are others at \(others.joined(separator: ", ")). ")
      + "--at $ draws the document itself."
  }

  /// A path as a shell takes it.
  private static func word(_ path: String) -> String {
    path.allSatisfy { $0.isLetter || $0.isNumber || "._-$".contains($0) } ? path : "'\(path)'"
  }

  /// A sentence that says what to type; nil when there is no list.
  var advice: String? {
    guard let first = paths.first else { return nil }
    return paths.count == 1
      ? "The document is one object with a list at \(first): --at \(ListPlaces.word(first)) takes that."
      : "The document is one object with lists at \(paths.joined(separator: ", ")): --at takes one of them."
  }
}
