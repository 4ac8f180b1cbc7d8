import SyncCore

/// The keys that no object had.
extension Claims {
  var hasUnresolved: Bool { !unresolvedByPlace.isEmpty }

  /// The keys that no object had, in payload order.
  var unresolved: [UnresolvedReference] {
    unresolvedOrder.flatMap { unresolvedByPlace[$0] ?? [] }
  }

  func append(_ reference: UnresolvedReference) {
    newReferences?.appended.append(reference)
    if unresolvedByPlace[reference.place] == nil { unresolvedOrder.append(reference.place) }
    unresolvedByPlace[reference.place, default: []].append(reference)
  }

  /// - Complexity: O(*n*) in the places that wait, however many are dropped.
  func drop(_ places: Set<UnresolvedReference.Place>) {
    guard !places.isEmpty else { return }
    newReferences?.drop(places)
    for place in places { unresolvedByPlace[place] = nil }
    unresolvedOrder.removeAll(where: places.contains)
  }

  /// References that came, behind those that went.
  struct NewReferences {
    fileprivate(set) var appended: [UnresolvedReference] = []
    fileprivate(set) var dropped: Set<UnresolvedReference.Place> = []

    fileprivate mutating func drop(_ places: Set<UnresolvedReference.Place>) {
      appended.removeAll { places.contains($0.place) }
      dropped.formUnion(places)
    }
  }
}
