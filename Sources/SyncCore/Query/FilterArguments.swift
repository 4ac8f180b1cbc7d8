/// The arguments of a format text, given out in order.
struct FilterArguments {
  let all: [Any?]
  private(set) var used = 0

  /// - Throws: ``FilterError`` when arguments are left over.
  func finish() throws(FilterError) {
    guard used == all.count else {
      throw FilterError(
        .argument,
        message: "The text asks for \(used) arguments, but there are \(all.count).")
    }
  }

  /// The operand of the next argument.
  mutating func next(
    _ specifier: FilterToken.Specifier, at position: Int
  ) throws(FilterError) -> FilterExpression {
    let argument = try take(specifier, at: position)
    guard let operand = FilterOperand(argument: argument) else {
      throw mismatch(argument, specifier, at: position)
    }
    switch (specifier, operand) {
    case (.any, _), (_, .value(.null)):
      return operand.expression
    case (.integer, .value(let value)):
      if let integer = Int64.converted(from: value) { return .value(.int(integer)) }
      if case .decimal = value { return .value(value) }
    case (.real, .value(let value)):
      if case .decimal = value { return .value(value) }
      if let number = value.number { return .value(.double(number)) }
    default: break
    }
    throw mismatch(argument, specifier, at: position)
  }

  /// The keys of the next argument, which is a key path.
  mutating func nextKeys(at position: Int) throws(FilterError) -> [String] {
    let argument = try take(.key, at: position)
    guard case .value(.string(let path))? = FilterOperand(argument: argument) else {
      throw mismatch(argument, .key, at: position)
    }
    let keys = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    if keys == ["SELF"] || keys == ["self"] { return [] }
    guard keys.allSatisfy({ !$0.isEmpty }) else {
      throw FilterError(
        .argument, position: position, key: path,
        message: "Argument \(used) for %K is “\(path)”, which is not a key path.")
    }
    return keys
  }

  private mutating func take(
    _ specifier: FilterToken.Specifier, at position: Int
  ) throws(FilterError) -> Any? {
    guard used < all.count else {
      throw FilterError(
        .argument, position: position,
        message: "There is no argument for “\(specifier.rawValue)”: \(all.count) came with the "
          + "format. Give one for each placeholder.")
    }
    used += 1
    return all[used - 1]
  }

  private func mismatch(
    _ argument: Any?, _ specifier: FilterToken.Specifier, at position: Int
  ) -> FilterError {
    let wanted =
      switch specifier {
      case .any: "a value, an object, a list or a range"
      case .key: "a key path as text"
      case .integer: "a whole number"
      case .real: "a number"
      }
    let type = argument.map { String(describing: Swift.type(of: $0)) } ?? "nil"
    return FilterError(
      .argument, position: position, expected: wanted,
      message: "Argument \(used) for “\(specifier.rawValue)” has to be \(wanted), not \(type).")
  }
}
