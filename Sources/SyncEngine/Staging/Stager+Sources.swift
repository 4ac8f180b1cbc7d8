import Foundation
import SyncCore

/// Objects whose mapping was written by hand: validators, and relationships whose source says how
/// they are read.
extension Stager {
  // MARK: - Validators

  /// The item as the validators want it.
  ///
  /// - Returns: Nil when they drop the item, or refuse it, which is reported.
  func validated(
    _ token: Int, of source: ItemSource, node: StagingNode, role: Role
  ) throws -> ItemSource? {
    let original = source.tape.value(token)
    var item = original
    for validator in node.plan.validators {
      do {
        guard let result = try validator(item), result != .null else {
          noteDropped(node)
          return nil
        }
        item = result
      } catch {
        let refusal = SyncError(
          .invalidItem, entity: node.batch.entity.name, path: path.description,
          message: "A validator of “\(node.batch.entity.name)” refused the item: \(error).")
        try refuse(refusal)
        noteUnreadable(role)
        noteRejected(refusal, in: node.batch)
        return nil
      }
    }
    guard item != original else {
      return ItemSource(tape: source.tape, base: source.base, root: token)
    }
    let text = item.data().withUnsafeBytes { arena.copy($0) }
    let tape = JSONTape(capacity: 64)
    var scanner = JSONScanner(text)
    try scanner.scanValue(into: tape)
    return ItemSource(tape: tape, base: UInt(bitPattern: text.baseAddress))
  }

  // MARK: - Relationships

  /// Stages the value under a relationship, read as its source says.
  ///
  /// - Parameter parent: The item of the owner.
  func stageNested(
    _ link: StagingLink, _ nested: NestedSource, of owner: Int32, in batch: Batch,
    choice: LinkCandidate, parent: Int, source: ItemSource
  ) throws {
    let kind = source.tokens[choice.token].kind
    guard kind != .null || link.rule.ownsKeyless else {
      return say(link, of: owner, .keys, EmptyCollection())
    }
    let node = try self.node(nested, below: link, of: batch.entity, parent: parent, source)
    if kind == .null, node.hasIdentity { return say(link, of: owner, .keys, EmptyCollection()) }
    guard !node.plan.readsByShape else {
      return try stageByShape(link, node, of: owner, in: batch, choice: choice, source: source)
    }
    let place = Owner(batch: batch.number, owner: owner, rule: link.number)
    let isMember = node.plan.tellsApart(ownersIn: link.rule)
    let role: Role =
      link.rule.isToMany ? (isMember ? .member(place) : .shared(place)) : .toOne(place)
    let isKeylessOwned = link.rule.ownsKeyless && !node.hasIdentity
    if kind == .null {
      let deletes = isKeylessOwned && node.plan.deletesMissing
      return say(link, of: owner, deletes ? .objects : .keys, EmptyCollection())
    }
    // Without identifiers the object of an item is unknown, unless they are the owner's.
    let deletes = node.plan.deletesMissing && (node.hasIdentity || isKeylessOwned)
    if isKeylessOwned, !deletes, link.rule.isToMany {
      noteUnreadable(listOf: place)
    }
    let deletion = deletes ? node.plan.policy.deletionScope : .nothing
    let isOfOwner = link.rule.isToMany && (deletion == nil || deletion == .parent)
    let first = targets.count
    defer { targets.removeAll(from: first) }
    func stageElement(_ token: Int, _ key: MemberKey? = nil) throws {
      if try stageRemoval(token, of: source, link, node, owner: place, key) { return }
      let count = node.batch.occurrences.count
      guard let child = try stage(token, of: source, node: node, role: role, key: key) else {
        return
      }
      let target = mention(child, of: node.batch, in: batches[link.rule.node])
      targets.append(target)
      guard link.isOwned, !isMember, node.batch.ofSubentities[child] == nil else { return }
      // It has one owner: that of the last list that names it.
      let isNew = node.batch.occurrences.count > count
      if !isNew {
        node.batch.occurrences[child].traits.insert(.conflicting)
      } else if isOfOwner {
        node.batch.occurrences[child].traits.insert(.listed)
      }
    }
    let isItem = kind == .array && !link.rule.isToMany && node.plan.takesArrays
    if kind == .array && !isItem || (kind == .object && !link.rule.elements.isEmpty) {
      try forEachElement(of: choice.token, link, source) { element, key in
        if let element { return try stageElement(element, key) }
        noteUnreadable(role)
        try skip(node.batch, .invalidItem, "There is nothing where the list should have an object.")
      }
    } else if kind == .object || isItem || node.plan.takesAnything {
      try stageElement(choice.token)
    } else {
      return try refuse(
        SyncError(
          .typeMismatch, entity: batch.entity.name, property: link.rule.name,
          path: path.description,
          message: """
            “\(link.rule.name)” of “\(batch.entity.name)”: expected an object or a list of objects, found \
            \(kind.text).
            """))
    }
    if !link.rule.isToMany, let count = countOfObjects(from: first, in: batches[link.rule.node]),
      count > 1
    {
      return try refuse(
        SyncError(
          .tooManyObjects, entity: batch.entity.name, property: link.rule.name,
          path: path.description,
          message: """
            “\(link.rule.name)” of “\(batch.entity.name)” leads to one object, and the payload gives \(count).
            """))
    }
    if link.rule.isToMany { noteRepeats(from: first, link, of: owner, in: batch) }
    if deletion == .group { node.batch.noteDeleting(node.deletionGroup) }
    say(link, of: owner, isOfOwner ? .objects : .keys, targets[first...])
  }

