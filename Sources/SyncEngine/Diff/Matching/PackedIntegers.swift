import Foundation
import SyncCore

/// Integers as eight bytes each, for states with many of them: as numbers in a text a hundred thousand
/// would take a tenth of a second to keep.
struct PackedIntegers: Codable, Sendable {
  private let data: Data

  init(_ values: some Collection<Int64>) {
    var data = Data(capacity: values.count * 8)
    for value in values {
      withUnsafeBytes(of: value.littleEndian) { data.append(contentsOf: $0) }
    }
    self.data = data
  }

  var values: [Int64] {
    data.withUnsafeBytes { bytes in
      (0..<bytes.count / 8).map {
        Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * 8, as: Int64.self))
      }
    }
  }

  init(from decoder: any Decoder) throws {
    data = try KeptPieces.decode(from: decoder)
  }

  func encode(to encoder: any Encoder) throws {
    try KeptPieces.encode(data, to: encoder)
  }
}
