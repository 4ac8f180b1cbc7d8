import SyncCore

/// The objects of a context by identifier: one for each, as long as somebody holds it.
///
/// Held weakly here. Objects with unsaved changes are held strongly by `PendingChanges`.
struct IdentityTable {
  private struct Entry {
    weak var object: ManagedObject?
  }

  /// The objects of one root entity.
  private struct Family {
    var entries: [Int64: Entry] = [:]
    var sweepAt = 1024
  }

  /// By index of the root entity.
  private var families: [Family]

  init(entityCount: Int) {
    families = Array(repeating: Family(), count: entityCount)
  }

  /// The object of a row, if somebody holds it.
  func object(root: Int, row: Int64) -> ManagedObject? {
    families[root].entries[row]?.object
  }

  /// Puts an object in under its identifier.
  ///
  /// - Complexity: O(1), amortised: entries of objects that are gone are swept out now and then.
  mutating func insert(_ object: ManagedObject) {
    let root = object.identifier.entity.rootIndex
    if families[root].entries.count >= families[root].sweepAt {
      families[root].entries = families[root].entries.filter { $0.value.object != nil }
      families[root].sweepAt = max(1024, families[root].entries.count * 2)
    }
    families[root].entries[object.identifier.row] = Entry(object: object)
  }

  mutating func remove(root: Int, row: Int64) {
    families[root].entries[row] = nil
  }

  /// Makes room for objects that are about to come.
  mutating func reserve(_ count: Int, root: Int) {
    guard count > 256 else { return }
    let total = families[root].entries.count + count
    families[root].entries.reserveCapacity(total)
    families[root].sweepAt = max(families[root].sweepAt, total)
  }

  /// How many entries there are at most for a root entity.
  func count(root: Int) -> Int { families[root].entries.count }

  /// The objects of a root entity that somebody holds, in no order.
  ///
  /// - Complexity: O(*n*).
  func objects(root: Int) -> [ManagedObject] {
    families[root].entries.values.compactMap(\.object)
  }

  /// All objects that somebody holds, in no order.
  ///
  /// - Complexity: O(*n*).
  var objects: [ManagedObject] {
    families.flatMap { $0.entries.values.compactMap(\.object) }
  }

  mutating func removeAll() {
    families = Array(repeating: Family(), count: families.count)
  }
}
