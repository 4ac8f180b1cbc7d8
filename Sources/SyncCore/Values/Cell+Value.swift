package import Foundation

extension Cell {
  /// The cell as a value of an attribute type; a nil type is a reference. Copies text and bytes.
  package func value(as type: AttributeType?) -> Value {
    switch kind {
    case .absent, .null:
      return .null
    case .integer:
      switch type {
      case .boolean: return .bool(integer != 0)
      case .double, .float: return .double(Double(integer))
      case .date: return .date(Date(timeIntervalSinceReferenceDate: Double(integer)))
      default: return .int(integer)
      }
    case .real:
      if type == .date { return .date(Date(timeIntervalSinceReferenceDate: real)) }
      return .double(real)
    case .blob:
      return Value(storedBytes: Data(bytes), as: type)
    case .text:
      return Value(storedText: String(decoding: bytes, as: UTF8.self), as: type)
    }
  }
}

extension Value {
  /// The value of a type that is stored as bytes; the bytes themselves when they are no stored form
  /// of a transformable attribute.
  package init(storedBytes data: Data, as type: AttributeType?) {
    self = type == .transformable ? Value(archive: data) ?? .data(data) : .data(data)
  }

  /// The value of a type that is stored as text; the text itself when it is not one of the type.
  package init(storedText text: String, as type: AttributeType?) {
    switch type {
    case .decimal: self = Decimal(string: text, locale: nil).map(Value.decimal) ?? .string(text)
    case .uuid: self = UUIDText.parse(text).map(Value.uuid) ?? .string(text)
    case .uri: self = URL(string: text).map(Value.url) ?? .string(text)
    default: self = .string(text)
    }
  }
}
