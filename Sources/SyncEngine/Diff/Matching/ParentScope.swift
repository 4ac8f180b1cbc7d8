import SyncCore
import SyncStore

/// The stored object whose children the items of a payload are (sync-behaviour, section 8.9).
///
/// It is staged as an object that the payload says nothing about but the list of its children; the
/// rest follows from that.
struct ParentScope {
  let parent: ManagedObjectID
  let batch: Int
  let rule: Int

  /// Finds the relationship that leads from the parent to the synced entity: the one that is given,
  /// by its name at either end, or the only one there is.
  ///
  /// - Throws: ``SyncError`` with ``SyncError/Code/ambiguousRelationship`` when there is none or more
  ///   than one.
  static func resolve(_ request: SyncRequest) throws -> ParentScope? {
    guard let parent = request.parent else { return nil }
    let child = request.plan.rootNode.entity
    let all = relationships(from: parent.entity, to: child)
    let candidates = choose(request.parentRelationship, among: all)
    guard candidates.count == 1 else {
      let names = all.map(\.name)
      throw SyncError(
        .ambiguousRelationship, entity: child.name, property: request.parentRelationship,
        message: """
          \(candidates.isEmpty ? "No" : "More than one") relationship leads from \
          “\(parent.entity.name)” to “\(child.name)”\(names.isEmpty
            ? "" : ": \(names.joined(separator: ", "))"). Name one as parentRelationship.
          """)
    }
    for (number, node) in request.plan.nodes.enumerated()
    where parent.entity.isKind(of: node.entity) {
      if let rule = node.relationshipRule(forSlot: candidates[0].slot) {
        return ParentScope(parent: parent, batch: number, rule: rule)
      }
    }
    throw SyncError(
      .ambiguousRelationship, entity: child.name, property: candidates[0].name,
      message: """
        “\(candidates[0].name)” of “\(parent.entity.name)” has no inverse in “\(child.name)”, so its \
        members cannot be found from there. Give it an inverse.
        """)
  }

  /// The relationship of that name; else the one whose inverse has it; without a name those that lead to
  /// many objects, else all.
  private static func choose(
    _ name: String?, among all: [RelationshipDescription]
  ) -> [RelationshipDescription] {
    let choices: [[RelationshipDescription]] =
      if let name {
        [
          all.filter { $0.name == name && $0.isToMany }, all.filter { $0.inverseName == name },
          all.filter { $0.name == name },
        ]
      } else {
        [all.filter(\.isToMany), all]
      }
    return choices.first { !$0.isEmpty } ?? []
  }

  private static func relationships(
    from parent: EntityDescription, to child: EntityDescription
  ) -> [RelationshipDescription] {
    parent.relationships.filter { relationship in
      let destination = parent.destination(of: relationship)
      return child.isKind(of: destination) || destination.isKind(of: child)
    }
  }

  /// Stages the parent.
  func addOwner(to stager: Stager) -> Owner {
    let batch = stager.batches[batch]
    let index = batch.stored.append(
      row: parent.row, entity: batch.entity.subentities.isEmpty ? nil : parent.entity.index
    ) { _ in 0 }
    batch.placeholder = index
    let owner = batch.occurrence(ofStored: index)
    batch.occurrences[Int(owner)].flags.formUnion([.reached, .decided])
    return Owner(batch: self.batch, owner: owner, rule: rule)
  }

  /// - Throws: ``SyncError`` with ``SyncError/Code/parentNotFound`` when the parent is not stored.
  func check(in transaction: StoreTransaction) throws {
    var isStored = false
    if parent.row > 0 {
      try transaction.scan(parent.entity, .rows([parent.row]), slots: []) { _ in isStored = true }
    }
    guard isStored else {
      throw SyncError(
        .parentNotFound, entity: parent.entity.name, key: parent.description,
        message: """
          The parent \(parent) is not stored. Save it before its children are synced.
          """)
    }
  }
}
