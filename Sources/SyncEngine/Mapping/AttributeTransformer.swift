public import SyncCore

/// Turns the JSON value of an attribute into what is stored, and back.
///
/// ```swift
/// struct EntityDecoder: AttributeTransformer {
///   func value(from json: JSONValue) throws -> Value {
///     .string(json.stringValue?.replacing("&amp;", with: "&") ?? "")
///   }
///   func json(from value: Value) throws -> JSONValue? {
///     .string(value.description.replacing("&", with: "&amp;"))
///   }
/// }
/// stack.transformers.register(EntityDecoder(), named: "EntityDecoder")
/// ```
///
/// An attribute names its transformer in its user info (`sync.valueTransformer`); a transformable
/// attribute may name it in the model. A transformer sees every value but null, arrays and objects
/// too, and its answer is final: it is converted only when its kind does not fit the attribute.
public protocol AttributeTransformer: Sendable {
  /// The value to store; ``Value/null`` for none.
  ///
  /// - Throws: Any error; the value then counts as one that cannot be converted, and the error's
  ///   description is reported.
  func value(from json: JSONValue) throws -> Value

  /// The JSON of a stored value; nil when there is no way back, and the stored value is exported as
  /// it is.
  func json(from value: Value) throws -> JSONValue?
}

extension AttributeTransformer {
  /// There is no way back unless the transformer says so.
  public func json(from value: Value) throws -> JSONValue? { nil }
}
