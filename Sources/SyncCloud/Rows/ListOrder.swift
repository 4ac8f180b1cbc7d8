import SyncCore
import SyncStore

/// An ordered to-many relationship of an object.
struct ListKey: Hashable, Comparable {
  /// Index of the root entity of the owner.
  let root: Int
  let owner: Int64
  let field: String

  static func < (left: ListKey, right: ListKey) -> Bool {
    (left.root, left.owner, left.field) < (right.root, right.owner, right.field)
  }
}

/// Puts the members of lists into the order that was last said of them: a list says the names of
/// its members, and those that it leaves out come last, by name. So it is the same everywhere,
/// whichever came first. Confined to the body of a write.
struct ListOrder {
  let transaction: StoreTransaction

  /// Arranges the lists that were touched.
  func arrange(_ writing: CloudWriting) throws {
    let touched = writing.lists.sorted()
    writing.lists = []
    for key in touched {
      let root = EntityDescription(model: writing.model, index: key.root)
      guard let record = try transaction.remoteRecord(of: key.owner, root),
        let entity = writing.model.entity(named: record.entity)
      else { continue }
      let rules = writing.fields.rules(of: entity)
      guard let list = rules.lists[key.field], rules.taken.contains(key.field) else { continue }
      let names = try transaction.remoteList(of: record.name, key.field, in: record.zone) ?? []
      try arrange(list, of: key.owner, entity, as: names)
    }
  }

  /// Arranges the members of an object.
  ///
  /// - Complexity: O(*n* log *n*) in the members.
  func arrange(
    _ list: RelationshipDescription, of owner: Int64, _ entity: EntityDescription,
    as names: [String]
  ) throws {
    let places = Dictionary(
      names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    let members = try members(of: list, owner, entity).map { member in
      (place: places[member.name] ?? .max, name: member.name, row: member.row)
    }
    let arranged = members.sorted {
      ($0.place, $0.name, $0.row) < ($1.place, $1.name, $1.row)
    }
    try transaction.arrange(list, of: entity, owner: owner, as: arranged.map(\.row))
  }

  /// The members of an object in their order, in whatever zone they are; one that is not synced has
  /// no name.
  func members(
    of list: RelationshipDescription, _ owner: Int64, _ entity: EntityDescription
  ) throws -> [(row: Int64, name: String)] {
    let rows = try transaction.members(of: list, in: entity, owners: [owner]).map(\.row)
    let names = try transaction.sharedNames(of: rows, entity.destination(of: list))
    return rows.map { ($0, names[$0]?.name ?? "") }
  }
}
