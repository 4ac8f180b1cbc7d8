/// Something outside the store that is not as the command needs it, with advice.
struct ToolError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// Ctrl-C stopped work of which a part is stored: says which.
struct Cancelled: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
