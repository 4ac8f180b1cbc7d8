import SyncStack

/// Gives each relationship of a draft the one that leads back: one that the payload has, where
/// there is only one that it can be, or else a new one.
struct InverseDrafter {
  private(set) var draft: ModelDraft

  mutating func complete() {
    // Relationships of the payload are paired before any are added.
    for owner in draft.entities.indices {
      for number in draft.entities[owner].relationships.indices {
        let relationship = draft.entities[owner].relationships[number]
        guard relationship.inverse == nil, let destination = index(of: relationship.destination),
          let back = found(for: number, of: owner, in: destination)
        else { continue }
        pair(number, of: owner, with: back, of: destination)
      }
    }
    for owner in draft.entities.indices {
      // New ones come behind those that were there, and have their inverse.
      for number in draft.entities[owner].relationships.indices {
        let relationship = draft.entities[owner].relationships[number]
        guard relationship.inverse == nil, let destination = index(of: relationship.destination)
        else { continue }
        make(for: number, of: owner, in: destination)
      }
    }
  }

  private func index(of entity: String) -> Int? {
    draft.entities.firstIndex { $0.name == entity }
  }

  /// The relationship of the payload that leads back; nil when there is none, or no telling. One
  /// that all objects lead back by is taken: a list before a single object, `images` before
  /// `image`, and two single ones only when they are named after each other.
  private func found(for number: Int, of owner: Int, in destination: Int) -> Int? {
    let pairs = open(from: destination, to: owner).filter { back in
      (owner != destination || back != number) && mayPair(number, of: owner, back, of: destination)
    }
    guard pairs.count == 1 else { return nil }
    let rivals = open(from: owner, to: destination).filter { other in
      other != number && (owner != destination || other != pairs[0])
        && mayPair(other, of: owner, pairs[0], of: destination)
    }
    return rivals.isEmpty ? pairs[0] : nil
  }

  private func mayPair(_ number: Int, of owner: Int, _ back: Int, of destination: Int) -> Bool {
    let there = draft.entities[owner].relationships[number]
    let here = draft.entities[destination].relationships[back]
    let isFamily = owner == destination && Set([there.name, here.name]) == ["parent", "children"]
    guard isFamily || leads(there, back: here) || leads(here, back: there) else { return false }
    switch (there.isToMany, here.isToMany) {
    case (true, true): return true
    // An object that several owners have leads back to all of them.
    case (true, false): return !there.isShared || there.hasOneOwner
    case (false, true): return !here.isShared || here.hasOneOwner
    case (false, false):
      return owner != destination && there.hasOneOwner && here.hasOneOwner
        && there.name == DraftNames.uncapitalized(there.destination)
        && here.name == DraftNames.uncapitalized(here.destination)
        && open(from: owner, to: destination).count == 1
    }
  }

  private func leads(_ there: ModelDraft.Relationship, back: ModelDraft.Relationship) -> Bool {
    back.source.map(there.waysBack.contains) ?? false
  }

  private func open(from owner: Int, to destination: Int) -> [Int] {
    draft.entities[owner].relationships.indices.filter {
      let relationship = draft.entities[owner].relationships[$0]
      return relationship.inverse == nil
        && relationship.destination == draft.entities[destination].name
    }
  }

  private mutating func pair(_ number: Int, of owner: Int, with back: Int, of destination: Int) {
    let name = draft.entities[owner].relationships[number].name
    let other = draft.entities[destination].relationships[back].name
    draft.entities[owner].relationships[number].inverse = other
    draft.entities[destination].relationships[back].inverse = name
    let note = "taken for the inverse of \(draft.entities[owner].name).\(name)"
    let known = draft.entities[destination].relationships[back].note
    draft.entities[destination].relationships[back].note = known.map { "\($0); \(note)" } ?? note
  }

  private mutating func make(for number: Int, of owner: Int, in destination: Int) {
    let relationship = draft.entities[owner].relationships[number]
    let entity = draft.entities[owner].name
    let isToMany = !relationship.isToMany || relationship.isShared
    let role = relationship.name.prefix(1).uppercased() + relationship.name.dropFirst()
    let base = isToMany ? DraftNames.plural(entity) : DraftNames.uncapitalized(entity)
    // Beside one of nearly the same name it says which one it is.
    let isSecond = draft.entities[destination].relationships.contains {
      $0.name == base || DraftNames.plural($0.name) == base
    }
    let names =
      (isSecond ? [] : [base]) + ["\(base)As\(role)"]
      + (2...99).map { "\(base)As\(role)\($0)" }
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
