import SyncCore

extension JSONObject {
  /// Puts a value at the end of a path of keys and positions. Properties whose paths begin alike
  /// share the objects and lists on the way; where one stands on another's way, the first keeps its
  /// place. Elements of a list that no property fills are null.
  mutating func place(_ value: JSONValue, at path: ArraySlice<JSONPath.Step>) {
    guard let step = path.first else {
      if let members = value.objectValue { merge(members) }
      return
    }
    guard case .key(let key) = step else { return }
    var inner = self[key] ?? .null
    if inner.place(value, at: path.dropFirst()) { self[key] = inner }
  }

  fileprivate mutating func merge(_ other: JSONObject) {
    for member in other where self[member.key] == nil { self[member.key] = member.value }
  }
}

extension JSONValue {
  /// The value inside the containers that a way leads through.
  func wrapped(in steps: ArraySlice<JSONPath.Step>) -> JSONValue {
    steps.reversed().reduce(self) { value, step in
      switch step {
      case .key(let key): .object([key: value])
      case .position(let position): .array(Array(repeating: .null, count: position) + [value])
      case .each: .array([value])
      }
    }
  }

  /// Puts a value at the end of a path that begins here.
  ///
  /// - Returns: False when something else stands in its way.
  fileprivate mutating func place(_ value: JSONValue, at path: ArraySlice<JSONPath.Step>) -> Bool {
    switch (self, path.first) {
    case (.null, nil):
      self = value
    case (.object(var members), nil):
      guard let others = value.objectValue else { return false }
      members.merge(others)
      self = .object(members)
    case (.null, .key?), (.object, .key?):
      var members = objectValue ?? JSONObject()
      members.place(value, at: path)
      self = .object(members)
    case (.null, .position(let index)?), (.array, .position(let index)?):
      guard index >= 0 else { return false }
      var elements = arrayValue ?? []
      while elements.count <= index { elements.append(.null) }
      guard elements[index].place(value, at: path.dropFirst()) else { return false }
      self = .array(elements)
    default:
      return false
    }
    return true
  }
}
