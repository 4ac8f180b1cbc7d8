/// A way into a JSON document: names of members and positions in arrays.
///
/// ```swift
/// let items: JSONPath = "data.items"          // dots part the steps
/// let first: JSONPath = ["tags", 0]           // literal names, and positions from 0
/// let value: JSONPath = ["odata.value"]       // one name; as text: "['odata.value']"
/// let posts: JSONPath = "data.children[].data"   // the object in each element of a list
/// let users: JSONPath = "users.*"             // each member of an object
/// ```
///
/// In the form with dots, a step of digits is a position when it meets an array and a name when it
/// meets an object; `[]`, `[*]` and `*` are ``Step/each``. `$` and the empty path are the document
/// itself.
public struct JSONPath: Sendable, Hashable {
  /// One step: a name, a position from 0, or everything that is inside.
  public enum Step: Sendable, Hashable {
    /// The member of an object that has the name.
    case key(String)
    /// The element of an array at a position from 0.
    case position(Int)
    /// Each element of an array, or the value of each member of an object.
    case each
  }

  /// The steps from the outside in.
  public var steps: [Step] = []

  /// Whether a step means everything that is inside.
  package var leadsToEach: Bool { steps.contains(.each) }

  /// The way to the first container of which everything is meant, or all of the way.
  package var listPath: JSONPath { JSONPath(Array(steps.prefix { $0 != .each })) }

  /// The rest of the way.
  package var elements: [Step] { Array(steps.drop { $0 != .each }) }

  /// Makes a path of steps that are taken literally.
  public init(_ steps: [Step] = []) {
    self.steps = steps
  }

  /// Parts a text at its dots. `[3]` is read as a position, `['a.b']` as one name, `[]` and `*` as
  /// each element or member; a leading `$` is passed over.
  public init(_ dotted: String) {
    // By scalars: a name may begin with a mark that makes one character of it and the quote.
    var rest = dotted.unicodeScalars[...]
    while let first = rest.first {
      if first == "[" {
        steps.append(JSONPath.takeBracket(&rest))
      } else {
        let name = rest.prefix { $0 != "." && $0 != "[" }
        rest = rest[name.endIndex...]
        if !name.isEmpty, !(steps.isEmpty && name.elementsEqual("$".unicodeScalars)) {
          steps.append(JSONPath.step(of: name))
        }
        if rest.first == "." { rest.removeFirst() }
      }
    }
  }

  /// The step in the brackets that a text begins with.
  private static func takeBracket(_ rest: inout Substring.UnicodeScalarView) -> Step {
    let inside = rest.dropFirst()
    if let quote = inside.first, quote == "'" || quote == "\"",
      let end = inside.dropFirst().firstRange(of: [quote, "]"])
    {
      rest = inside[end.upperBound...]
      return .key(String(inside[..<end.lowerBound].dropFirst()))
    }
    let content = inside.prefix { $0 != "]" }
    rest = inside[content.endIndex...].dropFirst()
    return content.isEmpty ? .each : step(of: content)
  }

  private static func step(of name: Substring.UnicodeScalarView) -> Step {
    name.elementsEqual("*".unicodeScalars) ? .each : .key(String(name))
  }
}

extension JSONPath.Step {
  /// The position the step means when it meets an array.
  package var position: Int? {
    switch self {
    case .position(let position): position >= 0 ? position : nil
    case .key(let key): key.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } ? Int(key) : nil
    case .each: nil
    }
  }

  /// The name the step means when it meets an object.
  package var key: String {
    switch self {
    case .position(let position): String(position)
    case .key(let key): key
    case .each: "*"
    }
  }
}

extension JSONPath {
  /// The path as a text that the initialiser for dotted texts reads: `data.items`,
  /// `a['b.c']`, `users.*`.
  package var text: String {
    steps.reduce("") { path, step in
      switch step {
      case .each: return path.isEmpty ? "*" : path + "[]"
      case .position(let position): return path + "[\(position)]"
      case .key(let key):
        if !key.isEmpty, key != "*", key != "$",
          !key.unicodeScalars.contains(where: { ".[".unicodeScalars.contains($0) })
        {
          return path.isEmpty ? key : "\(path).\(key)"
        }
        return path + JSONPath.brackets(around: key, quote: "'", or: "\"")
      }
    }
  }

  /// A name in brackets and quotes: in the second ones where it has the end of the first in it. A
  /// name with both ends in it has no text that is read as the same.
  private static func brackets(around key: String, quote: String, or other: String) -> String {
    let hasEnd = key.unicodeScalars.contains("\(quote)]".unicodeScalars)
    return hasEnd ? "[\(other)\(key)\(other)]" : "[\(quote)\(key)\(quote)]"
  }
}

extension JSONPath: CustomStringConvertible {
  /// The path as it stands in errors: `$.data[3]`.
  public var description: String {
    steps.reduce("$") { path, step in
      switch step {
      case .key(let key): path + JSONPath.text(ofKey: key)
      case .position(let position): path + "[\(position)]"
      case .each: path + "[]"
      }
    }
  }

  /// One step of a path in words: `.name`, or `["odd name"]`.
  package static func text(ofKey key: String) -> String {
    let isPlain =
      !key.isEmpty
      && key.utf8.allSatisfy { byte in
        byte >= 0x80 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
          || (byte >= 0x30 && byte <= 0x39) || (byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A)
      }
    return isPlain ? ".\(key)" : brackets(around: key, quote: "\"", or: "'")
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
