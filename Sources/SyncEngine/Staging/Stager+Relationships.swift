import SyncCore

/// Staging of the relationships of an object.
extension Stager {
  /// Stages the object's mention of one relationship, if it has one.
  func stageLink(
    _ link: StagingLink, of owner: Int32, in batch: Batch, candidates range: Range<Int>,
    parent: Int, source: ItemSource
  ) throws {
    guard let choice = choose(link.number, range, source) else { return }
    let isAtTop = path.isAtTop
    path.push(link, choice, source)
    defer { path.pop() }
    if let partial = link.rule.partial, source.tokens[choice.token].kind != .null {
      let isPartial =
        switch partial {
        case .always: true
        case .asked(let decide): decide(source.tape.value(parent))
        }
      // It adds members, and removes none.
      if isPartial {
        noteUnreadable(listOf: Owner(batch: batch.number, owner: owner, rule: link.number))
      }
    } else if link.rule.removal != nil, source.tokens[choice.token].kind != .null {
      // It adds members, and removes those that it names.
      noteUnreadable(listOf: Owner(batch: batch.number, owner: owner, rule: link.number))
    }
    if let nested = link.source {
      return try stageNested(
        link, nested, of: owner, in: batch, choice: choice, parent: parent, source: source)
    }
    let count = link.mentions.count
    let node = try conventionalNode(link.rule.node)
    try stageByShape(
      link, node, of: owner, in: batch, choice: choice,
      key: keyBeside(choice, range, source, node), source: source)
    if isAtTop, link.rule.isToMany, link.mentions.count > count,
      link.mentions.latestKind == .objects
    {
      part.nestingRules.insert(link.number)
    }
  }

  /// Stages a relationship whose objects are nested or referred to, as the shape of the value says.
  func stageByShape(
    _ link: StagingLink, _ node: StagingNode, of owner: Int32, in batch: Batch,
    choice: LinkCandidate, key: MemberKey? = nil, source: ItemSource
  ) throws {
    if link.rule.isToMany {
      try stageToMany(link, node, of: owner, in: batch, choice: choice, source: source)
    } else {
      try stageToOne(link, node, of: owner, in: batch, choice: choice, key: key, source: source)
    }
  }

  /// The key of a nested object that stands beside it: `"owner": {"name": "Ann"}, "owner_id": 5`.
  private func keyBeside(
    _ choice: LinkCandidate, _ range: Range<Int>, _ source: ItemSource, _ node: StagingNode
  ) -> MemberKey? {
    guard range.count > 1, source.tokens[choice.token].kind == .object, let slot = node.keys?.slot
    else { return nil }
    for index in range
    where candidates[index].rule == choice.rule && candidates[index].isForReferences {
      let token = candidates[index].token
      switch source.tokens[token].kind {
      case .object, .array, .null: continue
      default: return MemberKey(tape: source.tape, token: token, slot: slot)
      }
    }
    return nil
  }

  /// Of several keys that give one relationship: nested objects before keys, these before values
  /// that are no objects (`"category": "Books", "category_id": 2`), a value before null, then the
  /// more explicit spelling.
  private func choose(_ rule: Int, _ range: Range<Int>, _ source: ItemSource) -> LinkCandidate? {
    var best: LinkCandidate?
    var bestRank = Int.max
    for index in range where candidates[index].rule == rule {
      let candidate = candidates[index]
      let kind = source.tokens[candidate.token].kind
      var rank = Int(candidate.precedence)
      if kind == .null { rank += 1_000 }
      if candidate.isForReferences {
        rank += kind == .object ? 2_000 : 100
      } else if range.count > 1, !mayNest(candidate.token, source) {
        rank += 200
      }
      if rank < bestRank { (best, bestRank) = (candidate, rank) }
    }
    return best
  }

  /// Whether a value is an object, or a list that is empty or has one.
  private func mayNest(_ token: Int, _ source: ItemSource) -> Bool {
    guard source.tokens[token].kind == .array else { return source.tokens[token].kind == .object }
    let count = Int(truncatingIfNeeded: source.tokens[token].word)
    var element = token + 1
    for _ in 0..<count {
      if [.object, .array].contains(source.tokens[element].kind) { return true }
      element = Int(source.tokens[element].next)
    }
    return count == 0
  }

  private func stageToOne(
    _ link: StagingLink, _ node: StagingNode, of owner: Int32, in batch: Batch,
    choice: LinkCandidate, key: MemberKey?, source: ItemSource
  ) throws {
    switch source.tokens[choice.token].kind {
    case .null:
      say(link, of: owner, .objects, EmptyCollection())
    case .object where choice.isForReferences:
      noteIgnored(
        batch.node, property: link.rule.name,
        "“\(link.rule.name)” is given as an object under the key of an identifier.")
    case .object,
      .array where node.plan.takesArrays:
      let child = try stage(
        choice.token, of: source, node: node,
        role: .toOne(Owner(batch: batch.number, owner: owner, rule: link.number)), key: key)
      guard let child else { return }
      let target = mention(child, of: node.batch, in: batches[link.rule.node])
      say(link, of: owner, .objects, CollectionOfOne(target))
    case .array:
      noteIgnored(
        batch.node, property: link.rule.name,
        "“\(link.rule.name)” leads to one object, and the payload gives a list.")
    default:
      guard
        let reference = stageReference(choice.token, of: source, link, to: node, batch)
      else {
        return
      }
      say(link, of: owner, .keys, CollectionOfOne(~reference))
    }
  }

