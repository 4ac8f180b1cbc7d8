import Foundation

extension JSONValue {
  /// Takes over a tree of Foundation and Swift values, such as `[[String: Any]]`.
  ///
  /// Taken are `nil`, `NSNull`, booleans, all numbers, text, arrays and dictionaries with text
  /// keys, `Date` (ISO 8601 text), `UUID` and `URL` (text), `Data` (base64 text) and JSON values.
  /// Boxed booleans stay booleans and boxed numbers numbers, on every platform. Members of
  /// dictionaries, which have no order, are sorted by name.
  ///
  /// - Throws: ``JSONError`` with the path of the first value that has no JSON form.
  /// - Complexity: O(*n* log *n*).
  public init(_ any: Any) throws {
    self = try JSONValue.make(any, at: JSONPath())
  }

  private static func make(_ any: Any, at path: JSONPath) throws -> JSONValue {
    // Boxes first: casting a boxed 1 to Bool succeeds.
    if type(of: any) is AnyClass, let boxed = make(boxed: any) { return boxed }
    if let scalar = make(scalar: any) { return scalar }
    switch any {
    case let dictionary as [String: Any]:
      var object = JSONObject()
      object.reserveCapacity(dictionary.count)
      for key in dictionary.keys.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
        guard let value = dictionary[key] else { continue }
        object[key] = try make(value, at: path.appending(.key(key)))
      }
      return .object(object)
    case let array as [Any]:
      return .array(try array.enumerated().map { try make($1, at: path.appending(.position($0))) })
    case let optional where Mirror(reflecting: optional).displayStyle == .optional:
      return try SyncCore.Value.unwrapped(optional).map { try make($0, at: path) } ?? .null
    default:
      throw JSONError(
        .unsupportedValue, path: path.description,
        message: "A value of the type \(type(of: any)) has no JSON form. Turn it into text, a "
          + "number, a boolean, an array, or a dictionary with text keys.")
    }
  }

  private static func make(boxed: Any) -> JSONValue? {
    switch boxed {
    case is NSNull: .null
    case let number as NSDecimalNumber: .decimal(number.decimalValue)
    case let number as NSNumber: make(number: number)
    case let string as NSString: .string(String(describing: string))
    default: nil
    }
  }

  /// Booleans have a class of their own among the boxed numbers; their type code is also that of
  /// 8-bit integers.
  private static func make(number: NSNumber) -> JSONValue {
    if type(of: number) == type(of: NSNumber(value: true)) { return .bool(number.boolValue) }
    switch String(cString: number.objCType) {
    case "f": return .double(Double(number.floatValue.description) ?? number.doubleValue)
    case "d": return .double(number.doubleValue)
    case "Q": return make(unsigned: number.uint64Value)
    default: return .integer(number.int64Value)
    }
  }

  private static func make(unsigned value: UInt64) -> JSONValue {
    Int64(exactly: value).map { .integer($0) } ?? .decimal(Decimal(value))
  }

  private static func make(scalar: Any) -> JSONValue? {
    switch scalar {
    case let value as JSONValue: value
    case let value as JSONObject: .object(value)
    case let value as String: .string(value)
    case let value as Bool: .bool(value)
    case let value as Int: .integer(Int64(value))
    case let value as Double: .double(value)
    case let value as Int64: .integer(value)
    case let value as Decimal: .decimal(value)
    // The shortest digits of a float, not those of the double nearest to it.
    case let value as Float: .double(Double(value.description) ?? Double(value))
    case let value as UInt64: make(unsigned: value)
    case let value as UInt: make(unsigned: UInt64(value))
    case let value as Int32: .integer(Int64(value))
    case let value as Int16: .integer(Int64(value))
    case let value as Int8: .integer(Int64(value))
    case let value as UInt32: .integer(Int64(value))
    case let value as UInt16: .integer(Int64(value))
    case let value as UInt8: .integer(Int64(value))
    case let value as Substring: .string(String(value))
    case let value as Date: .string(DateText.iso8601(value))
    case let value as UUID: .string(value.uuidString)
    case let value as URL: .string(value.absoluteString)
    case let value as Data: .string(value.base64EncodedString())
    default: nil
    }
  }
}

extension JSONPath {
  func appending(_ step: Step) -> JSONPath {
    JSONPath(steps + [step])
  }
}
