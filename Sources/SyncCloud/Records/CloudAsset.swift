public import Foundation
import SyncCore

/// Identifies a file: the hash of its bytes and how many there are.
///
/// A binary attribute with `cloud.asset` holds ``placeholder`` in the place of bytes that are not
/// here, a text attribute always the name of the file. So the row identifies the file, whether or
/// not the bytes are here, and an empty attribute is always an edit.
public struct CloudAsset: Sendable, Hashable {
  /// SHA-256 of the bytes, 64 digits.
  public let hash: String

  /// How many bytes there are.
  public let size: Int64

  init?(hash: String, size: Int64) {
    guard (0...1 << 50).contains(size), hash.utf8.count == 64, hash.utf8.allSatisfy(\.isHexadecimal)
    else {
      return nil
    }
    self.hash = hash
    self.size = size
  }

  /// - Complexity: Linear in the bytes.
  init(of data: Data) {
    var hash = SHA256()
    data.withUnsafeBytes { hash.update($0) }
    self.hash = hash.finish()
    size = Int64(data.count)
  }

  // MARK: - Binary attributes

  static let mark = Data("SyncStack asset\n".utf8)

  /// Reads the value that a binary attribute has while its bytes are not here; nil for any other
  /// bytes.
  public init?(placeholder: Data) {
    guard placeholder.count == Self.placeholderSize, placeholder.starts(with: Self.mark) else {
      return nil
    }
    let bytes = placeholder.dropFirst(Self.mark.count)
    self.init(
      hash: bytes.prefix(32).map { UInt8($0).hexadecimal }.joined(),
      size: bytes.suffix(8).reduce(0) { $0 << 8 | Int64($1) })
  }

  /// The value that a binary attribute has while its bytes are not here.
  public var placeholder: Data {
    var data = Self.mark
    var digits = hash[...]
    while !digits.isEmpty {
      data.append(UInt8(digits.prefix(2), radix: 16) ?? 0)
      digits = digits.dropFirst(2)
    }
    for shift in stride(from: 56, through: 0, by: -8) {
      data.append(UInt8(truncatingIfNeeded: size >> Int64(shift)))
    }
    return data
  }

  static let placeholderSize = 56
  // MARK: - Text attributes

  /// Reads the name of a file in the folder; nil for texts of any other kind.
  public init?(fileName: String) {
    let parts = fileName.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let numbers = parts[0].split(separator: "-", omittingEmptySubsequences: false)
    guard numbers.count == 2, numbers[1].utf8.allSatisfy({ (48...57).contains($0) }),
      let size = Int64(numbers[1]), parts.count == 1 || Self.isExtension(parts[1])
    else { return nil }
    self.init(hash: String(numbers[0]), size: size)
  }

  /// The name of its file in the folder of an engine.
  func fileName(_ pathExtension: String = "") -> String {
    let name = "\(hash)-\(size)"
    return Self.isExtension(pathExtension) ? "\(name).\(pathExtension)" : name
  }

  private static func isExtension(_ text: some StringProtocol) -> Bool {
    (1...16).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        (48...57).contains(byte) || (97...122).contains(byte | 0x20)
      }
  }

  // MARK: - Records

  /// Reads a member of a record: `["a", hash, size]`, or the name of a file.
  init?(_ json: JSONValue) {
    if let name = json.stringValue {
      self.init(fileName: name)
      return
    }
    guard case .array(let parts) = json, parts.count == 3, parts[0].stringValue == "a",
      let hash = parts[1].stringValue, let size = parts[2].integerValue
    else { return nil }
    self.init(hash: hash, size: size)
  }

  /// The member of a record for a binary attribute.
  var json: JSONValue { .array([.string("a"), .string(hash), .integer(size)]) }
}

/// When the bytes of an attribute come here.
enum AssetRule: String, Sendable {
  /// With each pull.
  case eager
  /// When the program asks for them.
  case onDemand
}

extension UInt8 {
  fileprivate var isHexadecimal: Bool { (48...57).contains(self) || (97...102).contains(self) }

  fileprivate var hexadecimal: String {
    (self < 16 ? "0" : "") + String(self, radix: 16)
  }
}