  func say(
    _ link: StagingLink, of owner: Int32, _ kind: LinkMentions.Kind,
    _ targets: some Collection<Int32>
  ) {
    link.saidMentions.append(owner: owner, kind: kind, targets: targets, order: nextOrder(link))
  }

  /// Numbers mentions of relationships that several places may mention.
  private func nextOrder(_ link: StagingLink) -> UInt32? {
    guard link.keepsOrders else { return nil }
    counts.statements += 1
    return counts.statements
  }

  private func stageToMany(
    _ link: StagingLink, _ node: StagingNode, of owner: Int32, in batch: Batch,
    choice: LinkCandidate, source: ItemSource
  ) throws {
    let token = choice.token
    let kind = source.tokens[token].kind
    let emptyKind: LinkMentions.Kind =
      request.listsKeys || choice.kind == .references ? .keys : .objects
    switch kind {
    case .null:
      say(link, of: owner, emptyKind, EmptyCollection())
    case .array,
      .object where !link.rule.elements.isEmpty:
      let first = targets.count
      defer { targets.removeAll(from: first) }
      let holdsObjects = try stageElements(token, of: source, link, node, owner: owner, in: batch)
      let kind: LinkMentions.Kind =
        holdsObjects ? .objects : (targets.count == first ? emptyKind : .keys)
      noteRepeats(from: first, link, of: owner, in: batch)
      say(link, of: owner, kind, targets[first...])
    default:
      noteIgnored(
        batch.node, property: link.rule.name,
        "“\(link.rule.name)” leads to many objects, and the payload gives no list."
          + (kind == .object ? Stager.keyedAdvice : ""))
    }
  }

  /// Stages the elements of a list and leaves them at the end of ``targets``.
  ///
  /// - Returns: Whether there were objects among them, not keys alone.
  private func stageElements(
    _ token: Int, of source: ItemSource, _ link: StagingLink, _ node: StagingNode, owner: Int32,
    in batch: Batch
  ) throws -> Bool {
    let place = Owner(batch: batch.number, owner: owner, rule: link.number)
    let role: Role = link.isOwned ? .member(place) : .shared(place)
    var holdsObjects = false
    try forEachElement(of: token, link, source) { element, key in
      switch element.map({ source.tokens[$0].kind }) {
      case .object,
        .array where node.plan.takesArrays:
        holdsObjects = true
        if let element, try stageRemoval(element, of: source, link, node, owner: place, key) {
          return
        }
        let child = try stage(element ?? token, of: source, node: node, role: role, key: key)
        if let child { targets.append(mention(child, of: node.batch, in: batches[link.rule.node])) }
      case .null where key != nil, .false where key != nil:
        // A set of keys says so of those that are not in it.
        break
      case nil, .null, .array:
        noteUnreadable(role)
        noteIgnored(
          batch.node, property: link.rule.name,
          "An element of “\(link.rule.name)” is neither an object nor a key.")
      case .some(let kind):
        // In a set of keys, `{"a": true}`, the key refers to the object.
        let value = kind == .true && key != nil ? keyReference(key, node) : element
        if let reference = value.flatMap({ stageReference($0, of: source, link, to: node, batch) })
        {
          targets.append(~reference)
        } else {
          noteUnreadable(role)
        }
      }
    }
    return holdsObjects
  }

  /// The token of a key that refers to an object; nil where keys stand for something else than the
  /// identity.
  private func keyReference(_ key: MemberKey?, _ node: StagingNode) -> Int? {
    guard let key, key.slot ?? node.plan.memberSlot == node.keys?.slot else { return nil }
    return key.token
  }

  private static let keyedAdvice =
    " If it is an object of objects by their keys, give the relationship the user info sync.keyedBy; if it is one object "
    + "in place of a list, map the relationship with a Serializer."

  /// Notes a key that refers to an object of the destination.
  private func stageReference(
    _ token: Int, of source: ItemSource, _ link: StagingLink, to node: StagingNode, _ batch: Batch
  ) -> Int32? {
    let destination = node.batch
    guard let keys = node.keys else {
      noteIgnored(
        batch.node, property: link.rule.name,
        "“\(destination.entity.name)” has no primary key to look “\(link.rule.name)” up by.")
      return nil
    }
    guard let key = referenceKey(token, of: source, keys) else {
      noteIgnored(
        batch.node, property: link.rule.name,
        "A key of “\(link.rule.name)” does not fit the primary key of “\(destination.entity.name)”."
      )
      return nil
    }
    let reference = destination.references.number(of: key, in: keys.slot)
    if link.rule.createsStubs { destination.references.stubs.insert(reference) }
    contents?.refer(
      reference, in: link.rule.node,
      link.isOwned ? .listed : (link.rule.isOneToOne ? .taken : .shared))
    return reference
  }

  /// The key that a value means, nil when it means none. The usual ones are converted in place: to
  /// ask the converter took a third of the time of a list of keys.
  @inline(__always)
  private func referenceKey(
    _ token: Int, of source: ItemSource, _ keys: StagingNode.KeyReading
  ) -> Cell? {
    let value = source.tokens[token]
    switch (keys.use, value.kind) {
    case (.integer, .integer):
      return .integer(Int64(bitPattern: value.word))
    case (.text, .string) where value.length > 0:
      return .text(at: value.word, length: Int(value.length))
    default:
      return convertedKey(token, of: source, keys.converter)
    }
  }

  @inline(never)
  private func convertedKey(
    _ token: Int, of source: ItemSource, _ converter: ValueConverter
  ) -> Cell? {
    guard case .cell(let key) = converter.convert(token, of: source.tape, arena: arena),
      !key.isEmpty
    else { return nil }
    return key
  }
}
