import SyncCore

/// The keys of objects that a part of a payload says are deleted. What comes later for a key counts, be it a tombstone or
/// the object. Confined to its batch.
final class Tombstones {
  private let identity: [Int]
  private let block: RowBlock
  private let index: KeyIndex
  /// In whose lists the tombstones of each key stand, nil for none; empty where the object came again.
  private var owners: [[Owner?]] = []

  init(identity: [Int], slots: Range<Int>) {
    self.identity = identity
    block = RowBlock(slots: slots, capacity: 1)
    index = KeyIndex(block: block, identity: identity)
  }

  var isEmpty: Bool { owners.isEmpty }

  func add(_ cells: UnsafePointer<Cell>, of owner: Owner?) {
    let row = block.append()
    for slot in identity { block[row][slot] = cells[slot] }
    let known = index.findOrInsert(Int32(row))
    if known >= 0 {
      block.removeLast()
      owners[Int(known)].append(owner)
    } else {
      owners.append([owner])
    }
  }

  /// Takes back what was said of the object of a key.
  func revoke(_ cells: UnsafePointer<Cell>) {
    let known = index.find(identityOf: cells)
    if known >= 0 { owners[Int(known)] = [] }
  }

  /// What the objects have in a slot of their identity.
  func keys(in slot: Int) -> [Cell] {
    owners.indices.filter { !owners[$0].isEmpty }.map { block[$0][slot] }
  }

  /// In whose lists the tombstones of a key stand.
  func owners(of cell: (Int) -> Cell) -> [Owner?] {
    let known = index.find(cell)
    return known < 0 ? [] : owners[Int(known)]
  }
}

@available(*, unavailable, message: "Tombstones are confined to their batch.")
extension Tombstones: Sendable {}
