import SyncCore

/// Items of a payload that were scanned together, on one tape. Used again and again; confined to whoever has it.
final class ScannedItems {
  /// Where an item stands on the tape and in the payload.
  struct Item: BitwiseCopyable {
    let token: Int
    let start: Int
    let end: Int
  }

  let tape = JSONTape(capacity: 1024)
  let items = PlainArray<Item>()

  /// Where items stand that do not follow the one before them in its list, by their index.
  private(set) var places: [Int: JSONItemPlace] = [:]

  /// Whether no items follow, because the payload ends or what comes is no JSON.
  private(set) var isLast = false

  /// What is wrong behind the items.
  private(set) var failure: (any Error)?

  /// Scans so many bytes of items, the last one as a whole.
  func fill(from reader: inout JSONItemReader, size: Int) {
    tape.removeAll()
    items.removeAll(from: 0)
    places.removeAll(keepingCapacity: true)
    var last: JSONItemPlace?
    let limit = reader.position + size
    do {
      while reader.position < limit {
        let token = tape.count
        guard try reader.next(into: tape, appending: true) else {
          isLast = true
          return
        }
        let range = reader.itemRange
        let place = reader.itemPlace
        if last == nil || place.element < 1 || place.path != last?.path {
          places[items.count] = place
        }
        last = place
        items.append(Item(token: token, start: range.lowerBound, end: range.upperBound))
      }
    } catch {
      failure = error
      isLast = true
    }
  }
}

@available(*, unavailable, message: "Scanned items are confined to whoever has them.")
extension ScannedItems: Sendable {}
