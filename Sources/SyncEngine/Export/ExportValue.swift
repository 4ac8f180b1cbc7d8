import Foundation
import SyncCore

extension ExportNode.Attribute {
  /// The JSON of a stored value; nil when the attribute is left out.
  ///
  /// - Throws: ``ExportError`` when the transformer refuses the value.
  func json(_ value: Value, of entity: EntityDescription, _ options: ExportOptions) throws
    -> JSONValue?
  {
    if value.isNull { return options.nullHandling == .written ? .null : nil }
    if let json = try transformed(value, of: entity) { return json }
    if let written = rule.written,
      let json = try ReversedRule(written, rule.name, of: entity).json(value)
    {
      return json
    }
    // Only the transformer understands the stored value.
    guard rule.type != .transformable else { return nil }
    switch value {
    case .date(let date): return options.dateFormat.json(date)
    case .data(let data):
      return switch options.binaryFormat {
      case .json: BinaryText.json(of: data)
      case .base64: .string(data.base64EncodedString())
      case .bytes: BinaryText.tagged(data)
      }
    // JSON has no word for infinity. Left out, a sync leaves it alone.
    case .double(let value) where !value.isFinite: return nil
    default: return JSONValue(scalar: value)
    }
  }

  private func transformed(
    _ value: Value, of entity: EntityDescription
  ) throws -> JSONValue? {
    guard let transformer = rule.transformer else { return nil }
    do {
      return try transformer.json(from: value)
    } catch {
      throw ExportError(
        .transformerFailed, entity: entity.name, property: rule.name,
        message: """
          The transformer “\(rule.transformerName ?? "")” of “\(entity.name).\(rule.name)” refused the stored \
          value “\(value)”: \(error). Let it return nil for values that it cannot turn back.
          """)
    }
  }
}

/// A rule that was written by hand, read the other way: from stored values to JSON.
struct ReversedRule {
  let rule: Rule
  let name: String
  let entity: EntityDescription

  init(_ rule: Rule, _ name: String, of entity: EntityDescription) {
    self.rule = rule
    self.name = name
    self.entity = entity
  }

  /// - Parameter isAlone: Whether nothing else is written of the objects, so that they may be bare
  ///   values.
  /// - Throws: ``ExportError`` when the JSON of a value, or its place, cannot be told.
  func check(isAlone: Bool = false) throws {
    if case .custom(let coding) = rule.content, coding.encode == nil {
      throw irreversible(
        """
        “\(entity.name).\(name)” is made by a custom rule that says nothing about the way back. Give the \
        rule an encode closure, or leave the attribute out with the user info sync.nonExportable.
        """)
    }
    if isAlone, rule.path.steps.isEmpty { return }
    guard case .key? = rule.path.steps.first else {
      throw irreversible(
        """
        “\(entity.name).\(name)” is read from \(rule.path), which has no key in the object that an export \
        writes. Leave the property out with the user info sync.nonExportable.
        """)
    }
  }

  /// The JSON of a stored value; nil when it is that of its type.
  ///
  /// - Throws: ``ExportError`` when the rule refuses the value.
  func json(_ value: Value) throws -> JSONValue? {
    switch (rule.content, value) {
    case (.custom(let coding), _): return try json(value, by: coding)
    case (.attribute(.isoDate), .date(let date)): return ExportDateFormat.iso8601.json(date)
    case (.attribute(.unixTime), .date(let date)): return unixTime(of: date)
    case (.attribute(.base64), .data(let data)): return .string(data.base64EncodedString())
    case (.attribute(.structured), .data(let data)): return BinaryText.json(of: data)
    // The rule takes no 0 and 1, and decimals no booleans.
    case (.attribute(.bool), .int(let number)) where number == 0 || number == 1:
      return .bool(number == 1)
    case (.attribute(.decimal), .bool(let isTrue)): return .integer(isTrue ? 1 : 0)
    default: return nil
    }
  }

  private func irreversible(_ message: String) -> ExportError {
    ExportError(
      .irreversibleRule, entity: entity.name, property: name, path: "\(rule.path)",
      message: message)
  }

  /// Seconds since 1970, with milliseconds where there are any; microseconds where so many seconds
  /// would be taken for milliseconds.
  private func unixTime(of date: Date) -> JSONValue? {
    let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
    guard let whole = Int64(exactly: milliseconds) else { return nil }
    if let unit = rule.unit {
      return unit.whole(whole).map { .integer($0) }
        ?? (unit == .seconds ? .double(milliseconds / 1000) : nil)
    }
    if whole.magnitude >= 100_000_000_000_000 {
      let (micros, isTooLarge) = whole.multipliedReportingOverflow(by: 1000)
      return isTooLarge ? nil : .integer(micros)
    }
    return whole % 1000 == 0 ? .integer(whole / 1000) : .double(milliseconds / 1000)
  }

  private func json(_ value: Value, by coding: RuleCoding) throws -> JSONValue? {
    do {
      if let json = try coding.encode?(value) { return json }
    } catch {
      throw irreversible(
        """
        The custom rule of “\(entity.name).\(name)” refused the stored value “\(value)”: \(error).
        """)
    }
    throw irreversible(
      """
      The custom rule of “\(entity.name).\(name)” makes values of the type \(coding.type.rawValue), and the \
      stored value “\(value)” is none that it takes back.
      """)
  }
}
