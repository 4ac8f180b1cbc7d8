import Foundation
package import SyncCore

/// Turns a JSON value into the stored form of one attribute.
///
/// Numbers, booleans, plain text and dates are converted in place, without allocations; text that
/// has to be written anew goes into the arena.
package struct ValueConverter: Sendable {
  /// The meaning of a text or number where the attribute's type leaves a choice.
  package enum Form: Sendable, Hashable {
    /// The form that the type suggests: text with a dash is an ISO 8601 date, other text and
    /// numbers are unix time; bytes are any JSON value.
    case natural
    /// Dates as ISO 8601 text with time and zone, in any of its spellings or in one; empty text is
    /// no date.
    case isoDate(isStrict: Bool)
    /// Dates as a count of a unit since 1970, as number or text; nil is told by the size.
    case unixTime(UnixTimeUnit?)
    /// Bytes as base64 text.
    case base64
    /// Numbers without a fraction, even if the attribute can hold one.
    case wholeNumber
    /// Numbers as the nearest 32-bit float.
    case float

    /// For the key of a plan. Written out: to print a case with a value takes reflection.
    fileprivate var keyText: String {
      switch self {
      case .natural: "natural"
      case .isoDate(let isStrict): isStrict ? "strictISODate" : "isoDate"
      case .unixTime(let unit): unit?.rawValue ?? "unixTime"
      case .base64: "base64"
      case .wholeNumber: "wholeNumber"
      case .float: "float"
      }
    }
  }

  /// Makes a stored value from JSON before anything else looks at it; nil stands for no value.
  package typealias Decoder = @Sendable (JSONValue) throws -> Value?

  package let type: AttributeType
  package let form: Form

  /// Kinds of JSON values that are converted; null always is.
  package let accepts: JSONKinds

  /// Whether integers must fit in the declared width, not only in 64 bits.
  package let checksWidth: Bool
  package let decoder: Decoder?

  /// The values that the program can read, of those that the attribute can hold; nil when it reads
  /// all of them.
  package let check: AttributeCheck?

  /// Makes a converter that takes everything that can be converted without loss.
  package init(_ type: AttributeType, decoder: Decoder? = nil, check: AttributeCheck? = nil) {
    self.init(
      type, form: .natural, accepts: .any, checksWidth: false, decoder: decoder, check: check)
  }

  /// Makes a converter that takes some kinds of JSON values only.
  package init(
    _ type: AttributeType, form: Form, accepts: JSONKinds, checksWidth: Bool,
    decoder: Decoder? = nil, check: AttributeCheck? = nil
  ) {
    self.type = type
    self.form = form
    self.accepts = accepts
    self.checksWidth = checksWidth
    self.decoder = decoder
    self.check = check
  }

  /// The converter for every kind of JSON value that can be converted without loss.
  var ofAnyKind: ValueConverter {
    ValueConverter(
      type, form: form, accepts: .any, checksWidth: checksWidth, decoder: decoder, check: check)
  }

  /// Everything about the converter that is not a closure, for the key of a plan.
  var keyText: String {
    "\(type.rawValue) \(form.keyText) \(accepts.rawValue) \(checksWidth) \(decoder != nil)"
      + (check.map { " " + $0.keyText } ?? "")
  }

  /// Converts the JSON value at an index of the tape.
  ///
  /// - Returns: A cell that points into the payload or into the arena, or why there is none.
  package func convert(_ index: Int, of tape: JSONTape, arena: CellArena) -> Conversion {
    let conversion = converted(index, of: tape, arena: arena)
    guard let check, case .cell(let cell) = conversion,
      let refusal = check.refusal(of: cell.value(as: type))
    else { return conversion }
    return .mismatch(.refused(refusal))
  }

  private func converted(_ index: Int, of tape: JSONTape, arena: CellArena) -> Conversion {
    let token = tape.tokens[index]
    if token.kind == .null { return .cell(.null) }
    if let decoder { return decode(index, of: tape, arena: arena, by: decoder) }
    let kind = token.kind.jsonKind
    guard accepts.contains(kind) else { return .mismatch(.wrongKind(kind)) }
    if type == .transformable { return .mismatch(.noTransformer) }
    if let date = settledDate(index, of: tape, arena: arena) { return date }
    if type == .binary, form == .natural {
      if let data = BinaryText.bytes(index, of: tape) { return .cell(arena.blob(data)) }
      return .cell(.blob(tape.canonical(index, arena: arena)))
    }
    switch token.kind {
    case .integer:
      return converted(token.integer, arena: arena)
    case .string:
      return converted(text: token.bytes, arena: arena)
    case .escapedString:
      return converted(text: tape.text(index, arena: arena), arena: arena)
    case .number:
      return converted(number: token.bytes, arena: arena)
    case .false:
      return converted(false, arena: arena)
    case .true:
      return converted(true, arena: arena)
    case .object, .array, .null:
      return .mismatch(.wrongKind(kind))
    }
  }

  /// Lets the decoder make a value, and gives it the stored form of the attribute.
  func decode(
    _ index: Int, of tape: JSONTape, arena: CellArena, by decoder: Decoder
  ) -> Conversion {
    do {
      guard let value = try decoder(tape.value(index)) else { return .cell(.null) }
      return cell(for: value, arena: arena)
    } catch {
      return .mismatch(.transformer(String(describing: error)))
    }
  }

  /// The stored form of a value that was made outside: as it is when its kind fits the attribute,
  /// else by the conversions for JSON.
  package func cell(for value: Value, arena: CellArena) -> Conversion {
    if value.isNull { return .cell(.null) }
    if type == .transformable { return .cell(arena.blob(value.archive)) }
    if type == .binary {
      if case .data(let data) = value { return .cell(arena.blob(data)) }
      return .cell(arena.blob(JSONValue(scalar: value).canonicalData))
    }
    switch value {
    case .null: return .cell(.null)
    case .bool(let value): return converted(value, arena: arena)
    case .int(let value): return converted(value, arena: arena)
    case .double(let value): return converted(value, arena: arena)
    case .decimal(let value):
      guard !value.isNaN else { return .mismatch(.outOfRange) }
      return converted(number: arena.text(value.canonicalText).bytes, arena: arena)
    case .string(let value): return converted(text: arena.text(value).bytes, arena: arena)
    case .date(let date):
      switch type {
      case .date: return .cell(.real(date.timeIntervalSinceReferenceDate))
      case .string: return .cell(arena.text(DateText.iso8601(date)))
      default: return unfit("a date")
      }
    case .uuid(let value):
      guard type == .uuid || type == .string else { return unfit("a UUID") }
      return .cell(arena.text(value.uuidString))
    case .url(let value):
      guard type == .uri || type == .string else { return unfit("a URL") }
      return .cell(arena.text(value.absoluteString))
    case .data: return unfit("bytes")
    }
  }

  private func converted(_ value: Double, arena: CellArena) -> Conversion {
    guard holds(value) else { return .mismatch(.outOfRange) }
    switch type {
    case .double, .float: return .cell(.real(value))
    default: return converted(number: arena.text(String(value)).bytes, arena: arena)
    }
  }

  private func unfit(_ found: String) -> Conversion {
    .mismatch(
      .transformer(
        "the transformer made \(found), which an attribute of type \(type.rawValue) cannot hold"))
  }
}

extension JSONToken.Kind {
  fileprivate var jsonKind: JSONKinds {
    switch self {
    case .null: []
    case .false, .true: .boolean
    case .integer, .number: .number
    case .string, .escapedString: .string
    case .array: .array
    case .object: .object
    }
  }
}
