import Foundation
import SyncCore

/// The value of a required property without a default in an object that is gone.
extension ValueConvertible {
  /// Nought, the empty text or list, or the first case of an enum; nil for a type of the program's
  /// own that can be made of none of these.
  static var zero: Self? {
    for value in attributeType.zeros {
      if let result = converted(from: value) { return result }
    }
    return firstCase
  }

  /// The first case of an enum with raw values.
  private static var firstCase: Self? {
    guard self is any RawRepresentable.Type, _isPOD(Self.self) else { return nil }
    // A type of at most one byte that is copied as bytes is an enum without payloads, or as good as
    // one: its first case is nought.
    switch MemoryLayout<Self>.size {
    case 0: return unsafeBitCast((), to: Self.self)
    case 1: return unsafeBitCast(UInt8(0), to: Self.self)
    default: return nil
    }
  }
}

extension AttributeType {
  /// The values that may stand for none, the most likely first.
  fileprivate var zeros: [Value] {
    switch self {
    case .integer16, .integer32, .integer64: [.int(0)]
    case .double, .float: [.double(0)]
    case .decimal: [.decimal(0)]
    case .string: [.string("")]
    case .boolean: [.bool(false)]
    case .date: [.date(Date(timeIntervalSinceReferenceDate: 0))]
    case .uuid: [.uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))]
    case .uri: URL(string: "about:blank").map { [.url($0)] } ?? []
    case .binary, .transformable:
      // Codable values are kept as JSON.
      [.data(Data())] + ["[]", "{}", "0", "\"\"", "false"].map { .data(Data($0.utf8)) }
    }
  }
}
