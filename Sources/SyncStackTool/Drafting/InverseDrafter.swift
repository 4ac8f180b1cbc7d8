import SyncStack

/// Gives each relationship of a draft the one that leads back: one that the payload has, where there is
/// only one that it can be, or else a new one.
struct InverseDrafter {
  private(set) var draft: ModelDraft

  init(_ draft: ModelDraft) {
    self.draft = draft
  }

  mutating func complete() {
    for owner in draft.entities.indices {
      // New ones come behind those that were there, and have their inverse.
      for number in draft.entities[owner].relationships.indices {
        let relationship = draft.entities[owner].relationships[number]
        guard relationship.inverse == nil,
          let destination = draft.entities.firstIndex(where: {
            $0.name == relationship.destination
          })
        else { continue }
        if let back = found(for: number, of: owner, in: destination) {
          pair(number, of: owner, with: back, of: destination)
        } else {
          make(for: number, of: owner, in: destination)
        }
      }
    }
  }

  /// The relationship of the payload that leads back; nil when there is none, or no telling.
  private func found(for number: Int, of owner: Int, in destination: Int) -> Int? {
    let forward = open(from: owner, to: destination)
    let back = open(from: destination, to: owner)
    if owner == destination {
      let others = forward.filter { $0 != number }
      guard others.count == 1,
        isToMany(owner, number) != isToMany(owner, others[0]), !isShared(owner, number),
        !isShared(owner, others[0])
      else { return nil }
      return others[0]
    }
    guard forward.count == 1, back.count == 1 else { return nil }
    // What several owners have leads back to all of them.
    let mayPair =
      (!isShared(owner, number) || isToMany(destination, back[0]))
      && (!isShared(destination, back[0]) || isToMany(owner, number))
    return mayPair ? back[0] : nil
  }

  private func open(from owner: Int, to destination: Int) -> [Int] {
    draft.entities[owner].relationships.indices.filter {
      let relationship = draft.entities[owner].relationships[$0]
      return relationship.inverse == nil
        && relationship.destination == draft.entities[destination].name
    }
  }

  private func isToMany(_ owner: Int, _ number: Int) -> Bool {
    draft.entities[owner].relationships[number].isToMany
  }

  private func isShared(_ owner: Int, _ number: Int) -> Bool {
    draft.entities[owner].relationships[number].isShared
  }

  private mutating func pair(
    _ number: Int, of owner: Int, with back: Int, of destination: Int
  ) {
    let name = draft.entities[owner].relationships[number].name
    let other = draft.entities[destination].relationships[back].name
    draft.entities[owner].relationships[number].inverse = other
    draft.entities[destination].relationships[back].inverse = name
    let note = "taken for the inverse of \(draft.entities[owner].name).\(name)"
    let known = draft.entities[destination].relationships[back].note
    draft.entities[destination].relationships[back].note =
      known.map { "\($0); \(note)" } ?? note
  }

  private mutating func make(for number: Int, of owner: Int, in destination: Int) {
    let relationship = draft.entities[owner].relationships[number]
    let entity = draft.entities[owner].name
    let isToMany = !relationship.isToMany || relationship.isShared
    let role = relationship.name.prefix(1).uppercased() + relationship.name.dropFirst()
    let base = isToMany ? DraftNames.plural(entity) : DraftNames.uncapitalized(entity)
    let names = [base, "\(base)As\(role)"] + (2...99).map { "\(base)As\(role)\($0)" }
    guard let name = names.first(where: { isFree($0, in: destination) }) else { return }
    draft.entities[owner].relationships[number].inverse = name
    draft.entities[destination].relationships.append(
      ModelDraft.Relationship(
        name: name, destination: entity, isToMany: isToMany, inverse: relationship.name,
        note: "not in the payload: the way back from \(entity).\(relationship.name)"))
  }

  private func isFree(_ name: String, in entity: Int) -> Bool {
    let entity = draft.entities[entity]
    let names = entity.attributes.map(\.name) + entity.relationships.map(\.name)
    return !DraftNames.isTaken(name)
      && !names.contains { $0.lowercased() == name.lowercased() }
  }
}
