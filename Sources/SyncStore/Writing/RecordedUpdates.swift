import SyncCore

/// Updates of rows of one table, in the order in which they were recorded.
///
/// There may be as many as rows, so each takes 32 bytes, and keys, which are mostly numbers, lie
/// beside them.
struct RecordedUpdates {
  struct Update {
    var row: Int64
    var slots: SlotSet
    /// Index of the concrete entity; negative when unknown.
    var entity: Int32
    /// Where the key stands among the keys; negative when unknown.
    fileprivate(set) var key: Int32 = -1

    init(row: Int64, slots: SlotSet, entity: Int?) {
      self.row = row
      self.slots = slots
      self.entity = Int32(entity ?? -1)
    }
  }

  private(set) var list: [Update] = []
  private var keys = ChangeKeys()

  var count: Int { list.count }

  /// The key of an update, when it is known.
  func key(of update: Update) -> Value? {
    update.key < 0 ? nil : keys[Int(update.key)]
  }

  /// The keys of all updates, when all of them are known in the order of the updates.
  var allKeys: ChangeKeys? {
    guard keys.count == list.count else { return nil }
    for index in list.indices where list[index].key != Int32(index) { return nil }
    return keys
  }

  mutating func reserveCapacity(_ count: Int) { list.reserveCapacity(count) }

  /// Adds an update, or lays it over the last one when that is of the same row.
  @inline(__always)
  mutating func add(_ update: Update, key: Value?) {
    guard let last = list.indices.last, list[last].row == update.row else {
      list.append(update)
      if let key { setKey(key, at: list.count - 1) }
      return
    }
    list[last].slots.formUnion(update.slots)
    if update.entity >= 0 { list[last].entity = update.entity }
    if let key { setKey(key, at: last) }
  }

  /// Notes the key of an update.
  mutating func setKey(_ key: Value, at index: Int) {
    guard list[index].key < 0 else { return keys.replace(at: Int(list[index].key), by: key) }
    list[index].key = Int32(keys.count)
    keys.append(key)
  }

  mutating func setEntity(_ entity: Int, at index: Int) { list[index].entity = Int32(entity) }

  mutating func removeAll(where isGone: (Update) -> Bool) { list.removeAll(where: isGone) }

  /// Takes updates from an index on out.
  mutating func removeAll(from index: Int) { list.removeSubrange(index...) }

  /// Joins the updates of each row; the later ones count.
  ///
  /// - Complexity: O(1) where rows were recorded in ascending order, each once; else linear.
  mutating func join(_ token: TransactionToken) throws {
    guard !list.indices.dropFirst().allSatisfy({ list[$0 - 1].row < list[$0].row }) else { return }
    try token.checkpoint()
    let order = RowOrder.ascending(list.map(\.row))
    try token.checkpoint()
    var result: [Update] = []
    for index in order {
      let update = list[Int(index)]
      if let last = result.indices.last, result[last].row == update.row {
        result[last].slots.formUnion(update.slots)
        if update.entity >= 0 { result[last].entity = update.entity }
        if update.key >= 0 { result[last].key = update.key }
      } else {
        result.append(update)
      }
    }
    list = result
  }
}
