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
    if let written, let json = try ReversedRule(written, name, of: entity).json(value) {
      return json
    }
    // What is stored means something to the transformer only.
    guard type != .transformable else { return nil }
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
    guard let transformer else { return nil }
    do {
      return try transformer.json(from: value)
    } catch {
      throw ExportError(
        .transformerFailed, entity: entity.name, property: name,
        message: """
          The transformer “\(transformerName ?? "")” of “\(entity.name).\(name)” refused the stored \
          value “\(value)”: \(error). Let it return nil for values that it cannot turn back.
          """)
    }
  }
}
