package import Foundation

/// Memory for texts and bytes that cells point to and that do not stand in the payload as they are:
/// strings with escapes, canonical decimals, encoded values.
///
/// Chunks never move, so addresses stay valid as long as the arena lives. Confined to its owner.
package final class CellArena {
  private var chunks: [UnsafeMutableRawBufferPointer] = []

  /// The rest of the latest chunk.
  private var free: UnsafeMutableRawPointer?
  private var freeCount = 0

  package init() {}

  deinit {
    for chunk in chunks { chunk.deallocate() }
  }

  /// Reserves memory that stays where it is.
  package func allocate(_ count: Int) -> UnsafeMutableRawBufferPointer {
    if freeCount < count {
      // A quarter of all that was asked for so far, so that many small requests stay cheap and one
      // large one does not waste memory.
      let size = Swift.max(count, Swift.min(1 << 20, Swift.max(4096, byteCount / 4)))
      let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
      chunks.append(chunk)
      byteCount += size
      (free, freeCount) = (chunk.baseAddress, size)
    }
    let result = UnsafeMutableRawBufferPointer(start: free, count: count)
    free = free.map { $0 + count }
    freeCount -= count
    return result
  }

  /// All memory held, in bytes.
  package private(set) var byteCount = 0

  /// Copies bytes into the arena.
  package func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let target = allocate(bytes.count)
    target.copyMemory(from: bytes)
    return UnsafeRawBufferPointer(target)
  }

  /// Copies text into the arena, as UTF-8.
  package func text(_ string: String) -> Cell {
    var string = string
    return string.withUTF8 { .text(copy(UnsafeRawBufferPointer($0))) }
  }

  /// Copies bytes into the arena.
  package func blob(_ data: Data) -> Cell {
    data.withUnsafeBytes { .blob(copy($0)) }
  }

  /// The stored form of a value of an attribute type; a nil type is a reference.
  package func cell(_ value: Value, as type: AttributeType?) -> Cell {
    type == .transformable && !value.isNull ? blob(value.archive) : cell(value)
  }

  /// The stored form of a value, except in a transformable attribute.
  package func cell(_ value: Value) -> Cell {
    switch value {
    case .null: .null
    case .bool(let value): .integer(value ? 1 : 0)
    case .int(let value): .integer(value)
    case .double(let value): .real(value)
    case .decimal(let value): text(value.canonicalText)
    case .string(let value): text(value)
    case .data(let value): blob(value)
    case .date(let value): .real(value.timeIntervalSinceReferenceDate)
    case .uuid(let value): text(value.uuidString)
    case .url(let value): text(value.absoluteString)
    }
  }
}

@available(*, unavailable, message: "An arena is confined to the batch that owns it.")
extension CellArena: Sendable {}

extension Decimal {
  /// Plain digits with a point, no exponent, no needless zeros: equal decimals, equal text.
  package var canonicalText: String {
    // `description` writes plain digits already and trims neither sign nor zeros of its own making.
    let text = description
    guard text.utf8.contains(UInt8(ascii: ".")) else { return text == "-0" ? "0" : text }
    var digits = Substring(text)
    while digits.utf8.last == UInt8(ascii: "0") { digits.removeLast() }
    if digits.utf8.last == UInt8(ascii: ".") { digits.removeLast() }
    return digits == "-0" ? "0" : String(digits)
  }
}
