/// A text that is no JSON at all, told by how it begins.
enum ForeignFormat: CaseIterable {
  case markup
  case table

  /// Bytes that are looked at.
  private static let reach = 4_096

  init?(_ bytes: UnsafeRawBufferPointer) {
    let space: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
    let line = bytes.prefix(ForeignFormat.reach).drop { space.contains($0) || $0 > 0x7F }
      .prefix { $0 != 0x0A && $0 != 0x0D }
    guard let first = line.first else { return nil }
    if first == UInt8(ascii: "<") {
      self = .markup
      return
    }
    // The names of columns: no JSON begins with a word and something that parts it from the next.
    let isWord = first | 0x20 >= UInt8(ascii: "a") && first | 0x20 <= UInt8(ascii: "z")
    guard isWord || first == UInt8(ascii: "\""),
      line.contains(where: { [UInt8(ascii: ","), UInt8(ascii: ";"), 0x09].contains($0) })
    else { return nil }
    self = .table
  }

  var message: String {
    switch self {
    case .markup:
      "This is HTML or XML, no JSON: perhaps the page of a server that refused. Look into it, and ask the server for "
        + "JSON (Accept: application/json)."
    case .table:
      "This looks like a table (CSV), no JSON. Turn its rows into objects first: [{\"name\": …}, …], or an object a line."
    }
  }
}
