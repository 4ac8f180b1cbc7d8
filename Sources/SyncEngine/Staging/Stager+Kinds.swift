import SyncCore

/// Items of several kinds in one place: each is staged among the objects of its subentity, and a mention of it stands where it was.
extension Stager {
  /// Who reads an item of a node that has kinds.
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
    case .node(let number): return readers.nodes[number]
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

  /// What an item calls its kind.
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
        The item \(found), so nobody can tell which subentity of “\(batch.entity.name)” it is: \(known) are known. Name it \
        in the user info sync.type of one, or give one the type “*”.
        """)
    if request.onItemError == .fail { throw Stop(item: part.items.end - 1, error: error) }
    noteSkipped(error, in: batch)
    guard node.hasIdentity else { return }
    // Whoever is stored with its key was named all the same.
    let row = batch.block.append()
    let first = candidates.count
    defer { candidates.removeAll(from: first) }
    try fill(batch.block[row], from: token, of: source, node: node)
    let isKeyless = batch.node.identity.contains { batch.block[row][$0].isEmpty }
    if !isKeyless { batch.references.add(keyOf: batch.block[row], batch.node.identity) }
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
    mention.flags = [.ofSubentity, .keyless]
    let result = other.append(mention, item: part.items.end - 1, order: counts.mentions)
    other.ofSubentities.add(result, of: object, isBare: true)
    return result
  }
}
