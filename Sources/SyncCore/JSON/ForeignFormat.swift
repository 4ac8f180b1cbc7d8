/// A format of compressed bytes, told by how they begin.
enum CompressedFormat: String, CaseIterable {
  case gzip
  case zstd
  case zip
  case bzip2
  case xz

  init?(_ bytes: UnsafeRawBufferPointer) {
    guard let format = CompressedFormat.allCases.first(where: { bytes.starts(with: $0.signature) })
    else { return nil }
    self = format
  }

  private var signature: [UInt8] {
    switch self {
    case .gzip: [0x1F, 0x8B]
    case .zstd: [0x28, 0xB5, 0x2F, 0xFD]
    case .zip: [0x50, 0x4B, 0x03, 0x04]
    case .bzip2: [0x42, 0x5A, 0x68]
    case .xz: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]
    }
  }

  /// The program that writes the content to its output.
  var reader: String {
    switch self {
    case .gzip: "gunzip -c"
    case .zstd: "zstd -dc"
    case .zip: "unzip -p"
    case .bzip2: "bunzip2 -c"
    case .xz: "xz -dc"
    }
  }
}

/// The kind of a text that could not be read as JSON, told by its beginning.
///
/// A text that is JSON may begin in the same way (`null` and a tab), so it is asked by errors only.
enum ForeignFormat: CaseIterable {
  case markup
  case table

  /// Bytes that are looked at.
  private static let reach = 4_096

  /// - Parameter fault: Where reading failed; behind the first line nothing is guessed.
  init?(_ bytes: UnsafeRawBufferPointer, failedAt fault: Int) {
    let space: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
    let line = bytes.prefix(ForeignFormat.reach).drop { space.contains($0) || $0 > 0x7F }
      .prefix { $0 != 0x0A && $0 != 0x0D }
    guard let first = line.first, fault <= line.endIndex else { return nil }
    if first == UInt8(ascii: "<") {
      self = .markup
    } else if Self.isHeader(line, first) {
      self = .table
    } else {
      return nil
    }
  }

  /// Whether a line is one of the names of columns: a word and something that parts it from the
  /// next, or a quoted word with it right behind.
  private static func isHeader(_ line: Slice<UnsafeRawBufferPointer>, _ first: UInt8) -> Bool {
    let separators: Set<UInt8> = [UInt8(ascii: ","), UInt8(ascii: ";"), 0x09]
    let quote = UInt8(ascii: "\"")
    if first == quote {
      let rest = line.dropFirst().drop { $0 != quote }.dropFirst().drop { $0 == 0x20 }
      return rest.first.map(separators.contains) ?? false
    }
    let isWord = first | 0x20 >= UInt8(ascii: "a") && first | 0x20 <= UInt8(ascii: "z")
    return isWord && line.contains(where: separators.contains)
  }

  var message: String {
    switch self {
    case .markup:
      "This is HTML or XML, no JSON: perhaps the page of a server that refused. Look into it, and ask the server for "
        + "JSON (Accept: application/json)."
    case .table:
      "This looks like a table (CSV), no JSON. Read it as one: .csv(…) in a program, --format csv on the command line."
    }
  }
}
