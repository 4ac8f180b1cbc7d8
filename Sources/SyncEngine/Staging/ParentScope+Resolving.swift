import SyncCore

/// Which relationship leads from a parent to the synced entity.
extension ParentScope {
  /// Finds the relationship: the one that is given, by its name at either end, or the only one there is.
  ///
  /// - Throws: ``SyncError`` with ``SyncError/Code/ambiguousRelationship`` when there is none or more
  ///   than one.
  static func resolve(_ request: SyncRequest) throws -> ParentScope? {
    guard let parent = request.setup.parent else { return nil }
    let child = request.plan.rootNode.entity
    let all = candidates(from: parent.entity, to: child)
    let chosen = choose(request.setup.parentRelationship, among: all)
    guard chosen.count == 1, let way = way(chosen[0], parent.entity, request.plan) else {
      throw error(chosen, among: all, parent.entity, request)
    }
    return ParentScope(parent: parent, way: way)
  }

  /// A relationship between the two.
  private struct Candidate {
    let relationship: RelationshipDescription
    /// Whether it is the parent's, and its inverse, if any, the child's.
    let isParents: Bool

    /// Whether the parent may have several children by it.
    var leadsToMany: Bool { !isParents || relationship.isToMany }
  }

  /// The relationships of the parent, and those of the child that have no inverse; inherited ones among them.
  private static func candidates(
    from parent: EntityDescription, to child: EntityDescription
  ) -> [Candidate] {
    let down = parent.relationships.filter { relationship in
      !relationship.isTransient && child.isKind(of: parent.destination(of: relationship))
    }
    let up = child.relationships.filter { relationship in
      !relationship.isTransient && relationship.inverseSlot == nil
        && parent.isKind(of: child.destination(of: relationship))
        // Between objects of one entity a list without inverse is read from the parent down.
        && !(relationship.isToMany && down.contains { $0.name == relationship.name })
    }
    return down.map { Candidate(relationship: $0, isParents: true) }
      + up.map { Candidate(relationship: $0, isParents: false) }
  }

  /// The relationship of that name; else the one whose inverse has it; without a name those that lead to
  /// many objects, else all.
  private static func choose(_ name: String?, among all: [Candidate]) -> [Candidate] {
    let choices: [[Candidate]] =
      if let name {
        [
          all.filter { $0.isParents && $0.leadsToMany && $0.relationship.name == name },
          all.filter { $0.isParents && $0.relationship.inverseName == name },
          all.filter { !$0.isParents && $0.relationship.name == name },
          all.filter { $0.relationship.name == name },
        ]
      } else {
        [all.filter(\.leadsToMany), all]
      }
    return choices.first { !$0.isEmpty } ?? []
  }

  /// How a sync goes along a relationship, or nil when it cannot.
  private static func way(
    _ candidate: Candidate, _ parent: EntityDescription, _ plan: MappingPlan
  ) -> Way? {
    let relationship = candidate.relationship
    let child = plan.rootNode.entity
    guard candidate.isParents else {
      return relationship.isToMany
        ? .links(relationship, of: child, isParents: false)
        : reference(relationship.slot, plan)
    }
    if relationship.destinationIndex == child.index {
      for (number, node) in plan.nodes.enumerated() where parent.isKind(of: node.entity) {
        if let rule = node.relationshipRule(forSlot: relationship.slot) {
          return .list(batch: number, rule: rule)
        }
      }
    }
    // The plan reads items into rows of their own entity, which the list of a superentity does not name.
    switch relationship.kind {
    case .manyToMany: return .links(relationship, of: parent, isParents: true)
    case .oneToMany: return relationship.inverseSlot.flatMap { reference($0, plan) }
    case .toOne:
      guard !relationship.isInverseToMany else { return nil }
      return relationship.inverseSlot.flatMap { reference($0, plan) }
    }
  }

  private static func reference(_ slot: Int, _ plan: MappingPlan) -> Way? {
    plan.rootNode.relationshipRule(forSlot: slot).map {
      .reference(rule: $0, batch: plan.rootNode.relationships[$0].node)
    }
  }

  private static func error(
    _ chosen: [Candidate], among all: [Candidate], _ parent: EntityDescription,
    _ request: SyncRequest
  ) -> SyncError {
    let child = request.plan.rootNode.entity
    guard chosen.count != 1 else {
      return SyncError(
        .ambiguousRelationship, entity: child.name, property: chosen[0].relationship.name,
        message: """
          “\(chosen[0].relationship.name)” of “\(parent.name)” leads to one object and has no inverse in \
          “\(child.name)”. Sync without a parent, or give the relationship an inverse.
          """)
    }
    let names = all.map {
      "“\($0.relationship.name)” of “\(($0.isParents ? parent : child).name)”"
    }
    let problem =
      if let name = request.setup.parentRelationship, !all.isEmpty {
        "No relationship “\(name)” leads from “\(parent.name)” to “\(child.name)”, but these do"
      } else {
        """
        \(chosen.isEmpty ? "No" : "More than one") relationship leads from “\(parent.name)” to \
        “\(child.name)”
        """
      }
    return SyncError(
      .ambiguousRelationship, entity: child.name, property: request.setup.parentRelationship,
      message: names.isEmpty
        ? "\(problem). Sync without a parent, or add a relationship to the model."
        : "\(problem): \(names.joined(separator: ", ")). Name one as parentRelationship.")
  }
}
