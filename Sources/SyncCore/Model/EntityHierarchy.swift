/// The superentity of each entity, by index; checked to be free of cycles, unknown and repeated
/// names.
struct EntityHierarchy {
  let indexes: [String: Int]
  private(set) var superentities: [Int?]
  private(set) var subentities: [[Int]]
  private(set) var roots: [Int]

  /// All indexes in an order in which every entity follows its superentity.
  private(set) var superentitiesFirst: [Int]

  init(_ drafts: [EntityDraft]) throws(ModelError) {
    indexes = try EntityHierarchy.index(drafts)
    superentities = []
    subentities = Array(repeating: [], count: drafts.count)
    roots = Array(drafts.indices)
    superentitiesFirst = []
    for (index, draft) in drafts.enumerated() {
      guard let name = draft.superentityName else {
        superentities.append(nil)
        continue
      }
      guard let superentity = indexes[name] else {
        throw .unknownSuperentity(name, of: draft.name, known: drafts.map(\.name))
      }
      superentities.append(superentity)
      subentities[superentity].append(index)
    }
    var pending = drafts.indices.filter { superentities[$0] == nil }
    var next = 0
    while next < pending.count {
      let entity = pending[next]
      for subentity in subentities[entity] { roots[subentity] = roots[entity] }
      pending.append(contentsOf: subentities[entity])
      next += 1
    }
    superentitiesFirst = pending
    if pending.count < drafts.count { try throwCycle(drafts, reached: Set(pending)) }
  }

  private static func index(_ drafts: [EntityDraft]) throws(ModelError) -> [String: Int] {
    var result: [String: Int] = [:]
    var renamings: [String: String] = [:]
    for (index, draft) in drafts.enumerated() {
      try NameRule.checkEntity(draft.name)
      guard result.updateValue(index, forKey: draft.name) == nil else {
        throw .duplicateEntity(draft.name)
      }
      guard let identifier = draft.renamingIdentifier else { continue }
      if let other = renamings.updateValue(draft.name, forKey: identifier) {
        throw .sharedRenaming(identifier, entity: draft.name, between: other, and: draft.name)
      }
    }
    return result
  }

  /// Entities that no walk down from an entity without superentity reaches lie on a cycle, or below
  /// one. Says so of the first of them.
  private func throwCycle(_ drafts: [EntityDraft], reached: Set<Int>) throws(ModelError) {
    guard let start = drafts.indices.first(where: { !reached.contains($0) }) else { return }
    var path = [start]
    while let above = superentities[path[path.count - 1]], above != start,
      path.count <= drafts.count
    {
      path.append(above)
    }
    if let last = superentities[path[path.count - 1]] { path.append(last) }
    throw .inheritanceCycle(path.map { drafts[$0].name })
  }
}
