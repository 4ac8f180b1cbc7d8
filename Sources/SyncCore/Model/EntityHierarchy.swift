/// Who inherits from whom, by index; checked to be free of cycles, unknown and repeated names.
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
    for index in drafts.indices {
      roots[index] = try root(of: index, names: drafts.map(\.name))
    }
    var pending = drafts.indices.filter { superentities[$0] == nil }
    var next = 0
    while next < pending.count {
      pending.append(contentsOf: subentities[pending[next]])
      next += 1
    }
    superentitiesFirst = pending
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

  /// Walks up to the topmost superentity; a walk that is longer than the model is a cycle.
  private func root(of index: Int, names: [String]) throws(ModelError) -> Int {
    var current = index
    var path = [names[index]]
    while let above = superentities[current] {
      path.append(names[above])
      guard above != index else { throw .inheritanceCycle(path) }
      guard path.count <= names.count else { throw .inheritanceCycle(path) }
      current = above
    }
    return current
  }
}
