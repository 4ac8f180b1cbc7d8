import SyncCore

/// The objects of a context by identifier: one for each.
///
/// The table holds its objects, and lets go of those that are not held elsewhere when it is swept:
/// at the end of blocks, and when it has doubled. Weak references would free them a little earlier,
/// but an object that was ever referenced weakly pays for it with every retain and release
/// afterwards: the count moves to a side table, and reading two values of 100,000 objects took
/// twice as long. So an object lives through the block in which it was last used, which also saves
/// walks over relationships from reading the same rows again.
struct IdentityTable {
  /// By index of the root entity.
  private let families: [IdentityMap<ManagedObject>]

  /// How many objects there are.
  private(set) var count = 0

  /// How many came since the last sweep, and how many stayed then.
  private var added = 0
  private var kept = 0
  private var blocks = 0

  init(entityCount: Int) {
    families = (0..<entityCount).map { _ in IdentityMap() }
  }

  /// The object of a row, if it is there.
  func object(root: Int, row: Int64) -> ManagedObject? {
    families[root].object(row)
  }

  /// Puts an object in under its identifier.
  mutating func insert(_ object: ManagedObject) {
    guard families[object.root].insert(object, row: object.rowNumber) else { return }
    count += 1
    added += 1
  }

  mutating func remove(root: Int, row: Int64) {
    if families[root].remove(row) != nil { count -= 1 }
  }

  /// Makes room for objects that are about to come.
  mutating func reserve(_ count: Int, root: Int) {
    if count > 256 { families[root].reserve(count) }
  }

  /// How many objects there are of a root entity.
  func count(root: Int) -> Int { families[root].count }

  /// The objects of a root entity, in no order.
  ///
  /// - Complexity: O(*n*).
  func objects(root: Int) -> [ManagedObject] {
    var result: [ManagedObject] = []
    result.reserveCapacity(families[root].count)
    families[root].visit { result.append($0) }
    return result
  }

  /// All objects, in no order.
  ///
  /// - Complexity: O(*n*).
  var objects: [ManagedObject] { families.indices.flatMap(objects(root:)) }

  mutating func removeAll() {
    self = IdentityTable(entityCount: families.count)
  }

  // MARK: - Sweeping

  /// Notes that so many objects, held until now, may not be any more.
  mutating func noteReleased(_ count: Int) {
    added += count
  }

  /// Whether to sweep at the end of a block: there is little to look at, much of it is new, or it
  /// was put off long enough.
  mutating func isSweepDue() -> Bool {
    blocks += 1
    guard count > 0 else { return false }
    return blocks >= 64 || added > 0 && (count < 1024 || added >= count / 8)
  }

  /// Whether so much came that it has to be looked through even inside a block.
  var isSweepOverdue: Bool { added > 16_384 && added > kept }

  /// Takes out the objects that are not held elsewhere. When they are freed, others may be in that
  /// state.
  ///
  /// - Returns: the objects, to be freed when the table is not in use any more: they may run code
  ///   of their own then.
  /// - Complexity: O(*n*).
  mutating func removeUnheld() -> [ManagedObject] {
    (added, kept, blocks) = (0, 0, 0)
    var unheld: [ManagedObject] = []
    for family in families where family.count > 0 {
      let found = family.removeUnheld()
      if unheld.isEmpty { unheld = found } else { unheld += found }
    }
    count -= unheld.count
    kept = count
    return unheld
  }
}
