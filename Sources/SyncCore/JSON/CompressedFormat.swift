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
