package import SyncCore

/// A statement or a piece of one, with the values that its placeholders stand for, in order.
///
/// Pieces are put together by interpolation; plain strings need a label, so that no value of a user
/// gets into the text by accident:
///
/// ```swift
/// let condition: SQLText = "\(raw: column.quoted) = \(bind: value)"
/// let query: SQLText = "SELECT count(*) FROM \(raw: table.quoted) WHERE \(condition)"
/// ```
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
}

extension SQLText: ExpressibleByStringInterpolation {
  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var sql = SQLText()

    package init(literalCapacity: Int, interpolationCount: Int) {
      sql.text.reserveCapacity(literalCapacity + 16 * interpolationCount)
    }

    package mutating func appendLiteral(_ literal: String) {
      sql.text += literal
    }

    package mutating func appendInterpolation(_ part: SQLText) {
      sql += part
    }

    /// Text that is part of the statement: quoted names, operators, our own numbers.
    package mutating func appendInterpolation(raw text: String) {
      sql.text += text
    }

    /// A placeholder with its value.
    package mutating func appendInterpolation(bind value: Value) {
      sql.text += "?"
      sql.bindings.append(value)
    }
  }

  package init(stringLiteral value: String) {
    self.init(value)
  }

  package init(stringInterpolation: StringInterpolation) {
    self = stringInterpolation.sql
  }
}

extension [SQLText] {
  /// The pieces with a text between them.
  package func joined(_ separator: String) -> SQLText {
    var result = SQLText()
    for (index, part) in enumerated() {
      if index > 0 { result.text += separator }
      result += part
    }
    return result
  }
}
