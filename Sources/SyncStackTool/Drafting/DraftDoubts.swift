import SyncStack

/// Guesses that a draft must not make, because the payload has shown that they would be wrong.
struct DraftDoubts: Equatable {
  /// Values that an attribute has to take beyond those of its type.
  enum Width: Equatable { case text, json }

  /// Keys that stand for different objects, by entity.
  var rejectedKeys: [String: Set<[String]>] = [:]
  /// An example of that, by entity.
  var examples: [String: String] = [:]
  /// Places whose objects only look like those of an entity that was found before.
  var separatePlaces: Set<String> = []
  /// By entity and property: `User.name`.
  var widths: [String: Width] = [:]
  /// Lists whose objects stand in those of other owners as well.
  var shared: Set<String> = []

  /// Learns from the trial of a draft.
  ///
  /// - Returns: Whether there was anything that another draft can do better.
  mutating func learn(from trial: DraftTrial) -> Bool {
    let before = self
    for finding in trial.report.findings {
      let property = finding.property.map { "\(finding.entity).\($0)" }
      switch finding.kind {
      case .refusedConversion:
        guard let property else { continue }
        widths[property] = widths[property] == nil && finding.path != nil ? .text : .json
      case .ignoredValue:
        if let property { widths[property] = .json }
      case .movedObject:
        if let property { shared.insert(property) }
      case .skippedItem:
        if trial.hasUnfitItems, let key = trial.keys[finding.entity] {
          rejectedKeys[finding.entity, default: []].insert(key)
        }
      default: continue
      }
    }
    return self != before
  }

  /// Learns from the checks of the objects' keys.
  ///
  /// - Returns: Whether there was anything new.
  mutating func learn(from checks: KeyChecks, _ entities: [FoundEntity]) -> Bool {
    let before = self
    for entity in entities {
      guard let key = entity.key, let conflict = checks.conflicts[entity.name] else { continue }
      let (first, other) = (conflict.places[0], conflict.places[1])
      if first != other {
        // The place that made the entity keeps it.
        separatePlaces.insert(other.isEmpty || other == entity.places.first ? first : other)
      } else if !(conflict.isBetweenOwners && !conflict.isInList && entity.places == [other]
        && checks.sharing(of: conflict.member) == .perOwner)
      {
        rejectedKeys[entity.name, default: []].insert(key)
        examples[entity.name] =
          "“\(key.joined(separator: "."))” is no key: \(conflict.key) stands for objects that differ in "
          + "“\(conflict.name)”."
      }
    }
    return self != before
  }
}

/// The outcome of a sync of payloads, by the model of a draft, into an empty store.
struct DraftTrial {
  let report: SyncReport
  /// Where the keys of the entities stand.
  let keys: [String: [String]]
  /// Whether objects were left out, not only items that are null.
  let hasUnfitItems: Bool
}
