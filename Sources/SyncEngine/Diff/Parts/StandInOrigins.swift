import SyncCore
import SyncStore

/// Where stored objects stood before the payload, which is what stand-ins are found by.
struct StandInOrigins {
  let claims: Claims
  let model: ManagedObjectModel
  let transaction: StoreTransaction

  /// The owner that an object had, 0 for none.
  ///
  /// - Parameter owner: Who has it now.
  func owner(
    under list: RelationshipDescription, of row: Int64, _ entity: EntityDescription,
    now owner: Int64
  ) -> Int64 {
    guard let parts = claims.parts,
      let column = model.entities[list.declaringIndex].inverse(of: list)
    else { return owner }
    if parts.wasInserted(row, entity.rootIndex) { return 0 }
    guard parts.hasChanged(row, of: .init(column)) else { return owner }
    return claims.originIndex.member(.init(column), of: row, parts) ?? owner
  }

  /// The object that one without key is under a to-one relationship of a stored object: what a part made there, else
  /// the one that was linked.
  func keylessRow(_ key: Claims.Relationship, of owner: Int64) throws -> Int64? {
    if let parts = claims.parts {
      if let row = claims.keylessIndex.member(key, of: owner, parts) { return row }
      if parts.hasChanged(owner, of: key) {
        return claims.originIndex.member(key, of: owner, parts).flatMap { $0 > 0 ? $0 : nil }
      }
    }
    var result: Int64 = 0
    try transaction.scan(model.entities[key.entity], .rows([owner]), slots: [key.slot]) {
      result = $0.integer(key.slot) ?? 0
    }
    return result > 0 ? result : nil
  }
}
