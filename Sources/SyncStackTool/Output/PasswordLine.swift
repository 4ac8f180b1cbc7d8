/// A line that is typed key by key, with the keys that correct it.
struct PasswordLine {
  private var bytes: [UInt8] = []
  private(set) var isComplete = false

  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Takes a key.
  ///
  /// - Throws: `CancellationError` for Ctrl-C, and for Ctrl-D in an empty line.
  mutating func type(_ byte: UInt8) throws(CancellationError) {
    switch byte {
    case 0x0A, 0x0D: isComplete = true
    case 0x03: throw CancellationError()
    case 0x04:
      if bytes.isEmpty { throw CancellationError() }
      isComplete = true
    // Backspace takes a whole character, whatever its bytes.
    case 0x08, 0x7F: bytes = Array(String(text.dropLast()).utf8)
    case 0x15: bytes = []
    default: bytes.append(byte)
    }
  }
}
