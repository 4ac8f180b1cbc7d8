import SyncCore
import SyncStore

/// Refuses a transaction that empties a required to-one relationship of an object that stays: by a
/// delete rule, of objects that the context does not know, or because the partner of a one-to-one
/// was given to another object meanwhile.
struct RequiredReferences {
  let transaction: StoreTransaction

  /// - Parameter withNew: whether objects that came in this transaction may have lost one too.
  /// - Throws: ``GraphError`` with ``GraphError/Code/validation`` that names an object for each
  ///   relationship.
  func check(withNew: Bool) throws {
    let model = transaction.layout.model
    var failures: [ValidationFailure] = []
    for (index, slot) in model.limitedRelationships {
      let entity = EntityDescription(model: model, index: index)
      guard let relationship = entity.properties[slot].relationship, !relationship.isToMany,
        let (id, _) = try transaction.emptied(relationship, in: entity, withNew: withNew)
      else { continue }
      failures.append(
        ValidationFailure(
          rule: .required, objectID: id, key: relationship.name,
          message: """
            \(id.entity.name).\(relationship.name) of \(id) is required, and the object that it leads to \
            would go. Delete both, or let it lead to another one first.
            """))
    }
    if !failures.isEmpty { throw GraphError(failures: failures) }
  }
}
