import Foundation
package import SyncCore

extension ValueConverter {
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
