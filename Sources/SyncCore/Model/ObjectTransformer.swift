import Foundation

/// A transformer between a Swift type and its stored values; JSON has the stored form.
struct ObjectTransformer<Object>: AttributeTransformer {
  let store: @Sendable (Object) throws -> Value
  let load: @Sendable (Value) throws -> Object

  /// The first reading of the JSON that makes an object, in the form in which that object is
  /// stored.
  func value(from json: JSONValue) throws -> Value {
    var failure: (any Error)?
    for value in ObjectTransformer.readings(of: json) {
      do {
        return try store(load(value))
      } catch {
        failure = failure ?? error
      }
    }
    throw failure ?? TransformerError("There is no \(Object.self) of \(json).")
  }

  func json(from value: Value) throws -> JSONValue? {
    guard case .data(let data) = value, let json = try? JSONValue(canonical: data) else {
      return JSONValue(scalar: value)
    }
    return json
  }

  func object(from value: Value) throws -> Any { try load(value) }

  func value(ofObject object: Any) throws -> Value {
    guard let object = object as? Object else {
      throw TransformerError("A \(type(of: object)) is no \(Object.self).")
    }
    return try store(object)
  }

  /// The values that a JSON value may stand for: JSON writes dates and bytes as text.
  private static func readings(of json: JSONValue) -> [Value] {
    var readings = [Value(json: json)]
    if let text = json.stringValue {
      if text.contains("-"), let seconds = DateText.parse(text) {
        readings.append(.date(Date(timeIntervalSinceReferenceDate: seconds)))
      }
      if let data = Data(base64Encoded: text) { readings.append(.data(data)) }
    }
    readings.append(.data(json.canonicalData))
    return readings
  }
}

extension TransformerRegistry {
  /// Registers functions between a Swift type and its stored values. JSON has the stored form.
  ///
  /// - Parameters:
  ///   - store: The value to store; ``Value/null`` for none.
  ///   - load: The object of a stored value; throws when it is none.
  public func register<Object>(
    _ type: Object.Type, named name: String,
    store: @escaping @Sendable (Object) throws -> Value,
    load: @escaping @Sendable (Value) throws -> Object
  ) {
    register(ObjectTransformer(store: store, load: load), named: name)
  }

  /// Registers a type that knows its stored form: an enum, a ``CodableValue`` or another one of the
  /// program's own.
  public func register<Object: ValueConvertible & SendableMetatype>(
    _ type: Object.Type, named name: String
  ) {
    register(type, named: name) {
      $0.storedValue
    } load: { value in
      guard let object = Object.converted(from: value) else {
        throw TransformerError("“\(value)” is no \(Object.self).")
      }
      return object
    }
  }
}
