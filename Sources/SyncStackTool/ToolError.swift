/// Something outside the store that is not as the command needs it, and what to do about it.
struct ToolError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
