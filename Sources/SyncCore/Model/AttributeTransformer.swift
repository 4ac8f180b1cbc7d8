import Foundation

/// Turns the outside form of an attribute's value into the stored one, and back.
///
/// A transformer has two sides, and a model may use it for either:
///
/// - **JSON**: an attribute of any type names it in its user info (`sync.valueTransformer`), a
///   transformable one in the model. It sees every JSON value but null, arrays and objects too, and
///   its answer is final: it is converted only when its kind does not fit the attribute.
/// - **Objects**: a transformable attribute names it in the model (`valueTransformerName`).
///   `value(forKey:)`, `setValue(_:forKey:)` and `@Transformable` give and take its object for the
///   stored value: a colour, a shape. Without a name the stored value itself is given and taken.
///
/// ```swift
/// struct EntityDecoder: AttributeTransformer {                     // JSON only
///   func value(from json: JSONValue) throws -> Value {
///     .string(json.stringValue?.replacing("&amp;", with: "&") ?? "")
///   }
///   func json(from value: Value) throws -> JSONValue? {
///     .string(value.description.replacing("&", with: "&amp;"))
///   }
/// }
/// stack.transformers.register(EntityDecoder(), named: "EntityDecoder")
///
/// stack.transformers.register(Colour.self, named: "Colour") {      // a Swift type, JSON as stored
///   .string($0.hexadecimal)
/// } load: {
///   try Colour(hexadecimal: $0.description)
/// }
/// ```
///
/// A transformable attribute keeps the stored value with its kind as bytes, so a value of any kind
/// comes back as it was.
public protocol AttributeTransformer: Sendable {
  /// The value to store for a JSON value; ``Value/null`` for none.
  ///
  /// - Throws: Any error; the value then counts as one that cannot be converted, and the error's
  ///   description is reported.
  func value(from json: JSONValue) throws -> Value

  /// The JSON of a stored value; nil when there is no way back, and the stored value is exported as
  /// it is.
  func json(from value: Value) throws -> JSONValue?

  /// The object for a stored value, which is never ``Value/null``.
  ///
  /// - Throws: Any error, when the stored value is none that the transformer makes.
  func object(from value: Value) throws -> Any

  /// The value to store for an object that a program sets; ``Value/null`` for none.
  ///
  /// - Throws: Any error, when it cannot be stored.
  func value(ofObject object: Any) throws -> Value
}

extension AttributeTransformer {
  /// The stored form of the JSON value: scalars as they are, arrays and objects as canonical JSON.
  public func value(from json: JSONValue) throws -> Value { Value(json: json) }

  /// There is no way back unless the transformer says so.
  public func json(from value: Value) throws -> JSONValue? { nil }

  /// The stored value itself, as a Swift value.
  public func object(from value: Value) throws -> Any { value.anyValue ?? value }

  /// The value itself, when it is one that can be stored.
  public func value(ofObject object: Any) throws -> Value {
    guard let value = Value(anyValue: object) else {
      throw TransformerError("A \(type(of: object)) cannot be stored as it is.")
    }
    return value
  }
}

/// An error of a transformer.
public struct TransformerError: Error, Sendable {
  /// A sentence that tells the error.
  public let message: String

  /// Makes an error of a sentence.
  public init(_ message: String) {
    self.message = message
  }
}

extension TransformerError: ExplainedError {}

/// The transformers that models may name.
///
/// A stack has one of its own or uses ``shared``; later registrations take effect with the next
/// sync and the next access. Safe to use from any thread: everything lies under one lock.
public final class TransformerRegistry: Sendable {
  private struct State {
    var transformers: [String: any AttributeTransformer] = [:]
    var generation = 0
  }

  private let state = Locked(State())

  /// Makes an empty registry.
  public init() {}

  /// The registry of all stacks that are not given another.
  public static let shared = TransformerRegistry()

  /// Registers a transformer under a name; an earlier one of that name is replaced.
  public func register(_ transformer: any AttributeTransformer, named name: String) {
    state.withLock {
      $0.transformers[name] = transformer
      $0.generation += 1
    }
  }

  /// Registers functions between JSON and stored values.
  public func register(
    _ name: String, forward: @escaping @Sendable (JSONValue) throws -> Value,
    reverse: (@Sendable (Value) throws -> JSONValue)? = nil
  ) {
    register(FunctionTransformer(forward: forward, reverse: reverse), named: name)
  }

  /// Removes the transformer of that name, if there is one.
  public func unregister(_ name: String) {
    state.withLock {
      $0.transformers[name] = nil
      $0.generation += 1
    }
  }

  /// The transformer of that name, or nil.
  public func transformer(named name: String) -> (any AttributeTransformer)? {
    state.withLock { $0.transformers[name] }
  }

  /// Names of all transformers, sorted.
  public var names: [String] { state.withLock { $0.transformers.keys.sorted() } }

  /// Grows with every change: plans made before are out of date.
  package var generation: Int { state.withLock { $0.generation } }
}

private struct FunctionTransformer: AttributeTransformer {
  let forward: @Sendable (JSONValue) throws -> Value
  let reverse: (@Sendable (Value) throws -> JSONValue)?

  func value(from json: JSONValue) throws -> Value { try forward(json) }
  func json(from value: Value) throws -> JSONValue? { try reverse?(value) }
}
