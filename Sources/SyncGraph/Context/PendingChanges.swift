/// The unsaved objects of a context, in the order in which they came to be so. Holds them strongly.
///
/// Flags of an object say whether it is inserted, updated or deleted; the lists may still hold
/// objects that no longer are, and pass over them.
struct PendingChanges {
  private var insertedList: [ManagedObject] = []
  private var updatedList: [ManagedObject] = []
  private var deletedList: [ManagedObject] = []
  private(set) var insertedCount = 0
  private(set) var updatedCount = 0
  private(set) var deletedCount = 0

  /// Grows whenever an object becomes inserted, updated or deleted.
  private(set) var additions = 0

  var isEmpty: Bool { insertedCount + updatedCount + deletedCount == 0 }
  var count: Int { insertedCount + updatedCount + deletedCount }

  var inserted: [ManagedObject] { Self.current(.inserted, in: insertedList, insertedCount) }
  var updated: [ManagedObject] { Self.current(.updated, in: updatedList, updatedCount) }
  var deleted: [ManagedObject] { Self.current(.deleted, in: deletedList, deletedCount) }

  /// All of them, inserted ones first, then updated and deleted ones.
  var all: [ManagedObject] { [inserted, updated, deleted].joinedLists }

  /// The objects of a list that have its flag. Each stands there once, so when as many have it, all
  /// do.
  private static func current(
    _ flag: ObjectFlags, in list: [ManagedObject], _ count: Int
  ) -> [ManagedObject] {
    list.count == count ? list : list.filter { $0.flags.contains(flag) }
  }

  /// Whether something holds of one of the objects.
  func contains(where predicate: (ManagedObject) -> Bool) -> Bool {
    let flags: ObjectFlags = [.inserted, .updated, .deleted]
    return [insertedList, updatedList, deletedList].contains { list in
      list.contains { !$0.flags.isDisjoint(with: flags) && predicate($0) }
    }
  }

  mutating func setInserted(_ object: ManagedObject, _ newValue: Bool) {
    guard object.flags.contains(.inserted) != newValue else { return }
    insertedCount += newValue ? 1 : -1
    additions += newValue ? 1 : 0
    Self.set(.inserted, listed: .listedInserted, of: object, newValue, &insertedList)
  }

  mutating func setUpdated(_ object: ManagedObject, _ newValue: Bool) {
    guard object.flags.contains(.updated) != newValue else { return }
    updatedCount += newValue ? 1 : -1
    additions += newValue ? 1 : 0
    Self.set(.updated, listed: .listedUpdated, of: object, newValue, &updatedList)
  }

  mutating func setDeleted(_ object: ManagedObject, _ newValue: Bool) {
    guard object.flags.contains(.deleted) != newValue else { return }
    deletedCount += newValue ? 1 : -1
    additions += newValue ? 1 : 0
    Self.set(.deleted, listed: .listedDeleted, of: object, newValue, &deletedList)
  }

  private static func set(
    _ flag: ObjectFlags, listed: ObjectFlags, of object: ManagedObject, _ newValue: Bool,
    _ list: inout [ManagedObject]
  ) {
    guard newValue else {
      object.flags.remove(flag)
      return
    }
    object.flags.insert(flag)
    if object.flags.insert(listed).inserted { list.append(object) }
  }

  /// Forgets everything; the flags of the objects too.
  mutating func removeAll() {
    let flags: ObjectFlags = [
      .inserted, .updated, .deleted, .listedInserted, .listedUpdated, .listedDeleted,
    ]
    for list in [insertedList, updatedList, deletedList] {
      for object in list { object.flags.subtract(flags) }
    }
    (insertedList, updatedList, deletedList) = ([], [], [])
    (insertedCount, updatedCount, deletedCount) = (0, 0, 0)
  }
}

extension [[ManagedObject]] {
  /// The objects of all lists, one list after the other: the list itself where only one has any.
  var joinedLists: [ManagedObject] {
    let filled = filter { !$0.isEmpty }
    return filled.count == 1 ? filled[0] : filled.flatMap { $0 }
  }
}
