import SyncCore

/// When objects were mentioned, and when each of their slots was given last: kept where objects may be mentioned under
/// another entity too. Confined to its batch.
final class MentionOrders {
  private let first = PlainArray<UInt32>()
  /// When slots were given again, by occurrence; 0 where they were not.
  private var later: [Int32: [UInt32]] = [:]

  /// Notes when the next occurrence was mentioned.
  func append(_ order: UInt32) { first.append(order) }

  /// Notes that an occurrence was given slots again.
  func note(_ order: UInt32, of slots: some Sequence<Int>, _ occurrence: Int32, width: Int) {
    for slot in slots {
      later[occurrence, default: Array(repeating: 0, count: width)][slot] = order
    }
  }

  /// When an occurrence gave a slot last.
  func order(of slot: Int, _ occurrence: Int32) -> UInt32 {
    if let later = later[occurrence]?[slot], later > 0 { return later }
    return first[occurrence]
  }
}

@available(*, unavailable, message: "Orders are confined to their batch.")
extension MentionOrders: Sendable {}
