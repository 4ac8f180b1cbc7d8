import Foundation

/// Cuts the text of a filter into words.
struct FilterTokenizer {
  private let characters: [Character]
  private var position = 0
  private var tokens: [FilterToken] = []

  /// The words of a text; the last one is ``FilterToken/Kind/end``.
  static func tokens(of text: String) throws(FilterError) -> [FilterToken] {
    var tokenizer = FilterTokenizer(characters: Array(text))
    try tokenizer.run()
    return tokenizer.tokens
  }

  private var current: Character? { character(0) }

  private func character(_ offset: Int) -> Character? {
    position + offset < characters.count ? characters[position + offset] : nil
  }

  private mutating func run() throws(FilterError) {
    while let character = current {
      if character.isWhitespace {
        position += 1
        continue
      }
      let start = position
      let kind = try next(character)
      tokens.append(FilterToken(kind: kind, position: start))
    }
    tokens.append(FilterToken(kind: .end, position: position))
  }

  private mutating func next(_ character: Character) throws(FilterError) -> FilterToken.Kind {
    switch character {
    case "\"", "'":
      return .text(try text(quote: character))
    case "@":
      position += 1
      if let quote = current, quote == "\"" || quote == "'" { return .text(try text(quote: quote)) }
      return .function(try name(after: "@", expected: "a function such as “@count”"))
    case "$":
      position += 1
      return .variable(try name(after: "$", expected: "the name of a variable"))
    case "#":
      position += 1
      return .escaped(try name(after: "#", expected: "a key"))
    case "%":
      return try specifier()
    default:
      if isDigit(character) || (character == "." && self.character(1).map(isDigit) == true) {
        if character != "." || !followsOperand { return try number() }
      }
      if FilterTokenizer.startsName(character) { return .identifier(name()) }
      return try symbol()
    }
  }

  /// Whether a point would go on with a path rather than begin a number.
  private var followsOperand: Bool {
    switch tokens.last?.kind {
    case .identifier, .escaped, .variable, .function, .argument, .symbol(")"): true
    default: false
    }
  }

  // MARK: - Names

  static func startsName(_ character: Character) -> Bool {
    character == "_" || character.isLetter
  }

  private mutating func name() -> String {
    let start = position
    while let character = current, FilterTokenizer.startsName(character) || character.isNumber {
      position += 1
    }
    return String(characters[start..<position])
  }

  private mutating func name(after mark: String, expected: String) throws(FilterError) -> String {
    guard let character = current, FilterTokenizer.startsName(character) else {
      throw syntax(position, expected: expected, "there is no name behind “\(mark)”")
    }
    return name()
  }

  // MARK: - Texts

  /// Reads a quoted text. `\n`, `\t`, `\r`, `\\`, `\"`, `\'` and `\uXXXX` mean the same as in
  /// Swift; behind any other backslash nothing changes, so patterns need no double ones.
  private mutating func text(quote: Character) throws(FilterError) -> String {
    let start = position
    position += 1
    var result = ""
    while let character = current {
      position += 1
      if character == quote { return result }
      guard character == "\\", let escaped = current else {
        result.append(character)
        continue
      }
      position += 1
      switch escaped {
      case "n": result.append("\n")
      case "t": result.append("\t")
      case "r": result.append("\r")
      case "\\", "\"", "'": result.append(escaped)
      case "u":
        let digits = String(characters[position..<min(position + 4, characters.count)])
        guard digits.count == 4, let code = Int64(digits, radix: 16),
          let scalar = UInt32(exactly: code).flatMap(Unicode.Scalar.init)
        else {
          throw syntax(position, expected: "four hexadecimal digits", "“\\u” has no character")
        }
        result.unicodeScalars.append(scalar)
        position += 4
      default:
        result.append("\\")
        result.append(escaped)
      }
    }
    throw syntax(start, expected: "a closing \(quote)", "the text that begins here has no end")
  }

  // MARK: - Numbers

  private func isDigit(_ character: Character) -> Bool { ("0"..."9").contains(character) }

