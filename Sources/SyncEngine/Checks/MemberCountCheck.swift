import SyncCore
import SyncStore

/// Checks once, at the end of a transaction, over the touched objects, that relationships have as
/// many members as the model demands, and that required ones lead to an object. Lists of several
/// items, to-one references of members and deletions come together there, so no item is to blame:
/// the sync fails.
///
/// ``ItemCheck`` has found limits that a single list of an item breaks.
struct MemberCountCheck {
  private let model: ManagedObjectModel

  init(_ model: ManagedObjectModel) {
    self.model = model
  }

  /// - Throws: ``SyncError`` that names the object.
  func run(_ transaction: StoreTransaction) throws {
    for (index, slot) in model.limitedRelationships {
      let entity = EntityDescription(model: model, index: index)
      guard let relationship = entity.properties[slot].relationship else { continue }
      if let limits = relationship.memberLimits {
        try checkCount(of: relationship, in: entity, limits, transaction)
      } else {
        try checkReference(relationship, in: entity, transaction)
      }
    }
  }

  private func checkCount(
    of relationship: RelationshipDescription, in entity: EntityDescription, _ limits: MemberLimits,
    _ transaction: StoreTransaction
  ) throws {
    let owners = transaction.touchedRows(of: entity, slots: [relationship.slot])
    guard !owners.isEmpty else { return }
    var wrong: [Int64: Int] = [:]
    var empty = Set(owners)
    try transaction.countMembers(of: relationship, in: entity, owners: owners) { owner, count in
      empty.remove(owner)
      if !limits.allows(count) { wrong[owner] = count }
    }
    if !limits.allows(0) { for owner in empty { wrong[owner] = 0 } }
    guard !wrong.isEmpty else { return }
    // Some may be gone, or relatives without the relationship.
    var first: (row: Int64, key: String)?
    try transaction.scan(entity, .rows(wrong.keys.sorted())) { cursor in
      guard first.map({ cursor.row < $0.row }) ?? true else { return }
      first = (cursor.row, MemberCountCheck.key(cursor))
    }
    guard let first, let count = wrong[first.row] else { return }
    throw MemberCountCheck.error(entity, relationship, key: first.key, count: count, limits)
  }

  /// New objects were checked before they were written; one that lost its destination was not.
  private func checkReference(
    _ relationship: RelationshipDescription, in entity: EntityDescription,
    _ transaction: StoreTransaction
  ) throws {
    guard let first = try transaction.emptied(relationship, in: entity, withNew: false) else {
      return
    }
    let name = relationship.name
    let key = first.key?.description ?? "in row \(first.id.row)"
    throw SyncError(
      .requiredValueMissing, entity: entity.name, property: name, key: key,
      message: """
        “\(name)” of \(entity.name) \(key) is required, and the object it leads to would go. Send \
        another one, or make “\(name)” optional.
        """)
  }

  private static func key(_ cursor: RowCursor) -> String {
    cursor.entity.primaryKey.map { cursor.value($0.slot).description } ?? "in row \(cursor.row)"
  }

  static func error(
    _ entity: EntityDescription, _ relationship: RelationshipDescription, key: String, count: Int,
    _ limits: MemberLimits
  ) -> SyncError {
    let isTooFew = count < limits.minimum
    return SyncError(
      .invalidMemberCount, entity: entity.name, property: relationship.name, key: key,
      message: """
        “\(relationship.name)” of \(entity.name) \(key) would have \(count) objects, \
        \(isTooFew
          ? "less than the minimum \(limits.minimum)" : "more than the maximum \(limits.maximum)"). \
        Send a list that fits, or change the limits of the model.
        """)
  }
}
