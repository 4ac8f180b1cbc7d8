import Foundation

/// Kinds: the kinds that compare with each other, and constants in the form of the other side.
extension FilterResolver {
  func mismatch(_ what: String, _ advice: String = "") -> FilterError {
    FilterError(
      .typeMismatch, entity: scopes[0].entity.name,
      message: "The two sides cannot be compared or calculated with: \(what).\(advice)")
  }

  /// Both sides in forms that compare.
  func fitted(
    _ left: ResolvedExpression, _ right: ResolvedExpression, options: TextOptions
  ) throws(FilterError) -> (ResolvedExpression, ResolvedExpression) {
    var left = left
    var right = right
    let hasObject = left.kind.isObject || right.kind.isObject
    if !hasObject, let value = right.constant, left.constant == nil {
      right = ResolvedExpression(try fit(value, to: left, options: options))
    } else if !hasObject, let value = left.constant, right.constant == nil {
      left = ResolvedExpression(try fit(value, to: right, options: options))
    } else {
      guard left.kind.isComparable(with: right.kind) else {
        throw mismatch("\(left.kind.name) with \(right.kind.name)")
      }
    }
    return (try folded(left, options), try folded(right, options))
  }

  /// A constant in the form that the other side has.
  func fit(
    _ value: Value, to other: ResolvedExpression, options: TextOptions
  ) throws(FilterError) -> Value {
    if case .double(let double) = value, double.isNaN { return .null }
    if value.isNull { return value }
    let fitted: Value? =
      switch other.kind {
      case .integer: integer(value)
      case .real: real(value)
      // A number that no decimal can hold (infinity, 1e300) stays a double, which compares all the
      // same.
      case .decimal: decimal(value) ?? real(value)
      case .date: date(value)
      case .text: text(value)
      case .uuid: options.isEmpty ? UUID.converted(from: value).map { .uuid($0) } : text(value)
      case .data: data(value)
      case .null: value
      case .opaque, .object: nil
      }
    guard let fitted else {
      throw mismatch("\(other.kind.name) with \(explained(value))", advice(value, for: other))
    }
    guard !options.isEmpty, case .string(let text) = fitted else { return fitted }
    return .string(TextFolding.fold(text, options))
  }

  /// Advice where texts look like numbers, or numbers were written as texts.
  private func advice(_ value: Value, for other: ResolvedExpression) -> String {
    switch (other.kind, value) {
    case (.text, .int), (.text, .double), (.text, .decimal):
      " Write '\(value)' to compare texts letter by letter, or turn the text into a number: "
        + "CAST(key, 'NSNumber')."
    case (.integer, .string(let text)), (.real, .string(let text)), (.decimal, .string(let text)):
      Double(text) == nil ? "" : " Without quotation marks it is a number: \(text)."
    default: ""
    }
  }

  private func explained(_ value: Value) -> String {
    switch value {
    case .string(let text): "the text '\(text)'"
    default: "\(FilterKind(value).name) (\(value))"
    }
  }

  private func integer(_ value: Value) -> Value? {
    switch value {
    case .bool, .int, .double: value
    case .decimal: Int64.converted(from: value).map { .int($0) } ?? real(value)
    default: nil
    }
  }

  private func real(_ value: Value) -> Value? {
    switch value {
    case .bool, .int, .double: value
    case .decimal: value.number.map { .double($0) }
    default: nil
    }
  }

  private func decimal(_ value: Value) -> Value? {
    switch value {
    case .bool(let value): .decimal(value ? 1 : 0)
    case .int, .double, .decimal:
      Decimal.converted(from: value).flatMap { $0.isNaN ? .none : .some(.decimal($0)) }
    default: nil
    }
  }

  /// Texts in ISO 8601 will do for dates, because a filter's text has no other way to write one.
  private func date(_ value: Value) -> Value? {
    switch value {
    case .date: value
    case .string(let text) where text.contains("-"):
      DateText.parse(text).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    default: nil
    }
  }

  private func data(_ value: Value) -> Value? {
    if case .data = value { value } else { nil }
  }

  private func text(_ value: Value) -> Value? {
    switch value {
    case .string: value
    case .uuid(let uuid): .string(uuid.uuidString)
    case .url(let url): .string(url.absoluteString)
    default: nil
    }
  }

  /// The expression with case or accents folded; constants at once.
  func folded(
    _ expression: ResolvedExpression, _ options: TextOptions
  ) throws(FilterError) -> ResolvedExpression {
    guard !options.isEmpty, expression.kind != .null else { return expression }
    guard expression.kind.isText else {
      throw mismatch("\(options) is for texts, not for \(expression.kind.name)")
    }
    if let value = expression.constant {
      guard case .string(let text)? = text(value) else { return expression }
      return ResolvedExpression(.string(TextFolding.fold(text, options)))
    }
    return ResolvedExpression(.folded(expression, options), .text)
  }

  /// The row number of an object that is compared with an expression.
  func row(
    of id: ManagedObjectID, comparedWith expression: ResolvedExpression
  ) throws(FilterError) -> Int64 {
    guard expression.kind == .object(root: id.entity.rootIndex) else {
      throw mismatch("\(expression.kind.name) with an object of \(id.entity.name)")
    }
    return id.row
  }
}
