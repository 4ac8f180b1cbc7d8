import SyncCore

/// Keys that the payload refers to without nesting the object, each once. Confined to its batch.
final class StagedReferences {
  /// The cells of the keys, reference after reference.
  let block: RowBlock
  let index: KeyIndex

  /// References of which a stub is made where no object has the key.
  var stubs: Set<Int32> = []

  init(_ node: PlanNode) {
    block = RowBlock(slots: node.identityRange, capacity: 1)
    index = KeyIndex(block: block, identity: node.identity)
  }

  var count: Int { block.count }

  subscript(reference: Int) -> UnsafeMutablePointer<Cell> { block[reference] }
  subscript(reference: Int32) -> UnsafeMutablePointer<Cell> { block[reference] }

  /// The reference to a key; added when it is the first one.
  @inline(never)
  func reference(toKey key: Cell, in slot: Int) -> Int32 {
    let known = index.find(key)
    guard known < 0 else { return known }
    let reference = Int32(block.append())
    block[reference][slot] = key
    _ = index.findOrInsert(reference)
    return reference
  }

  /// Refers to the objects of the key that a row has.
  func add(keyOf cells: UnsafePointer<Cell>, _ identity: [Int]) {
    let reference = block.append()
    for slot in identity { block[reference][slot] = cells[slot] }
    if index.findOrInsert(Int32(reference)) >= 0 { block.removeLast() }
  }
}

@available(*, unavailable, message: "References are confined to their batch.")
extension StagedReferences: Sendable {}
