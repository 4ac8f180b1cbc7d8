import SyncCore
import SyncStore

/// Writes the changes of to-many relationships: pairs of link tables, and positions of ordered
/// ones.
struct LinkChanges {
  private struct Pair: Hashable, Comparable {
    var owner: Int64
    var member: Int64

    static func < (left: Pair, right: Pair) -> Bool {
      (left.owner, left.member) < (right.owner, right.member)
    }
  }

  /// The pairs of one relationship, seen from the side that was declared first.
  private struct Changes {
    var relationship: RelationshipDescription
    var entity: EntityDescription
    var added: Set<Pair> = []
    var removed: Set<Pair> = []
  }

  let transaction: StoreTransaction
  let rows: [Int64: Int64]

  func write(_ objects: [ManagedObject]) throws {
    let objects = objects.filter { !$0.links.isEmpty }
    guard !objects.isEmpty else { return }
    try writePairs(of: objects)
    try writePositions(of: objects)
  }

  private func lists(of object: ManagedObject) -> [(RelationshipShape, MemberList)] {
    object.links.enumerated().compactMap { ordinal, link in
      (link as? MemberList).map { (object.home.shape.relationships[ordinal], $0) }
    }
  }

  private func row(_ object: ManagedObject) -> Int64 {
    rows[object.rowNumber] ?? object.rowNumber
  }

  // MARK: - Pairs

  private func writePairs(of objects: [ManagedObject]) throws {
    var changes: [PropertyKey: Changes] = [:]
    var order: [PropertyKey] = []
    for object in objects {
      for (relationship, list) in lists(of: object)
      where relationship.kind == .manyToMany && list.hasChanges {
        let (canonical, entity, isTurned) = self.canonical(relationship, object.entity)
        let key = PropertyKey(canonical)
        if changes[key] == nil {
          changes[key] = Changes(relationship: canonical, entity: entity)
          order.append(key)
        }
        for member in list.added.values where !member.isKnownDeleted {
          changes[key]?.added.insert(pair(object, member, isTurned))
        }
        for member in list.removed.values where !member.isKnownDeleted {
          changes[key]?.removed.insert(pair(object, member, isTurned))
        }
      }
    }
    for key in order {
      guard let change = changes[key] else { continue }
      try transaction.removeLinks(
        change.relationship, of: change.entity,
        pairs: change.removed.sorted().map { ($0.owner, $0.member) })
      try transaction.addLinks(
        change.relationship, of: change.entity,
        pairs: change.added.sorted().map { ($0.owner, $0.member) })
    }
  }

  private func pair(_ owner: ManagedObject, _ member: ManagedObject, _ isTurned: Bool) -> Pair {
    isTurned
      ? Pair(owner: row(member), member: row(owner)) : Pair(owner: row(owner), member: row(member))
  }

  /// Both sides list a pair; it is written once, from the side that comes first in the model.
  private func canonical(
    _ relationship: RelationshipShape, _ entity: EntityDescription
  ) -> (RelationshipDescription, EntityDescription, isTurned: Bool) {
    let own = relationship.description
    guard let inverse = entity.inverse(of: own),
      (inverse.declaringIndex, inverse.slot) < (own.declaringIndex, own.slot)
    else {
      return (own, EntityDescription(model: entity.model, index: own.declaringIndex), false)
    }
    return (inverse, EntityDescription(model: entity.model, index: inverse.declaringIndex), true)
  }

  // MARK: - Positions

  private func writePositions(of objects: [ManagedObject]) throws {
    for object in objects {
      for (relationship, list) in lists(of: object)
      where relationship.isOrdered && list.hasChanges && list.isLoaded {
        try transaction.arrange(
          relationship.description, of: object.entity, owner: row(object),
          as: list.objects.map(row))
      }
    }
  }
}
