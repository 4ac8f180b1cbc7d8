import SyncCore

/// The keys that no object had.
extension Claims {
  var hasUnresolved: Bool { !before.references.isEmpty || !new.references.isEmpty }

  /// The keys that no object had, in payload order.
  var unresolved: [UnresolvedReference] {
    let waiting = before.references.lazy.filter { [new] in !new.answered.contains($0.key) }
    return (waiting.flatMap(\.value) + new.references.values.joined())
      .sorted { $0.number < $1.number }
  }

  /// Whether a key of a place waits for its object.
  func isWaiting(_ place: UnresolvedReference.Place) -> Bool {
    new.references[place] != nil
      || before.references[place] != nil && !new.answered.contains(place)
  }

  func append(_ reference: UnresolvedReference) {
    var reference = reference
    reference.number = state.referenceCount
    state.referenceCount += 1
    new.references[reference.place, default: []].append(reference)
  }

  /// Forgets what a place waits for: it was given again.
  func drop(_ place: UnresolvedReference.Place) {
    new.references[place] = nil
    if before.references[place] != nil { new.answered.insert(place) }
  }
}
