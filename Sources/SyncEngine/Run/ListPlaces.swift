import SyncCore

/// Where the lists of objects lie in a document that is one object around them, as most APIs answer.
struct ListPlaces {
  /// What `at:` takes for each.
  let paths: [String]

  /// Objects in objects that are looked into.
  private static let depth = 4

  /// - Parameter path: The path that was looked at, if any.
  init(in bytes: UnsafeRawBufferPointer, at path: JSONPath?, options: JSONReadingOptions) {
    let object = try? ListPlaces.onlyObject(in: bytes, at: path, options: options)
    paths =
      object.map { ListPlaces.lists(in: $0, under: path?.steps ?? [], ListPlaces.depth) }
      ?? []
  }

  private static func onlyObject(
    in bytes: UnsafeRawBufferPointer, at path: JSONPath?, options: JSONReadingOptions
  ) throws -> JSONObject? {
    let tape = JSONTape()
    var reader = try JSONItemReader(
      bytes, at: path ?? JSONPath(), options: options)
    guard try reader.next(into: tape), let object = tape.value(0).objectValue else { return nil }
    return try reader.skipNext() == nil ? object : nil
  }

  private static func lists(in object: JSONObject, under path: [JSONPath.Step], _ depth: Int)
    -> [String]
  {
    object.flatMap { member -> [String] in
      let place = path + [.key(member.key)]
      switch member.value {
      case .array(let elements):
        return elements.first?.objectValue == nil ? [] : [String("\(JSONPath(place))".dropFirst(2))]
      case .object(let inner): return depth > 1 ? lists(in: inner, under: place, depth - 1) : []
      default: return []
      }
    }
  }

  /// A sentence that says what to do.
  var advice: String {
    switch paths.count {
    case 0: SyncError.listAdvice
    case 1: "The document is one object with a list at \(paths[0]): at: \"\(paths[0])\" takes that."
    default:
      "The document is one object with lists at \(paths.joined(separator: ", ")): at: \"\(paths[0])\" takes the first."
    }
  }
}
