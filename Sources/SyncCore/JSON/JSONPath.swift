/// A way into a JSON document: names of members and positions in arrays.
///
/// ```swift
/// let items: JSONPath = "data.items"          // dots part the steps
/// let first: JSONPath = ["tags", 0]           // literal names, and positions from 0
/// ```
///
/// In the form with dots, a step of digits is a position when it meets an array and a name when it
/// meets an object. `$` and the empty path are the document itself.
public struct JSONPath: Sendable, Hashable {
  /// One step: a name, or a position from 0.
  public enum Step: Sendable, Hashable {
    case key(String)
    case position(Int)
  }

  /// The steps from the outside in.
  public var steps: [Step]

  /// Makes a path of steps that are taken literally.
  public init(_ steps: [Step] = []) {
    self.steps = steps
  }

  /// Parts a text at its dots; `[3]` is read as a position, and a leading `$` passed over.
  public init(_ dotted: String) {
    let plain = dotted.replacing("[", with: ".").replacing("]", with: "")
    var parts = plain.split(separator: ".", omittingEmptySubsequences: true)
    if parts.first == "$" { parts.removeFirst() }
    steps = parts.map { .key(String($0)) }
  }
}

extension JSONPath.Step {
  /// The position the step means when it meets an array.
  package var position: Int? {
    switch self {
    case .position(let position): position >= 0 ? position : nil
    case .key(let key): key.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } ? Int(key) : nil
    }
  }

  /// The name the step means when it meets an object.
  package var key: String {
    switch self {
    case .position(let position): String(position)
    case .key(let key): key
    }
  }
}

extension JSONPath: CustomStringConvertible {
  /// The path as it stands in errors: `$.data[3]`.
  public var description: String {
    steps.reduce("$") { path, step in
      switch step {
      case .key(let key): path + JSONPath.text(ofKey: key)
      case .position(let position): path + "[\(position)]"
      }
    }
  }

  /// One step of a path in words: `.name`, or `["odd name"]`.
  static func text(ofKey key: String) -> String {
    let isPlain =
      !key.isEmpty
      && key.utf8.allSatisfy { byte in
        byte >= 0x80 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
          || (byte >= 0x30 && byte <= 0x39) || (byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A)
      }
    return isPlain ? ".\(key)" : "[\"\(key)\"]"
  }
}

extension JSONPath: ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
  public init(stringLiteral dotted: String) {
    self.init(dotted)
  }

  public init(arrayLiteral steps: Step...) {
    self.init(steps)
  }
}

extension JSONPath.Step: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
  public init(stringLiteral key: String) {
    self = .key(key)
  }

  public init(integerLiteral position: Int) {
    self = .position(position)
  }
}
