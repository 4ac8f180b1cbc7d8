import SyncStack

/// What objects, and keys that lead to objects, become.
extension ModelDrafter {
  mutating func addRelationship(
    _ number: Int, at place: [String], to target: FoundEntity, _ member: MemberShape
  ) {
    let isToMany = member.lists > 0
    // Keys may stand for objects under one key: then that key is given, and the value decides.
    let isMixed = member.scalars.count + member.elements.count > 0
    let base = name(at: place, of: entities[number], isRelationship: true)
    if doubts.widths["\(entities[number].name).\(base)"] == .json {
      return addJSON(number, at: place, of: entities[number], member, false)
    }
    let name = free(base, number)
    var relationship = ModelDraft.Relationship(
      name: name, destination: target.name, isToMany: isToMany,
      remoteKey: isMixed || place.count > 1 || !DraftNames.isFound(name, under: place[0])
        ? place.joined(separator: ".") : nil)
    relationship.waysBack = checks.waysBack(from: member)
    relationship.hasOneOwner = checks.hasOneOwner(member)
    relationship.source = place.joined(separator: ".")
    if isMixed { relationship.note = "objects, or only their keys" }
    if isToMany {
      let isShared = doubts.shared.contains("\(entities[number].name).\(name)")
      switch isShared ? .shared : checks.sharing(of: member) {
      case .none where target.places.count > 1:
        relationship.note = "several owners may list the same objects, which stand elsewhere too"
        relationship.isShared = true
      case .none: relationship.deleteRule = .cascade
      case .shared:
        relationship.note = "several owners list the same objects"
        relationship.isShared = true
      case .perOwner:
        relationship.note = "several owners use the same keys for different objects"
        relationship.keyScopeIsOwner = true
        relationship.deleteRule = .cascade
      }
    }
    draft.entities[number].relationships.append(relationship)
  }

  /// A key such as `user_id` or `label_ids` leads to an entity that is there.
  ///
  /// - Returns: False when it does not.
  mutating func addReference(
    _ number: Int, at place: [String], of entity: FoundEntity, _ member: MemberShape,
    toMany: Bool
  ) -> Bool {
    let values = toMany ? member.elements : member.scalars
    guard place.count == 1, place != entity.key, values.count > 0 else { return false }
    if addPlainReference(number, at: place[0], values, toMany: toMany) { return true }
    guard let stem = DraftNames.stem(ofReference: place[0], toMany: toMany) else { return false }
    let other = entity.shape.members[stem.key] ?? entity.shape.members[DraftNames.plural(stem.key)]
    // The objects stand in the same item under a key of their own: then both mean one relationship.
    // “cast_id” of a Cast names itself, whatever else it has for a key.
    let target =
      other?.entity
      ?? entities.first { $0 !== entity && $0.name == DraftNames.entity(stem.key) }
    guard let target, let keys = target.keyValues, (keys.texts == 0) == (values.texts == 0),
      values.booleans + values.fractions == 0
    else { return false }
    let name = toMany ? DraftNames.plural(stem.name) : stem.name
    if let other, other.entity != nil {
      // With a key of its own a relationship is looked for nowhere else.
      return other.scalars.count + other.elements.count == 0
        && DraftNames.isReferred(name, under: place[0], toMany: toMany)
    }
    guard !isUsed(name, number),
      DraftNames.isReferred(name, under: place[0], toMany: toMany)
    else { return false }
    var relationship = ModelDraft.Relationship(
      name: free(name, number), destination: target.name, isToMany: toMany,
      note: "by “\(place[0])”")
    relationship.isShared = toMany
    relationship.source = place[0]
    draft.entities[number].relationships.append(relationship)
    return true
  }

  /// A key that is called like an entity, with nothing but keys of its objects under it:
  /// `"customer": "cus_1"`. Small numbers may be counts as well, so only texts are taken for keys.
  private mutating func addPlainReference(
    _ number: Int, at key: String, _ values: ScalarShape, toMany: Bool
  ) -> Bool {
    guard let target = entities.first(where: { $0.name == DraftNames.entity(key) }),
      let keys = target.keyValues?.distinct,
      values.texts == values.count, values.distinct.isSubset(of: keys)
    else { return false }
    var relationship = ModelDraft.Relationship(
      name: free(DraftNames.property(key), number), destination: target.name, isToMany: toMany,
      remoteKey: key, note: "keys of objects that stand elsewhere")
    relationship.source = key
    relationship.isShared = toMany
    draft.entities[number].relationships.append(relationship)
    return true
  }
}
