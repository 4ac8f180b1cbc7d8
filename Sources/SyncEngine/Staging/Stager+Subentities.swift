import SyncCore

/// An occurrence of a subentity's batch.
struct SubentityMention: Hashable {
  let batch: Int
  let occurrence: Int32
}

/// The occurrences of a batch that are mentioned under a subentity too, whose mention is the one
/// that is written.
struct SubentityMentions {
  private(set) var objects: [Int32: SubentityMention] = [:]

  /// How many of them only stand for an object of the subentity, and describe none themselves.
  private(set) var bareCount = 0

  /// The first occurrences of the keys of which one in a list of an owner is.
  var keys: Set<Int32> = []

  /// Whether others of them describe the object too.
  var areFolded: Bool { objects.count > bareCount }

  subscript(occurrence: Int32) -> SubentityMention? { objects[occurrence] }

  mutating func add(_ occurrence: Int32, of object: SubentityMention, isBare: Bool) {
    objects[occurrence] = object
    if isBare { bareCount += 1 }
  }
}

/// One key under an entity and under a subentity of it is one object in one part of a payload, of
/// the subentity: values under the superentity are laid onto the row of the subentity before stored
/// objects are looked up.
extension Stager {
  func foldSuperentities() {
    for batch in batches where batch.orders != nil && !batch.occurrences.isEmpty {
      guard !batch.node.identity.isEmpty else { continue }
      let deeper = batches.filter {
        !$0.occurrences.isEmpty && $0.node.isSubentity(of: batch.node)
          && $0.node.identity == batch.node.identity
      }.sorted(on: { -$0.entity.depth })
      guard !deeper.isEmpty else { continue }
      for index in batch.occurrences.indices {
        let occurrence = batch.occurrences[index]
        guard occurrence.traits.isDisjoint(with: Stager.unfoldable),
          let (other, found) = find(batch.block[index], in: deeper)
        else { continue }
        // Two owners that nest one key have two children: one of them is the subentity's.
        if occurrence.isOwned {
          let head = batch.index.find(identityOf: batch.block[index])
          let rule = batches[Int(occurrence.ownerBatch)].node
            .relationships[Int(occurrence.ownerRule)]
          guard !rule.keyScopeIsOwner, batch.ofSubentities.keys.insert(head).inserted else {
            continue
          }
        }
        batch.ofSubentities.add(
          Int32(index), of: SubentityMention(batch: other.number, occurrence: found), isBare: false)
        batch.occurrences[index].traits.formUnion([.ofSubentity, .conflicting])
        other.occurrences[found].traits.insert(.conflicting)
        // The values of an object that may perhaps not be written do not count.
        if request.operations.isSuperset(of: .writing) {
          var candidate = found
          // Few objects have several mentions that may be of several objects.
          for _ in 0..<4 where candidate >= 0 {
            lay(index, of: batch, onto: candidate, of: other, fills: candidate == found)
            candidate = other.occurrences[candidate].next
          }
        }
      }
      if batch.ofSubentities.areFolded, request.operations.isSuperset(of: .writing) {
        for rule in batch.node.relationships.indices { moveMentions(rule, of: batch) }
      }
    }
  }

  private static let unfoldable: Occurrence.Traits = [.keyless, .rejected, .referenceOnly]

  private func find(
    _ cells: UnsafePointer<Cell>, in batches: [Batch]
  ) -> (batch: Batch, occurrence: Int32)? {
    for batch in batches {
      let found = batch.index.find(identityOf: cells)
      if found >= 0, batch.occurrences[found].traits.isDisjoint(with: Stager.unfoldable) {
        return (batch, found)
      }
    }
    return nil
  }

  /// Of each attribute the later mention counts.
  ///
  /// - Parameter fills: Whether the mention gives values that the other lacks, too.
  private func lay(
    _ index: Int, of batch: Batch, onto found: Int32, of other: Batch, fills: Bool
  ) {
    let own = batch.block[index]
    let written = other.block[found]
    for slot in batch.node.columns.attributes where !own[slot].isAbsent {
      let order = batch.orders?.order(of: slot, Int32(index)) ?? 0
      guard
        written[slot].isAbsent ? fills : order > other.orders?.order(of: slot, found) ?? 0
      else { continue }
      written[slot] = own[slot]
      other.orders?.note(order, of: CollectionOfOne(slot), found, width: other.block.width)
    }
  }