  /// How many objects the latest targets are, as far as their keys tell; nil where there are no two
  /// targets.
  private func countOfObjects(from first: Int, in batch: Batch) -> Int? {
    guard targets.count > first + 1 else { return nil }
    var heads: Set<Int32> = []
    for target in targets[first...] {
      let isKeyless = batch.occurrences[target].traits.contains(.keyless)
      heads.insert(isKeyless ? ~target : batch.index.find(identityOf: batch.block[target]))
    }
    return heads.count
  }

  /// Stages a relationship that the item lacks.
  func stageMissing(_ link: StagingLink, of owner: Int32, in batch: Batch) throws {
    switch link.rule.missing {
    case .keep: break
    case .clear:
      let ownsKeyless = link.rule.ownsKeyless && batches[link.rule.node].node.identity.isEmpty
      say(link, of: owner, ownsKeyless ? .objects : .keys, EmptyCollection())
    case .fail:
      try refuse(
        SyncError(
          .requiredValueMissing, entity: batch.entity.name, property: link.rule.name,
          path: path.description,
          message:
            "The item has no “\(link.rule.path.dropFirst())”, which “\(link.rule.name)” requires."))
    }
  }

  // MARK: - Sources

  /// The node that reads the value under a relationship.
  private func node(
    _ nested: NestedSource, below link: StagingLink, of owner: EntityDescription, parent: Int,
    _ source: ItemSource
  ) throws -> StagingNode {
    switch nested {
    case .constant(let make):
      if let known = link.destination { return known }
      let node = try self.node(make(), below: link, of: owner)
      link.destination = node
      return node
    case .perParent(let make):
      return try node(make(source.tape.value(parent)), below: link, of: owner)
    }
  }

  private func node(
    _ source: any PlanSource, below link: StagingLink, of owner: EntityDescription
  ) throws -> StagingNode {
    let entity = plan.nodes[link.rule.node].entity
    let said = source.mappingSource
    let name = said.entityName
    guard try plan.model.requireEntity(named: name).isKind(of: entity) else {
      throw MappingError.wrongEntity(name, below: link.rule.name, of: owner, to: entity)
    }
    let result = try node(source, saying: said)
    if result.plan.hasToNameIdentifiers, !result.plan.needsNoIdentity, !link.rule.ownsKeyless {
      throw MappingError.identifiersRequired(result.plan.entity)
    }
    // Mentions of objects of subentities stand among those of the entity, which are told apart in
    // the same way.
    let identity = result.plan.identity
    if result.batch.number != link.rule.node, batches[link.rule.node].node.identity.isEmpty,
      batches[link.rule.node].occurrences.isEmpty,
      identity.allSatisfy({ $0 < entity.properties.count })
    {
      _ = identify(link.rule.node, by: identity)
    }
    return result
  }

  /// The node that reads objects as a source says.
  func node(_ source: any PlanSource) throws -> StagingNode {
    try node(source, saying: source.mappingSource)
  }

  private func node(_ source: any PlanSource, saying said: MappingSource) throws -> StagingNode {
    let name = said.entityName
    guard let compiler = plan.sources,
      let number = batches.firstIndex(where: { $0.entity.name == name })
    else { return reader(plan.root) }
    let key = NodeKey(number: number, source, besideGroup: said)
    if let key, let known = readers[key] {
      return key.ignoresGroup ? StagingNode(known, group: said.group) : known
    }
    let node = try compiler.node(for: said)
    let result = StagingNode(
      try batch(number, for: node), plan: node, among: batches, arena, number: nil, turn)
    readers.add(result, key)
    return result
  }

  /// The batch of a node, its objects told apart as a mapping of them says.
  ///
  /// - Throws: ``MappingError`` when another mapping said otherwise.
  private func batch(_ number: Int, for node: PlanNode) throws -> Batch {
    let batch = batches[number]
    guard !node.identity.isEmpty, node.identity != batch.node.identity else { return batch }
    if !batch.node.identity.isEmpty {
      guard number != plan.root, !node.entity.hasFamily, batch.isUntouched,
        !readers.readNested(batch)
      else { throw MappingError.conflictingIdentifiers(node, batch.node) }
      // Where conventions have read none of its objects, they need not be told apart as they would.
      let result = identify(number, by: node.identity)
      reader(number).isOfSources = true
      return result
    }
    guard number != plan.root, !readers.readNested(batch), batch.ofSubentities.bareCount == 0 else {
      throw MappingError(
        .conflictingIdentifiers, entity: node.entity.name, property: node.identityName,
        message: """
          One mapping of this sync tells the objects of “\(node.entity.name)” apart by “\(node.identityName)”, and \
          another one has no identifiers for them. Use the same identifiers.
          """)
    }
    return identify(number, by: node.identity)
  }
}

extension Stager {
  /// The node that reads a relationship by conventions.
  ///
  /// - Throws: ``MappingError`` when a source has told its objects apart otherwise.
  func conventionalNode(_ number: Int) throws -> StagingNode {
    let node = reader(number)
    guard !node.isOfSources else {
      throw MappingError.conflictingIdentifiers(node.plan, plan.nodes[number])
    }
    return node
  }
}

extension MappingError {
  fileprivate static func conflictingIdentifiers(_ one: PlanNode, _ other: PlanNode) -> MappingError
  {
    MappingError(
      .conflictingIdentifiers, entity: one.entity.name, property: one.identityName,
      message: """
        One mapping of this sync tells the objects of “\(one.entity.name)” apart by “\(other.identityName)”, another one \
        by “\(one.identityName)”. Use the same identifiers, or sync them one after the other.
        """)
  }
}

extension EntityDescription {
  /// Whether objects of other entities share the table.
  var hasFamily: Bool { superentity != nil || !subentities.isEmpty }
}
