import SyncCore

extension DeletePlanner {
  /// Throws when a relationship with the rule Deny leads to an object that stays.
  func checkDenyRules() throws {
    for owner in entities {
      for relationship in owner.entity.relationships where relationship.deleteRule == .deny {
        let members = try transaction.members(
          of: relationship, in: owner.entity, owners: rows[owner.entity.index])
        let blocking = members.filter { !isDoomed($0.row, in: layout.table(of: $0.entity)) }
        if let first = blocking.first {
          throw try denial(owner, relationship, first.owner, blocking)
        }
      }
    }
  }

  private func denial(
    _ owner: EntityLayout, _ relationship: RelationshipDescription, _ row: Int64,
    _ blocking: [StoredMember]
  ) throws -> StoreError {
    let index = owner.entity.index
    let ownerKey = rows[index].firstIndex(of: row).map { keys[index][$0] } ?? .null
    let ownerName = name(owner, row: row, key: ownerKey)
    var names: [String] = []
    var blockingKeys: [Value] = []
    for member in blocking.prefix(10) {
      let layout = layout[member.entity]
      let key = try transaction.rows(member.entity, rows: [member.row]).first
        .flatMap { stored in layout.keySlot.map { stored.values[$0] } }
      names.append(name(layout, row: member.row, key: key ?? .null))
      if let key { blockingKeys.append(key) }
    }
    let more = blocking.count > 10 ? " and \(blocking.count - 10) more" : ""
    return StoreError(
      .deletionDenied,
      message: "\(ownerName) cannot be deleted: the delete rule of “\(relationship.name)” is Deny "
        + "and there are \(names.joined(separator: ", "))\(more). Delete them first, or take them "
        + "out of the relationship.",
      entity: owner.entity.name, keys: blockingKeys)
  }

  private func name(_ layout: EntityLayout, row: Int64, key: Value) -> String {
    "\(layout.entity.name) \(key.isNull ? "in row \(row)" : key.description)"
  }
}
