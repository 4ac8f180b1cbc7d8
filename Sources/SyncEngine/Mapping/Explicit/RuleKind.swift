import SyncCore

/// The kinds of rules that need no closure: which attributes each can fill, and from which JSON.
enum RuleKind: String, Sendable, CaseIterable {
  case string, bool, int, number, double, float, decimal, isoDate, unixTime, uuid, url, base64
  case structured, raw

  /// Whether the kind makes values that an attribute of the type can hold.
  func fits(_ type: AttributeType) -> Bool {
    switch self {
    case .string: type == .string
    case .bool: type == .boolean || type.isInteger
    case .int, .number, .double, .float, .decimal: type.isNumber || type == .boolean
    case .isoDate, .unixTime: type == .date
    case .uuid: type == .uuid
    case .url: type == .uri
    case .base64, .structured: type == .binary
    case .raw: type != .transformable
    }
  }

  /// The types that the kind can fill, for messages.
  var fittingTypes: String {
    AttributeType.allCases.filter(fits).map(\.rawValue).joined(separator: ", ")
  }

  func converter(
    for attribute: AttributeDescription, coercion: SyncPolicy.Coercion, isIdentity: Bool,
    unit: UnixTimeUnit? = nil, check: AttributeCheck?
  ) -> ValueConverter {
    ValueConverter(
      attribute.type, form: form(coercion, unit), accepts: accepted(by: attribute.type, coercion),
      // A key that is too wide for its attribute still tells objects apart.
      checksWidth: !isIdentity, check: check)
  }

  private func form(
    _ coercion: SyncPolicy.Coercion, _ unit: UnixTimeUnit?
  ) -> ValueConverter.Form {
    switch self {
    case .int: .wholeNumber
    case .float: .float
    case .isoDate: .isoDate(isStrict: coercion == .strict)
    case .unixTime: .unixTime(unit)
    case .base64: .base64
    default: .natural
    }
  }

  private func accepted(by type: AttributeType, _ coercion: SyncPolicy.Coercion) -> JSONKinds {
    if self == .structured || (self == .raw && type == .binary) { return .any }
    return coercion == .lossless ? strict(type).union(lossless) : strict(type)
  }

  private func strict(_ type: AttributeType) -> JSONKinds {
    switch self {
    case .string, .isoDate, .uuid, .url, .base64: .string
    case .bool: .boolean
    case .int, .number, .double, .float: [.number, .boolean]
    case .decimal, .unixTime: .number
    case .structured: .any
    case .raw:
      switch type {
      case .string, .uuid, .uri: .string
      case .date: [.string, .number]
      case .binary: .any
      default: [.number, .boolean]
      }
    }
  }

  /// The kinds that are taken where they can be converted without loss.
  var lossless: JSONKinds {
    switch self {
    case .isoDate, .uuid, .url, .base64: .string
    case .unixTime: [.string, .number]
    default: [.string, .number, .boolean]
    }
  }
}

extension AttributeType {
  var isInteger: Bool {
    switch self {
    case .integer16, .integer32, .integer64: true
    default: false
    }
  }

  /// Whether values are numbers: whole ones, floating-point ones, decimals.
  var isNumber: Bool {
    switch self {
    case .integer16, .integer32, .integer64, .decimal, .double, .float: true
    default: false
    }
  }
}
