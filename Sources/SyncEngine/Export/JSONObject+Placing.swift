import SyncCore

extension JSONObject {
  /// Puts a value at the end of a path of keys. Properties whose paths begin alike share the objects on
  /// the way; where one stands on another's way, the first keeps its place.
  mutating func place(_ value: JSONValue, at path: ArraySlice<String>) {
    guard let key = path.first else {
      if let members = value.objectValue { merge(members) }
      return
    }
    let rest = path.dropFirst()
    switch self[key] {
    case nil, .null?:
      if rest.isEmpty {
        self[key] = value
      } else {
        var inner = JSONObject()
        inner.place(value, at: rest)
        self[key] = .object(inner)
      }
    case .object(var inner)?:
      guard !rest.isEmpty || value.objectValue != nil else { return }
      inner.place(value, at: rest)
      self[key] = .object(inner)
    default:
      return
    }
  }

  private mutating func merge(_ other: JSONObject) {
    for member in other where self[member.key] == nil { self[member.key] = member.value }
  }
}