  private mutating func number() throws(FilterError) -> FilterToken.Kind {
    let start = position
    if current == "0", let mark = character(1), let radix = ["x": 16, "o": 8, "b": 2][mark] {
      position += 2
      let digits = hexDigits()
      guard let value = Int64(digits, radix: radix) else {
        throw syntax(start, expected: "a number of 64 bits", "“0\(mark)\(digits)” is none")
      }
      return .number(.int(value))
    }
    digits()
    var isWhole = true
    if current == ".", character(1).map(isDigit) == true {
      isWhole = false
      position += 1
      digits()
    }
    if current == "e" || current == "E" {
      let sign = character(1) == "-" || character(1) == "+" ? 2 : 1
      if character(sign).map(isDigit) == true {
        isWhole = false
        position += sign
        digits()
      }
    }
    if let character = current, FilterTokenizer.startsName(character) {
      throw syntax(position, expected: "an operator", "a number cannot go on with “\(character)”")
    }
    return .number(try value(String(characters[start..<position]), isWhole: isWhole, at: start))
  }

  private mutating func hexDigits() -> String {
    let start = position
    while let character = current, character.isHexDigit { position += 1 }
    return String(characters[start..<position])
  }

  private mutating func digits() {
    while let character = current, isDigit(character) { position += 1 }
  }

  /// Whole numbers that fit are integers; a number that a double would round becomes a decimal.
  private func value(_ text: String, isWhole: Bool, at start: Int) throws(FilterError) -> Value {
    if isWhole, let integer = Int64(text) { return .int(integer) }
    let significant = text.prefix { $0 != "e" && $0 != "E" }.filter(\.isNumber)
      .drop { $0 == "0" }.count
    if significant > 15, let decimal = Decimal(string: text, locale: nil), !decimal.isNaN {
      return .decimal(decimal)
    }
    guard let double = Double(text), double.isFinite else {
      throw syntax(start, expected: "a number", "“\(text)” is too large")
    }
    return .double(double)
  }

  // MARK: - Arguments and symbols

  private mutating func specifier() throws(FilterError) -> FilterToken.Kind {
    let start = position
    position += 1
    switch current {
    case "@":
      position += 1
      return .argument(.any)
    case "K":
      position += 1
      return .argument(.key)
    case "%":
      position += 1
      return .symbol("%%")
    default: break
    }
    while let character = current, "hlqLzjt".contains(character) { position += 1 }
    guard let character = current else { throw unknownSpecifier(start) }
    position += 1
    switch character {
    case "d", "D", "i", "u", "U", "x", "X", "o": return .argument(.integer)
    case "f", "F", "e", "E", "g", "G", "a": return .argument(.real)
    default: throw unknownSpecifier(start)
    }
  }

  private func unknownSpecifier(_ start: Int) -> FilterError {
    syntax(
      start, expected: "%@, %K, %d, %i, %u, %ld, %lu, %lld, %f or %%",
      "“\(String(characters[start..<min(position, characters.count)]))” is no specifier")
  }

  private static let symbols = [
    "&&", "||", "==", "!=", "<>", "<=", "=<", ">=", "=>", "**", "<<", ">>",
    "!", "=", "<", ">", "+", "-", "*", "/", "&", "|", "^", "~", "(", ")", "{", "}", "[", "]", ",",
    ".",
  ]

  private mutating func symbol() throws(FilterError) -> FilterToken.Kind {
    for symbol in FilterTokenizer.symbols
    where characters[position...].starts(with: symbol) {
      position += symbol.count
      return .symbol(symbol)
    }
    throw syntax(
      position, expected: "a key, a value or an operator",
      "“\(characters[position])” means nothing in a filter")
  }

  private func syntax(_ position: Int, expected: String, _ found: String) -> FilterError {
    .syntax(position, expected: expected, found: found)
  }
}

extension FilterError {
  /// A mistake in the text: the expected and the found words.
  static func syntax(_ position: Int, expected: String, found: String) -> FilterError {
    FilterError(
      .syntax, position: position, expected: expected,
      message: "Expected \(expected), but \(found).")
  }
}
