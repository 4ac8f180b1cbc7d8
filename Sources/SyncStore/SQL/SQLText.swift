package import SyncCore

/// A statement or a piece of one, with the values that its placeholders stand for, in order.
package struct SQLText: Sendable {
  package var text: String
  package var bindings: [Value]

  package init(_ text: String = "", bindings: [Value] = []) {
    self.text = text
    self.bindings = bindings
  }

  package static func += (left: inout SQLText, right: SQLText) {
    left.text += right.text
    left.bindings += right.bindings
  }

  /// Adds plain text.
  package mutating func append(_ text: String) {
    self.text += text
  }

  /// Adds a placeholder and its value.
  package mutating func bind(_ value: Value) {
    text += "?"
    bindings.append(value)
  }
}
