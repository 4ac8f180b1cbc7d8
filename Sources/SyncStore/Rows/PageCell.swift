import Foundation
import SyncCore

/// One value of a ``RowPage`` in 16 bytes: a number, or its place in the page's bytes, and its
/// kind. A cell says all that is needed to read it, so the layout is not asked again.
struct PageCell: BitwiseCopyable {
  enum Kind: UInt8, BitwiseCopyable {
    case null
    case integer
    case boolean
    case real
    case date
    case string
    case decimal
    case uuid
    case url
    case data
    case archive
  }

  /// The number, or the offset of the first byte.
  var word: UInt64
  var length: UInt32
  var kind: Kind

  static var null: PageCell { PageCell(word: 0, length: 0, kind: .null) }

  var isNull: Bool { kind == .null }
  var integer: Int64 { Int64(bitPattern: word) }
  var real: Double { Double(bitPattern: word) }
}

extension PageCell.Kind {
  /// The kind of the values of a type; a nil type is a reference.
  @inline(__always)
  init(_ type: AttributeType?) {
    switch type {
    case nil, .integer16, .integer32, .integer64: self = .integer
    case .boolean: self = .boolean
    case .double, .float: self = .real
    case .date: self = .date
    case .string: self = .string
    case .decimal: self = .decimal
    case .uuid: self = .uuid
    case .uri: self = .url
    case .binary: self = .data
    case .transformable: self = .archive
    }
  }
}
