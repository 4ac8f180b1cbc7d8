import Foundation
import SyncStack

/// Where the lists of objects lie in a document that is one object around them, as most APIs answer.
struct ListPlaces {
  /// What `--at` takes for each.
  let paths: [String]

  /// - Parameters:
  ///   - shape: What is known of the document, or of what lies at the path.
  ///   - path: The path that was given.
  init(in shape: ObjectShape, at path: String?) {
    guard shape.count == 1 else {
      paths = []
      return
    }
    paths = ListPlaces.lists(in: shape, under: path.map { [$0] } ?? [])
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

  private static func lists(in shape: ObjectShape, under path: [String]) -> [String] {
    shape.keys.flatMap { key -> [String] in
      guard let member = shape.members[key], !key.contains(".") else { return [] }
      let place = path + [key]
      if member.elementObjects != nil { return [place.joined(separator: ".")] }
      return member.object.map { lists(in: $0, under: place) } ?? []
    }
  }

  /// A sentence that says what to type; nil when there is no list.
  var advice: String? {
    guard let first = paths.first else { return nil }
    return paths.count == 1
      ? "The document is one object with a list at \(first): --at \(first) takes that."
      : "The document is one object with lists at \(paths.joined(separator: ", ")): --at takes one of them."
  }
}
