import SyncCore

/// The owners of mentions, as occurrences of their batch, in payload order.
///
/// Where every object gives the relationship they follow each other, and nothing is kept of them but the first and how
/// many they are: a list of them is made when one comes that does not follow. Confined to the sync that owns them.
final class MentionOwners: RandomAccessCollection {
  private(set) var count = 0
  private var first: Int32 = 0
  private var areConsecutive = true
  private let listed = PlainArray<Int32>(capacity: 1)

  var startIndex: Int { 0 }
  var endIndex: Int { count }

  @inline(__always)
  subscript(index: Int) -> Int32 {
    areConsecutive ? first &+ Int32(truncatingIfNeeded: index) : listed[index]
  }

  /// - Complexity: O(1), amortised.
  @inline(__always)
  func append(_ owner: Int32) {
    if areConsecutive {
      if count == 0 { first = owner }
      if owner != first &+ Int32(truncatingIfNeeded: count) { list() }
    }
    if !areConsecutive { listed.append(owner) }
    count += 1
  }

  /// Sets memory aside for so many owners, if they are listed.
  func reserve(_ count: Int) {
    if !areConsecutive { listed.reserve(count) }
  }

  @inline(never)
  private func list() {
    for index in 0..<count { listed.append(self[index]) }
    areConsecutive = false
  }
}

@available(*, unavailable, message: "Owners are confined to the sync that has them.")
extension MentionOwners: Sendable {}
