import SyncCore

/// Staging of what an object says about its relationships.
extension Stager {
  /// Stages what the object says about one relationship, if it says anything.
  func stageLink(
    _ rule: Int, of owner: Int32, in batch: Batch, candidates range: Range<Int>, source: ItemSource
  ) throws {
    guard !range.isEmpty, let choice = choose(rule, range, source) else { return }
    let relationship = batch.node.relationships[rule]
    path.push(relationship.name)
    defer { path.pop() }
    if relationship.relationship.isToMany {
      try stageToMany(rule, of: owner, in: batch, choice: choice, source: source)
    } else {
      try stageToOne(rule, of: owner, in: batch, choice: choice, source: source)
    }
  }

  /// Of several keys that give one relationship: nested objects before keys, a value before null,
  /// then the more explicit spelling.
  private func choose(_ rule: Int, _ range: Range<Int>, _ source: ItemSource) -> LinkCandidate? {
    var best: LinkCandidate?
    var bestRank = Int.max
    for index in range where candidates[index].rule == rule {
      let candidate = candidates[index]
      let kind = source.tape.tokens[candidate.token].kind
      var rank = Int(candidate.precedence)
      if kind == .null { rank += 1_000 }
      if candidate.kind == .references, kind != .object { rank += 100 }
      if rank < bestRank { (best, bestRank) = (candidate, rank) }
    }
    return best
  }

  private func stageToOne(
    _ rule: Int, of owner: Int32, in batch: Batch, choice: LinkCandidate, source: ItemSource
  ) throws {
    let relationship = batch.node.relationships[rule]
    switch source.tape.tokens[choice.token].kind {
    case .null:
      batch.mentions[rule].append(owner: owner, kind: .objects, targets: EmptyCollection())
    case .object:
      let child = try stage(
        choice.token, of: source, node: relationship.node,
        role: .toOne(Owner(batch: batch.number, owner: owner, rule: rule)))
      guard let child else { return }
      batch.mentions[rule].append(
        owner: owner, kind: .objects, targets: CollectionOfOne(child))
    case .array:
      noteIgnored(
        batch.node, property: relationship.name,
        "“\(relationship.name)” leads to one object, and the payload gives a list.")
    default:
      guard let reference = stageReference(choice.token, of: source, rule: relationship, batch)
      else {
        return
      }
      batch.mentions[rule].append(
        owner: owner, kind: .keys, targets: CollectionOfOne(~reference))
    }
  }

  private func stageToMany(
    _ rule: Int, of owner: Int32, in batch: Batch, choice: LinkCandidate, source: ItemSource
  ) throws {
    let relationship = batch.node.relationships[rule]
    let token = choice.token
    let emptyKind: LinkMentions.Kind = choice.kind == .references ? .keys : .objects
    switch source.tape.tokens[token].kind {
    case .null:
      batch.mentions[rule].append(owner: owner, kind: emptyKind, targets: EmptyCollection())
    case .array:
      let first = targets.count
      defer { targets.removeSubrange(first...) }
      let holdsObjects = try stageElements(token, of: source, rule: rule, owner: owner, in: batch)
      let kind: LinkMentions.Kind =
        holdsObjects ? .objects : (targets.count == first ? emptyKind : .keys)
      batch.mentions[rule].append(owner: owner, kind: kind, targets: targets[first...])
    default:
      noteIgnored(
        batch.node, property: relationship.name,
        "“\(relationship.name)” leads to many objects, and the payload gives no list.")
    }
  }

  /// Stages the elements of a list and leaves them at the end of ``targets``.
  ///
  /// - Returns: Whether there were objects among them, not keys alone.
  private func stageElements(
    _ token: Int, of source: ItemSource, rule: Int, owner: Int32, in batch: Batch
  ) throws -> Bool {
    let relationship = batch.node.relationships[rule]
    let isOwned = relationship.relationship.kind == .oneToMany
    let place = Owner(batch: batch.number, owner: owner, rule: rule)
    let role: Role = isOwned ? .member(place) : .shared(place)
    var holdsObjects = false
    var element = token + 1
    for index in 0..<Int(source.tape.tokens[token].word) {
      defer { element = Int(source.tape.tokens[element].next) }
      path.setIndex(index)
      switch source.tape.tokens[element].kind {
      case .object:
        holdsObjects = true
        let child = try stage(element, of: source, node: relationship.node, role: role)
        if let child { targets.append(child) }
      case .null, .array:
        noteIgnored(
          batch.node, property: relationship.name,
          "An element of “\(relationship.name)” is neither an object nor a key.")
      default:
        if let reference = stageReference(element, of: source, rule: relationship, batch) {
          targets.append(~reference)
        }
      }
    }
    return holdsObjects
  }

  /// Notes a key that refers to an object of the destination.
  private func stageReference(
    _ token: Int, of source: ItemSource, rule: RelationshipRule, _ batch: Batch
  ) -> Int32? {
    let destination = batches[rule.node]
    guard destination.node.identity.count == 1,
      let identity = destination.node.attributeRule(forSlot: destination.node.identity[0])
    else {
      noteIgnored(
        batch.node, property: rule.name,
        "“\(destination.entity.name)” has no primary key to look “\(rule.name)” up by.")
      return nil
    }
    let converter = destination.node.attributes[identity].converter
    guard case .cell(let key) = converter.convert(token, of: source.tape, arena: arena),
      !key.isEmpty
    else {
      noteIgnored(
        batch.node, property: rule.name,
        "A key of “\(rule.name)” does not fit the primary key of “\(destination.entity.name)”.")
      return nil
    }
    let row = destination.references.append()
    destination.references[row][destination.node.identity[0]] = key
    let known = destination.referenceIndex.find(identityOf: destination.references[row])
    if known >= 0 {
      destination.references.removeLast()
      return known
    }
    destination.referenceIndex.insert(Int32(row))
    return Int32(row)
  }
}
