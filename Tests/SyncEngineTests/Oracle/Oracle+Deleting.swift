import SyncCore
import SyncEngine

/// What goes at the top, and which objects of one key become one.
extension Oracle {
  /// Items of which none can be used, and objects that might go for it: the sync is refused, at any size.
  var isErrorDocument: Bool {
    guard request.operations.contains(.delete), !request.items.isEmpty, roots.isEmpty else {
      return false
    }
    if case .parent(_, let relationship) = request.scope, relationship.kind == .manyToMany {
      return false
    }
    return !scope().isEmpty
  }

  /// The stored objects that take part.
  func scope() -> [OracleID] {
    let all = stored.all(request.entity)
    switch request.scope {
    case .filter(let isIncluded): return all.filter { isIncluded(stored[$0]) }
    case .parent(let parent, let relationship): return stored.members(relationship, of: parent)
    case .entity: break
    }
    let tree = request.entity.relationships.first {
      !$0.isToMany && $0.destinationIndex == request.entity.index
    }
    guard let tree, !roots.contains(where: { $0.toOnes.contains { $0.0.name == tree.name } })
    else { return all }
    return all.filter { stored[$0].toOne[tree.name] == nil }
  }

  mutating func deleteAtTheTop() {
    guard request.operations.contains(.delete) else { return }
    if case .parent = request.scope { return }
    // A key that cannot be read suspends deletion.
    guard isComplete else { return }
    let keys = items.filter { $0.entity == request.entity }.compactMap(\.key)
    let scope = scope()
    for id in scope where !stored[id].key.isNull && !keys.contains(stored[id].key) {
      doomed.insert(id)
    }
    guard case .entity = request.scope else { return }
    fold(scope)
  }

  /// Of objects with the same key and the same owners only the first stays.
  mutating func fold(_ scope: [OracleID]) {
    var seen: [OracleID] = []
    for id in scope where !stored[id].key.isNull {
      if seen.contains(where: {
        stored[$0].key == stored[id].key && stored[$0].entity == stored[id].entity
          && stored[$0].toOne == stored[id].toOne
      }) {
        doomed.insert(id)
      } else {
        seen.append(id)
      }
    }
  }
}
