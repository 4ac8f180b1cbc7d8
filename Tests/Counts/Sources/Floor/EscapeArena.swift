import Foundation

/// Memory for strings whose escapes were undone.
final class EscapeArena {
  private var chunks: [UnsafeMutablePointer<UInt8>] = []
  private var free: UnsafeMutablePointer<UInt8>
  private var available = 0
  let nothing: UnsafeMutablePointer<UInt8>

  init() {
    nothing = .allocate(capacity: 1)
    nothing.initialize(to: 0)
    free = nothing
  }

  deinit {
    for chunk in chunks { chunk.deallocate() }
    nothing.deallocate()
  }

  /// Undoes the escapes of a valid string.
  func unescape(_ start: UnsafePointer<UInt8>, _ count: Int) -> Slot {
    if available < count {
      available = max(count, 1 << 16)
      free = .allocate(capacity: available)
      chunks.append(free)
    }
    let target = free
    var output = free
    var input = start
    let end = start + count
    while input < end {
      guard input.pointee == UInt8(ascii: "\\") else {
        output.pointee = input.pointee
        output += 1
        input += 1
        continue
      }
      switch input[1] {
      case UInt8(ascii: "n"): output.pointee = 0x0A
      case UInt8(ascii: "t"): output.pointee = 0x09
      case UInt8(ascii: "r"): output.pointee = 0x0D
      case UInt8(ascii: "b"): output.pointee = 0x08
      case UInt8(ascii: "f"): output.pointee = 0x0C
      case UInt8(ascii: "u"):
        var scalar = EscapeArena.unit(input + 2)
        input += 4
        if scalar >> 10 == 0x36 {
          scalar = 0x10000 + (scalar & 0x3FF) << 10 + EscapeArena.unit(input + 4) & 0x3FF
          input += 6
        }
        if let scalar = Unicode.Scalar(scalar) {
          for byte in UTF8.encode(scalar).unsafelyUnwrapped {
            output.pointee = byte
            output += 1
          }
        }
        output -= 1
      default: output.pointee = input[1]
      }
      output += 1
      input += 2
    }
    available -= output - target
    free = output
    return .text(target, output - target)
  }

  private static func unit(_ digits: UnsafePointer<UInt8>) -> UInt32 {
    (0..<4).reduce(0) { value, index in
      let byte = digits[index]
      return value << 4 | UInt32(byte <= 0x39 ? byte - 0x30 : (byte | 0x20) - 0x57)
    }
  }
}

@inline(__always)
func memoryIsEqual(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ count: Int) -> Bool {
  memcmp(left, right, count) == 0
}
