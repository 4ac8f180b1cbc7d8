import SyncCore

/// Dates whose form a rule has settled.
extension ValueConverter {
  /// Converts a value where the form says which dates it takes; nil where the usual ways do.
  func settledDate(_ index: Int, of tape: JSONTape, arena: CellArena) -> Conversion? {
    guard type == .date else { return nil }
    if form == .strictISODate { return strictDate(index, of: tape, arena: arena) }
    guard let unit = form.unit else { return nil }
    let token = tape.tokens[index]
    switch token.kind {
    case .integer:
      return date(unit.milliseconds(token.integer))
    case .number: return date(NumberText(token.bytes), in: unit)
    case .string: return date(NumberText(token.bytes), in: unit)
    case .escapedString: return date(NumberText(tape.text(index, arena: arena)), in: unit)
    default: return nil
    }
  }

  private func strictDate(_ index: Int, of tape: JSONTape, arena: CellArena) -> Conversion? {
    let token = tape.tokens[index]
    let text: UnsafeRawBufferPointer
    switch token.kind {
    case .string: text = token.bytes
    case .escapedString: text = tape.text(index, arena: arena)
    default: return nil
    }
    if text.isEmpty { return .cell(.null) }
    // A day alone is the moment at which it begins in UTC.
    let date =
      ZonedDateText.parse(text, isStrict: true) ?? (text.count == 10 ? DateText.parse(text) : nil)
    return date.map { .cell(.real($0)) } ?? .mismatch(.notADate)
  }

  private func date(_ number: consuming NumberText?, in unit: UnixTimeUnit) -> Conversion {
    guard let number else { return .mismatch(.notADate) }
    // Of seconds their thousandths count, of what is smaller none.
    let magnitude = number.cut(shiftedBy: unit == .seconds ? 3 : 0).flatMap { Int64(exactly: $0) }
    let milliseconds = unit == .seconds ? magnitude : magnitude.flatMap(unit.milliseconds)
    return date(milliseconds.map { number.isNegative ? -$0 : $0 })
  }

  /// Milliseconds from 1970 beyond which no calendar goes (tc39.es/ecma262, time values).
  private static let mostMilliseconds = 8_640_000_000_000_000

  private func date(_ milliseconds: Int64?) -> Conversion {
    guard let milliseconds, milliseconds.magnitude <= ValueConverter.mostMilliseconds else {
      return .mismatch(.outOfRange)
    }
    return .cell(.real(Double(milliseconds - 978_307_200_000) / 1000))
  }
}

extension ValueConverter.Form {
  /// The unit of Unix time, where it is settled.
  fileprivate var unit: UnixTimeUnit? {
    switch self {
    case .unixSeconds: .seconds
    case .unixMilliseconds: .milliseconds
    case .unixMicroseconds: .microseconds
    case .unixNanoseconds: .nanoseconds
    default: nil
    }
  }

  /// Unix time in a unit; nil is told by its size.
  static func unixTime(_ unit: UnixTimeUnit?) -> ValueConverter.Form {
    switch unit {
    case nil: .unixTime
    case .seconds: .unixSeconds
    case .milliseconds: .unixMilliseconds
    case .microseconds: .unixMicroseconds
    case .nanoseconds: .unixNanoseconds
    }
  }
}
