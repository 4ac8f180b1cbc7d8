/// The pairs of one link table, in payload order.
final class LinkRows {
  let name: String
  var pairs: [LinkPair] = []

  init(_ name: String) {
    self.name = name
  }
}

/// Two keys of 32 bits in a number that sorts like them.
struct LinkPair: RadixKeyed, Equatable {
  let key: Int64

  @inline(__always)
  init(_ source: Int64, _ target: Int64) {
    key = source << 32 | target & 0xFFFF_FFFF
  }

  var source: Int64 { key >> 32 }
  var target: Int64 { key & 0xFFFF_FFFF }
}
