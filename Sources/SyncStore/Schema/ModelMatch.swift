import SyncCore

/// Which entities and properties of two models are the same ones.
///
/// An element is known by its renaming identifier across versions, or else by its name. Pairs are
/// found in this order, and nothing is paired twice:
/// 1. same name and same renaming identifier,
/// 2. same renaming identifier,
/// 3. the new one's identifier is the old one's name: it was renamed,
/// 4. same name,
/// 5. the new one's name is the old one's identifier: it got its first name back.
///
/// Properties are paired for each entity with all that it inherits: so one that moved to a
/// superentity or down from it is still the same. Transient ones, which are not stored, are left
/// out.
struct ModelMatch {
  let old: ManagedObjectModel
  let new: ManagedObjectModel
  let oldEntities: [EntityDescription]
  let newEntities: [EntityDescription]

  /// Index of the old entity by index of the new one.
  let source: [Int?]

  /// Index of the new entity by index of the old one.
  let target: [Int?]

  /// For each new entity the old slot by new slot.
  let sourceSlots: [[Int?]]

  init(from old: ManagedObjectModel, to new: ManagedObjectModel) {
    self.old = old
    self.new = new
    oldEntities = old.entities
    newEntities = new.entities
    let entities = ModelMatch.pair(
      oldEntities.map { Name(name: $0.name, identifier: $0.renamingIdentifier) },
      newEntities.map { Name(name: $0.name, identifier: $0.renamingIdentifier) })
    source = entities
    var target = [Int?](repeating: nil, count: oldEntities.count)
    for (index, source) in entities.enumerated() { source.map { target[$0] = index } }
    self.target = target
    let old = oldEntities
    sourceSlots = newEntities.enumerated().map { index, entity in
      guard let source = entities[index] else {
        return [Int?](repeating: nil, count: entity.properties.count)
      }
      return ModelMatch.pair(ModelMatch.names(old[source]), ModelMatch.names(entity))
    }
  }

  /// The old entity that a new one was.
  func source(of entity: EntityDescription) -> EntityDescription? {
    source[entity.index].map { oldEntities[$0] }
  }

  /// The new entity that an old one became; nil when it was removed.
  func target(of entity: EntityDescription) -> EntityDescription? {
    target[entity.index].map { newEntities[$0] }
  }

  /// The old property that a property of a new entity was.
  func source(of slot: Int, in entity: EntityDescription) -> PropertyDescription? {
    guard let source = source[entity.index], let old = sourceSlots[entity.index][slot] else {
      return nil
    }
    return oldEntities[source].record.properties[old]
  }

  // MARK: - Names

  private struct Name {
    var name: String
    var identifier: String?
    var isLeftOut = false
  }

  private static func names(_ entity: EntityDescription) -> [Name] {
    entity.properties.map {
      Name(name: $0.name, identifier: $0.renamingIdentifier, isLeftOut: $0.isTransient)
    }
  }

  /// One way to recognise an element: the names in which the old and the new one have to agree.
  private struct Rule: Sendable {
    let old: @Sendable (Name) -> [String?]
    let new: @Sendable (Name) -> [String?]
  }

  private static let rules = [
    Rule(old: { [$0.name, $0.identifier] }, new: { [$0.name, $0.identifier] }),
    Rule(old: { [$0.identifier] }, new: { [$0.identifier] }),
    Rule(old: { [$0.name] }, new: { [$0.identifier] }),
    Rule(old: { [$0.name] }, new: { [$0.name] }),
    Rule(old: { [$0.identifier] }, new: { [$0.identifier == nil ? $0.name : nil] }),
  ]

  /// Pairs names; the result is by position in the new list.
  ///
  /// - Complexity: linear.
  private static func pair(_ old: [Name], _ new: [Name]) -> [Int?] {
    var result = [Int?](repeating: nil, count: new.count)
    var free = old.indices.filter { !old[$0].isLeftOut }
    for rule in rules {
      // The last of each list is the first of the old elements.
      var candidates: [[String?]: [Int]] = [:]
      for index in free.reversed() { candidates[rule.old(old[index]), default: []].append(index) }
      for (index, name) in new.enumerated() where result[index] == nil && !name.isLeftOut {
        let wanted = rule.new(name)
        if !wanted.contains(nil) { result[index] = candidates[wanted]?.popLast() }
      }
      let taken = Set(result.compactMap { $0 })
      free.removeAll(where: taken.contains)
    }
    return result
  }
}