  /// Moves mentions of a relationship under the superentity to the subentities' occurrences. Where
  /// those mention it later, that mention is repeated behind the moved one: the last one counts,
  /// and the objects that the others nest are objects of the payload all the same.
  private func moveMentions(_ rule: Int, of batch: Batch) {
    let relationship = batch.node.relationships[rule]
    let destination = batches[relationship.node]
    let mentions = batch.mentions[rule]
    var latest: [SubentityMention: Int] = [:]
    var known: Set<Int> = []
    for mention in 0..<mentions.count {
      let owner = mentions.owners[mention]
      guard let found = batch.ofSubentities[owner] else { continue }
      let other = batches[found.batch]
      guard let otherRule = other.node.relationshipRule(forSlot: relationship.slot) else {
        continue
      }
      let others = other.mentions[otherRule]
      if known.insert(found.batch).inserted {
        for (number, owner) in others.owners.enumerated() {
          latest[SubentityMention(batch: found.batch, occurrence: owner)] = number
        }
      }
      let list = Owner(batch: batch.number, owner: owner, rule: rule)
      if part.unreadable.lists.contains(list) {
        noteUnreadable(listOf: Owner(batch: other.number, owner: found.occurrence, rule: otherRule))
      }
      let targets = Array(mentions.targets(of: mention))
      let last = latest[found]
      if last != nil { other.hasRepeats = true }
      latest[found] = others.count
      others.append(
        owner: found.occurrence, kind: mentions.kinds[mention], targets: targets,
        order: mentions.orders[mention])
      if let last, others.orders[last] > mentions.orders[mention] {
        latest[found] = others.count
        others.append(
          owner: found.occurrence, kind: others.kinds[last],
          targets: Array(others.targets(of: last)), order: others.orders[last])
      }
      for target in targets where target >= 0 {
        let child = destination.occurrences[target]
        guard child.owner == owner, Int(child.ownerBatch) == batch.number,
          Int(child.ownerRule) == rule
        else { continue }
        destination.occurrences[target].owner = found.occurrence
        destination.occurrences[target].ownerBatch = Int16(other.number)
        destination.occurrences[target].ownerRule = Int16(otherRule)
      }
    }
  }
}

extension EntityDescription {
  /// How many entities it inherits from.
  var depth: Int {
    var result = 0
    var entity = superentity
    while let next = entity {
      result += 1
      entity = next.superentity
    }
    return result
  }
}

/// Items of several kinds in one place: each is staged among the objects of its subentity, and a
/// mention of it stands where it was.
extension Stager {
  /// The node that reads an item of a node with kinds.
  func reader(
    of token: Int, _ source: ItemSource, _ kinds: Kinds, in node: StagingNode, role: Role
  ) throws -> StagingNode? {
    if case .target = role { return node }
    let value = source.tape.value(at: kinds.path, from: token).map(source.tape.value)
    let type = value.flatMap(Stager.typeName)
    guard let reader = kinds.reader(of: type) else {
      try refuseKind(value ?? .null, token, of: source, kinds, in: node, role: role)
      return nil
    }
    switch reader {
    case .itself: return node
    case .node(let number): return self.reader(number)
    case .source(let nested):
      let name = type.map { kinds.readers[$0] == nil ? "*" : $0 } ?? "*"
      if let known = node.readersOfKinds[name] { return known }
      let result = try self.node(nested)
      guard !node.plan.hasToNameIdentifiers || result.hasIdentity == node.hasIdentity else {
        throw MappingError.identifiersRequired(result.plan.entity)
      }
      node.readersOfKinds[name] = result
      return result
    }
  }

  /// The name of an item's kind.
  private static func typeName(_ value: JSONValue) -> String? {
    switch value {
    case .string(let text): text.isEmpty ? nil : text
    case .null, .array, .object: nil
    default: "\(value)"
    }
  }

  private func refuseKind(
    _ type: JSONValue, _ token: Int, of source: ItemSource, _ kinds: Kinds, in node: StagingNode,
    role: Role
  ) throws {
    let batch = node.batch
    let key = "\(kinds.path)".dropFirst(2)
    let known = kinds.readers.keys.sorted().map { "“\($0)”" }.joined(separator: ", ")
    let found = type == .null ? "has no “\(key)”" : "has the “\(key)” \(type)"
    let error = SyncError(
      .unknownKind, entity: batch.entity.name, path: path.description,
      message: """
        The item \(found), so its subentity of “\(batch.entity.name)” is unknown: \(known) are known. Name it \
        in the user info sync.type of one, or give one the type “*”.
        """)
    if request.onItemError == .fail { throw Stop(item: part.items.end - 1, error: error) }
    noteRejected(error, in: batch)
    guard node.hasIdentity else { return }
    // A stored object with its key counts as named all the same.
    let row = batch.block.append()
    let first = candidates.count
    defer { candidates.removeAll(from: first) }
    try fill(batch.block[row], from: token, of: source, node: node)
    let isKeyless = batch.node.identity.contains { batch.block[row][$0].isEmpty }
    if !isKeyless { _ = batch.references.number(ofKeyIn: batch.block[row]) }
    batch.block.removeLast()
    if isKeyless || role.owner != nil { noteUnreadable(role) }
  }

  /// A mention of an object in the place of a batch above the one that it is staged in.
  func mention(_ occurrence: Int32, of batch: Batch, in other: Batch) -> Int32 {
    guard batch !== other else { return occurrence }
    let object =
      batch.ofSubentities[occurrence]
      ?? SubentityMention(batch: batch.number, occurrence: occurrence)
    let cells = batches[object.batch].block[object.occurrence]
    let row = other.block.append()
    for slot in other.node.identity { other.block[row][slot] = cells[slot] }
    var mention = Occurrence()
    mention.traits = [.ofSubentity, .keyless]
    let result = other.append(mention, item: part.items.end - 1, order: counts.mentions)
    other.ofSubentities.add(result, of: object, isBare: true)
    return result
  }
}
