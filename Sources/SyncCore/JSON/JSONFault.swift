/// The fault of a scan, before it is put into words.
enum JSONFault {
  case end, value, key, colon, objectSeparator, arraySeparator, trailingComma
  case number, leadingZero, control, escape, encoding, depth, size

  var code: JSONError.Code {
    switch self {
    case .end: .unexpectedEnd
    case .value, .key, .colon, .objectSeparator, .arraySeparator, .trailingComma:
      .unexpectedCharacter
    case .number, .leadingZero: .invalidNumber
    case .control: .controlCharacter
    case .escape: .invalidEscape
    case .encoding: .invalidEncoding
    case .depth: .tooDeep
    case .size: .tooLarge
    }
  }

  /// The sentence for a user. `found` is the byte in words.
  func message(found: String, depthLimit: Int) -> String {
    switch self {
    case .end:
      "The text stops in the middle of a value. It was probably cut off: fetch it again."
    case .value:
      "Expected a value, found \(found). Values are objects, arrays, strings in double quotes, "
        + "numbers, true, false and null."
    case .key:
      "Expected the name of a member in double quotes, found \(found). Quote the name, or remove "
        + "the comma before it."
    case .colon:
      "Expected a colon after the name of the member, found \(found)."
    case .objectSeparator:
      "Expected a comma or “}” after the member, found \(found)."
    case .arraySeparator:
      "Expected a comma or “]” after the element, found \(found)."
    case .trailingComma:
      "A comma stands before the closing bracket. Remove it, or read with "
        + "`allowsTrailingCommas`."
    case .number:
      "Expected a digit, found \(found). A number has digits on both sides of its point and in its "
        + "exponent."
    case .leadingZero:
      "A number must not begin with a needless zero. Remove the zero, or send the number as a string."
    case .control:
      "A control character (\(found)) stands in a string. Write it as an escape such as \\n."
    case .escape:
      "There is no such escape. Write a backslash in a string as \\\\."
    case .encoding:
      "The bytes are not UTF-8 (\(found)). Encode the text as UTF-8."
    case .depth:
      "Arrays and objects nest deeper than \(depthLimit) levels. \(JSONError.depthAdvice)"
    case .size:
      "A string is larger than 4 GB, or one item has too many values. Split it."
    }
  }
}

extension JSONScanner {
  /// Puts a fault into words.
  func error(_ fault: JSONFault, at offset: Int, tape: JSONTape, open: Int) -> JSONError {
    JSONError(
      fault.code, in: bytes, at: offset, path: "$" + tape.openPath(from: open),
      message: fault.message(found: JSONScanner.byteInWords(bytes, offset), depthLimit: depthLimit))
  }

  static func byteInWords(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> String {
    guard offset < bytes.count else { return "the end of the text" }
    let byte = bytes[offset]
    if byte > 0x20 && byte < 0x7F { return "“\(Character(Unicode.Scalar(byte)))”" }
    let digits = String(byte, radix: 16, uppercase: true)
    return "byte 0x" + (digits.utf8.count == 1 ? "0" : "") + digits
  }
}

extension JSONTape {
  /// The path to the place where a scan stopped, from the value it was to read.
  ///
  /// While a container is open, `next` of its token is the index of the one around it.
  func openPath(from innermost: Int) -> String {
    var chain: [Int] = []
    var index = innermost
    while index >= 0 {
      chain.append(index)
      index = Int(tokens[index].next)
    }
    chain.reverse()
    var steps: [String] = []
    for (position, container) in chain.enumerated() {
      let inner = position + 1 < chain.count ? chain[position + 1] : nil
      if tokens[container].kind == .array {
        steps.append("[\(tokens[container].count)]")
      } else if let key = inner.map({ $0 - 1 }) ?? pendingKey(of: container) {
        steps.append(JSONPath.text(ofKey: string(key)))
      }
    }
    // Where hundreds of arrays nest, the beginning and the end of the way are enough.
    guard steps.count > 32 else { return steps.joined() }
    return steps.prefix(20).joined() + "…" + steps.suffix(4).joined()
  }

  /// The key whose value had not been read to its end, in an object that holds no open container.
  private func pendingKey(of object: Int) -> Int? {
    var key = object + 1
    while key + 1 < count { key = Int(tokens[key + 1].next) }
    return key < count ? key : nil
  }
}

extension JSONError {
  /// Advice when a document nests deeper than its reader goes.
  package static let depthAdvice = "Raise `maximumDepth` if that is what the document needs."
}
