import SyncCore
import SyncStore

/// Finds lists that were given another order here: the history names the objects whose lists
/// changed, not how, so members are compared with the order that was last said.
struct ListDrain: WritingPart {
  let writing: CloudWriting

  /// The stamp of the latest change of a list; none of objects that came.
  private(set) var lists: [ListKey: String?] = [:]

  /// Notes an object that came, or whose properties changed.
  ///
  /// - Parameter properties: nil for one that came.
  mutating func note(
    _ row: Int64, _ entity: EntityDescription, _ properties: [String]?, _ stamp: Stamp
  ) {
    guard writing.fields.hasLists else { return }
    for field in writing.fields.rules(of: entity).lists.keys {
      let key = ListKey(root: entity.rootIndex, owner: row, field: field)
      guard let properties else {
        lists[key] = .some(nil)
        continue
      }
      if properties.contains(field) { lists[key] = stamp.text }
    }
  }

  /// Compares, once all objects that came have records.
  func run() throws {
    for (key, stamp) in lists.inKeyOrder { try compare(key, stamp) }
  }

  /// Keeps the orders of lists whose order was never said, as they are.
  func enrol() throws {
    guard writing.fields.hasLists else { return }
    for entity in transaction.model.entities {
      let fields = writing.fields.rules(of: entity).lists.keys.sorted()
      guard !fields.isEmpty else { continue }
      for owner in try transaction.objects(of: entity) {
        for field in fields {
          try compare(ListKey(root: entity.rootIndex, owner: owner.row, field: field), nil)
        }
      }
    }
  }

  /// Says the order of a list that is another one than was last said.
  ///
  /// - Parameter stamp: Nil says one where none was said.
  func compare(_ key: ListKey, _ stamp: String?) throws {
    let root = EntityDescription(model: transaction.model, index: key.root)
    guard var record = try transaction.remoteRecord(of: key.owner, root),
      let entity = transaction.model.entity(named: record.entity)
    else { return }
    let rules = writing.fields.rules(of: entity)
    guard let list = rules.lists[key.field] else { return }
    let said = try transaction.remoteList(of: record.name, key.field, in: record.zone)
    let current = try ListOrder(transaction: transaction).members(of: list, key.owner, entity)
      .map(\.name).filter { !$0.isEmpty }
    let members = Set(current)
    if let stamp {
      guard rules.sent.contains(key.field), current != (said ?? []).filter(members.contains) else {
        return
      }
      record.edit(key.field, stamp)
      try transaction.setRemoteRecord(record)
    } else {
      guard said == nil, !current.isEmpty else { return }
      // The new object was taken for one without members (`Drain`), before its list was read.
      if record.stamps[key.field].flatMap(Stamp.init)?.milliseconds == 0 {
        record.stamps[key.field] = nil
        try transaction.setRemoteRecord(record)
      }
    }
    try transaction.setRemoteList(
      try including(absent: said ?? [], in: current, members), of: record.name, key.field,
      in: record.zone)
  }

  /// Leaves members that are not here, and may come, behind those behind which they were.
  private func including(
    absent said: [String], in current: [String], _ members: Set<String>
  ) throws -> [String] {
    var first: [String] = []
    var followers: [String: [String]] = [:]
    var last: String?
    for name in said {
      if members.contains(name) {
        last = name
        continue
      }
      let known = try transaction.remoteRecords(named: name)
      guard known.allSatisfy({ $0.isEvicted || $0.hasLeft }) else { continue }
      if let last { followers[last, default: []].append(name) } else { first.append(name) }
    }
    return first + current.flatMap { [$0] + (followers[$0] ?? []) }
  }
}
