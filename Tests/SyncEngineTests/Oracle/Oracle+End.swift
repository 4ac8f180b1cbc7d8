import SyncStack

/// The decisions at the end of a payload, when all of its parts were seen: references whose object
/// came late, and objects that go.
extension Oracle {
  /// Links references whose object has come.
  mutating func linkWaiting() {
    guard isInParts else { return }
    var taken: Set<OraclePlace> = []
    for reference in waiting where !reference.isRefused {
      let place = reference.place
      guard let id = graph.all(graph.destination(place), key: reference.key).first else { continue }
      if let inverse = graph.inverse(place), !inverse.isToMany {
        // The mentions of later parts count more.
        let back = OraclePlace(id, inverse)
        let isFree = graph.members(back).allSatisfy { $0 == place.object }
        guard isFree || taken.contains(back) else { continue }
        taken.insert(back)
      }
      graph.link(place, to: id)
      var members = graph.members(place).filter { $0 != id }
      members.insert(id, at: min(reference.position, members.count))
      graph.arrange(place, as: members)
    }
  }

  /// Takes children out of a given parent whose list came in parts.
  mutating func releaseChildren() {
    guard let parentPlace, isInParts else { return }
    let children = tops.compactMap(\.object).unique
    if payload.operations.contains(.delete), isComplete {
      for member in graph.members(parentPlace) where !children.contains(member) {
        if parentPlace.relationship.kind == .oneToMany {
          leftOut[OraclePlace(member, parentPlace.relationship)] = parentPlace.object
        } else {
          graph.unlink(parentPlace, from: member)
        }
      }
    }
    graph.arrange(parentPlace, as: children)
  }

  // MARK: - Deletions

  /// The way up in a payload that nests objects of one entity in each other; nil when it does not.
  private var tree: RelationshipDescription? {
    let tree = payload.entity.relationships.first {
      !$0.isToMany && $0.destinationIndex == payload.entity.index && $0.isInverseToMany
    }
    let list = tree.flatMap { payload.entity.inverse(of: $0) }
    let isNested = tops.contains {
      $0.relations.contains { $0.deletes && $0.relationship.name == list?.name }
    }
    return isNested ? tree : nil
  }

  /// The stored objects that take part: in a tree those at the top.
  func scope() -> [OracleID] {
    stored.all(payload.entity).filter { id in
      switch payload.scope {
      case .named(let name): stored[id].attributes["name"] == .string(name)
      case .entity: tree.map { stored.members(OraclePlace(id, $0)).isEmpty } ?? true
      case .list: false
      }
    }
  }

  /// Of objects that have the key of an item without being its object, those stay that have not the
  /// same owners as an older one.
  mutating func keepNamesakes() {
    let keys = items.filter { $0.entity == payload.entity }.compactMap(\.key)
    let all = before.all(payload.entity).filter { keys.contains(before[$0].key) }
    for id in all where !items.contains(where: { $0.object == id }) {
      let isRepeat = all.contains {
        $0 < id && before[$0].key == before[id].key && before[$0].entity == before[id].entity
          && before[$0].owners == before[id].owners
      }
      if !isRepeat { namesakes.insert(id) }
    }
  }

  /// Objects in scope that the payload does not mention, in a tree those below them as well.
  func unmentioned() -> [OracleID] {
    guard payload.operations.contains(.delete), isComplete else { return [] }
    var all = scope()
    if case .entity = payload.scope, let tree {
      var level = all.filter { !mentioned.contains($0) }
      while !level.isEmpty {
        level = graph.all(payload.entity).filter { id in
          !all.contains(id) && !mentioned.contains(id)
            && graph.members(OraclePlace(id, tree)).contains(where: level.contains)
        }
        all += level
      }
    }
    return all.filter {
      !graph[$0].key.isNull && !mentioned.contains($0) && !namesakes.contains($0)
    }
  }

  /// Members that their owner's list left out. One that is mentioned elsewhere only leaves its
  /// owner.
  mutating func leftMembers() -> [OracleID] {
    let left = leftOut.filter { !graph[$0.key.object].key.isNull }
    for (place, owner) in left where mentioned.contains(place.object) {
      graph.unlink(OraclePlace(owner, place.relationship), from: place.object)
    }
    return left.keys.map(\.object).filter { !mentioned.contains($0) }.sorted()
  }
}
