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

  /// The program that writes what is inside to its output.
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
