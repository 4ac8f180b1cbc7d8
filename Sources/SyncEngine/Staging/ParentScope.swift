import SyncCore
import SyncStore

/// The stored object whose children the items of a payload are, and the relationship between the
/// two.
///
/// ```
/// list       parent ──items──▶ children     staged as an object that the payload says nothing about but the list
/// reference  parent ◀──owner── child        every item says that its owner is the parent
/// links      either, in a link table        pairs come when a part is written, go and are ordered at the end
/// ```
struct ParentScope {
  let parent: ManagedObjectID
  let way: Way
  let link: Link

  enum Way {
    /// The parent's list, or its to-one relationship: batch and relationship rule of the parent.
    case list(batch: Int, rule: Int)
    /// A to-one relationship of the items: its rule, and the batch of its destination.
    case reference(rule: Int, batch: Int)
    /// Members of a link table of which the plan has no list.
    case links
  }

  /// A relationship between the parent and the items, and the side that has it.
  struct Link {
    let relationship: RelationshipDescription
    let entity: EntityDescription
    /// Whether it is the parent's, and its inverse, if any, the child's.
    let isParents: Bool

    /// Whether the parent may have several children by it.
    fileprivate var leadsToMany: Bool { !isParents || relationship.isToMany }
  }

  /// The list that the items stand in, in either table.
  var list: Link? { if case .reference = way { nil } else { link } }

  /// The same, where it is in a link table.
  var links: Link? { list.flatMap { $0.relationship.kind == .manyToMany ? $0 : nil } }

  /// The to-one relationship of the items, which a node reads, that leads to the parent.
  func slot(of items: PlanNode) -> Int? {
    if case .reference(let rule, _) = way { return items.relationships[rule].slot }
    return link.relationship.kind == .oneToMany ? link.relationship.inverseSlot : nil
  }

  /// Whether items without a key are the parent's, and go with it.
  func ownsKeyless(_ plan: MappingPlan) -> Bool {
    guard case .list(let batch, let rule) = way else { return false }
    let relationship = plan.nodes[batch].relationships[rule]
    return relationship.ownsKeyless && relationship.kind == .oneToMany
  }

  /// Stages the parent, if the items are linked with it as they are written.
  func prepare(_ stager: Stager) {
    var link = stager.rootLink ?? RootLink(scope: self)
    defer { stager.rootLink = link }
    switch way {
    case .list(let batch, let rule):
      stager.part.rootOwner = Owner(
        batch: batch, owner: occurrence(in: stager, batch), rule: rule)
    case .reference(let rule, let batch):
      link.reference = RootReference(rule: rule, target: occurrence(in: stager, batch))
    case .links: return
    }
  }

  private func occurrence(in stager: Stager, _ number: Int) -> Int32 {
    let batch = stager.batches[number]
    _ = batch.block.append()
    var occurrence = Occurrence()
    occurrence.traits = .referenceOnly
    let result = batch.append(occurrence)
    stager.part.parent = GivenParent(id: parent, batch: number, occurrence: result)
    return result
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

/// A given parent, as it stands among the objects of the payload.
struct GivenParent {
  let id: ManagedObjectID
  let batch: Int
  let occurrence: Int32
}

/// How the items at the top are linked with a given parent.
struct RootLink {
  let scope: ParentScope
  var reference: RootReference?
  /// The objects of the items.
  var targets: [Int32] = []
}

/// The mention of one to-one relationship that every item at the top makes.
struct RootReference {
  let rule: Int
  /// Occurrence of the destination's batch.
  let target: Int32
}

/// Which relationship leads from a parent to the synced entity.
extension ParentScope {
  /// Finds the relationship: the one that is given, by its name at either end, or the only one
  /// there is.
  ///
  /// - Throws: ``SyncError`` with ``SyncError/Code/ambiguousRelationship`` when there is none or
  ///   more than one.
  static func resolve(_ parent: ManagedObjectID, _ request: SyncRequest) throws -> ParentScope {
    let child = request.plan.rootNode.entity
    let all = candidates(from: parent.entity, to: child)
    let chosen = choose(request.setup.parentRelationship, among: all)
    guard chosen.count == 1, let way = way(chosen[0], parent.entity, request.plan) else {
      throw error(chosen, among: all, parent.entity, request)
    }
    var link = chosen[0]
    if case .list(let batch, let rule) = way {
      let node = request.plan.nodes[batch]
      link = Link(
        relationship: node.relationships[rule].relationship, entity: node.entity, isParents: true)
    }
    return ParentScope(parent: parent, way: way, link: link)
  }

  /// The relationships of the parent, and those of the child that have no inverse; inherited ones
  /// among them.
  private static func candidates(
    from parent: EntityDescription, to child: EntityDescription
  ) -> [Link] {
    let down = parent.relationships.filter { relationship in
      !relationship.isTransient && child.isKind(of: parent.destination(of: relationship))
    }
    let up = child.relationships.filter { relationship in
      !relationship.isTransient && relationship.inverseSlot == nil
        && parent.isKind(of: child.destination(of: relationship))
        // Between objects of one entity a list without inverse is read from the parent down.
        && !(relationship.isToMany && down.contains { $0.name == relationship.name })
    }
    return down.map { Link(relationship: $0, entity: parent, isParents: true) }
      + up.map { Link(relationship: $0, entity: child, isParents: false) }
  }

  /// The relationship of that name; else the one whose inverse has it; without a name those that
  /// lead to many objects, else all.
  private static func choose(_ name: String?, among all: [Link]) -> [Link] {
    let choices: [[Link]] =
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
    _ link: Link, _ parent: EntityDescription, _ plan: MappingPlan
  ) -> Way? {
    let relationship = link.relationship
    guard link.isParents else {
      return relationship.isToMany ? .links : reference(relationship.slot, plan)
    }
    if relationship.destinationIndex == plan.rootNode.entity.index {
      for (number, node) in plan.nodes.enumerated() where parent.isKind(of: node.entity) {
        if let rule = node.relationshipRule(forSlot: relationship.slot) {
          return .list(batch: number, rule: rule)
        }
      }
    }
    // The plan reads items into rows of their own entity, which the list of a superentity does not
    // name.
    switch relationship.kind {
    case .manyToMany: return .links
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
    _ chosen: [Link], among all: [Link], _ parent: EntityDescription,
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
    let names = all.map { "“\($0.relationship.name)” of “\($0.entity.name)”" }
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

extension Stager {
  /// Lets an item at the top refer to the given parent.
  func refer(_ occurrence: Int32, to reference: RootReference) {
    let link = reader(plan.root).links[reference.rule]
    say(link, of: occurrence, .keys, CollectionOfOne(reference.target))
  }
}
