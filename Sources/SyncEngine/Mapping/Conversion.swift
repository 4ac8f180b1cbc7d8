package import SyncCore

/// The result of converting a JSON value for an attribute.
package enum Conversion {
  /// The stored form.
  case cell(Cell)

  /// The value does not fit; the policy of the rule decides.
  case mismatch(MismatchReason)
}

/// Why a JSON value does not fit an attribute.
package enum MismatchReason: Sendable, Hashable {
  /// A kind of JSON value that the attribute never takes.
  case wrongKind(JSONKinds)
  case notANumber
  /// A fraction for an integer attribute.
  case fraction
  /// A number that the attribute cannot hold.
  case outOfRange
  case notADate
  case notAUUID
  case notAURL
  case notBase64
  /// A transformable attribute without a registered transformer.
  case noTransformer
  /// The transformer refused the value, or made one that the attribute cannot hold.
  case transformer(String)
  /// The attribute can hold the value, but the program cannot read it: why.
  case refused(String)

  /// A phrase that tells the expected and the found value.
  package func message(for type: AttributeType) -> String {
    let expected = "expected \(type.phrase)"
    return switch self {
    case .wrongKind(let kind): "\(expected), found \(kind.phrase)"
    case .notANumber: "\(expected), found text that is no number"
    case .fraction: "\(expected), found a fraction"
    case .outOfRange: "\(expected), found a number that is too large for it"
    case .notADate:
      "\(expected), found text that is neither ISO 8601 nor unix time; a rule, .custom, reads others"
    case .notAUUID: "\(expected), found text that is no UUID"
    case .notAURL: "\(expected), found text that is no URL"
    case .notBase64: "\(expected) in base64, found other text"
    case .noTransformer:
      "JSON fills a transformable attribute only through a transformer. Name one in the model "
        + "(valueTransformerName, or the user info sync.valueTransformer) and register it"
    case .transformer(let message), .refused(let message): message
    }
  }
}

/// Kinds of JSON values.
package struct JSONKinds: OptionSet, Sendable, Hashable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let string = JSONKinds(rawValue: 1)
  package static let number = JSONKinds(rawValue: 2)
  package static let boolean = JSONKinds(rawValue: 4)
  package static let array = JSONKinds(rawValue: 8)
  package static let object = JSONKinds(rawValue: 16)
  package static let any: JSONKinds = [.string, .number, .boolean, .array, .object]

  /// The kinds as a person would name them.
  package var phrase: String {
    let names: [(JSONKinds, String)] = [
      (.string, "text"), (.number, "a number"), (.boolean, "a boolean"), (.array, "an array"),
      (.object, "an object"),
    ]
    return names.filter { contains($0.0) }.map(\.1).joined(separator: " or ")
  }
}

extension AttributeType {
  /// A value of the type as a person would name it.
  fileprivate var phrase: String {
    switch self {
    case .integer16, .integer32, .integer64: "a whole number"
    case .decimal, .double, .float: "a number"
    case .string: "text"
    case .boolean: "a boolean"
    case .date: "a date"
    case .binary: "bytes"
    case .uuid: "a UUID"
    case .uri: "a URL"
    case .transformable: "a value for the transformer"
    }
  }
}
