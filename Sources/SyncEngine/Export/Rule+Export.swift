import Foundation
import SyncCore

/// Rules that were written by hand, read the other way: from stored values to JSON.
extension Rule {
  /// - Throws: ``ExportError`` when nobody knows what JSON a value was made of.
  func requireReversible(_ name: String, of entity: EntityDescription) throws {
    if case .custom(let coding) = content, coding.encode == nil {
      throw ExportError(
        .irreversibleRule, entity: entity.name, property: name,
        message: """
          “\(entity.name).\(name)” is made by a custom rule that says nothing about the way back. Give the \
          rule an encode closure, or leave the attribute out with the user info sync.nonExportable.
          """)
    }
    guard case .key? = path.steps.first else {
      throw ExportError(
        .irreversibleRule, entity: entity.name, property: name,
        message: """
          “\(entity.name).\(name)” is read from \(path), which has no key in the object that an export \
          writes. Leave the attribute out with the user info sync.nonExportable.
          """)
    }
  }

  /// The JSON of a stored value; nil when it is that of its type.
  ///
  /// - Throws: ``ExportError`` when the rule refuses the value.
  func json(_ value: Value, _ name: String, of entity: EntityDescription) throws -> JSONValue? {
    switch (content, value) {
    case (.custom(let coding), _): return try coding.json(value, name, of: entity)
    case (.attribute(.isoDate), .date(let date)): return ExportDateFormat.iso8601.json(date)
    case (.attribute(.unixTime), .date(let date)): return Rule.unixTime(of: date)
    case (.attribute(.base64), .data(let data)): return .string(data.base64EncodedString())
    default: return nil
    }
  }

  /// Seconds since 1970, with milliseconds where there are any.
  private static func unixTime(of date: Date) -> JSONValue? {
    let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
    guard let whole = Int64(exactly: milliseconds) else { return nil }
    return whole % 1000 == 0 ? .integer(whole / 1000) : .double(milliseconds / 1000)
  }
}

extension RuleCoding {
  fileprivate func json(
    _ value: Value, _ name: String, of entity: EntityDescription
  ) throws -> JSONValue? {
    do {
      if let json = try encode?(value) { return json }
    } catch {
      throw ExportError(
        .irreversibleRule, entity: entity.name, property: name,
        message: """
          The custom rule of “\(entity.name).\(name)” refused the stored value “\(value)”: \(error).
          """)
    }
    throw ExportError(
      .irreversibleRule, entity: entity.name, property: name,
      message: """
        The custom rule of “\(entity.name).\(name)” makes values of the type \(type.rawValue), and the \
        stored value “\(value)” is none that it takes back.
        """)
  }
}
