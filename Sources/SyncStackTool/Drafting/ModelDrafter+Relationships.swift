import SyncStack

/// Relationships from objects, and from keys that lead to objects.
extension ModelDrafter {
  mutating func addRelationship(
    _ number: Int, at place: [String], to target: FoundEntity, _ member: MemberShape
  ) {
    let isToMany = member.lists > 0
    // Keys may stand for objects under one key: then that key is given, and the value decides.
    let isMixed = member.scalars.count + member.elements.count > 0
    let base = name(at: place, of: entities[number], isRelationship: true)
    if doubts.widths["\(entities[number].name).\(base)"] == .json {
      return addJSON(number, at: place, of: entities[number], member)
    }
    let name = free(base, number)
    var relationship = ModelDraft.Relationship(
      name: name, destination: target.name, isToMany: isToMany,
      remoteKey: isMixed || place.count > 1 || !DraftNames.isFound(name, under: place[0])
        ? DraftPath.text(place) : nil)
    relationship.waysBack = checks.waysBack(from: member)
    relationship.hasOneOwner = checks.hasOneOwner(member)
    relationship.source = place.joined(separator: ".")
    if isMixed { relationship.note = "objects, or only their keys" }
    if isToMany {
      let isShared = doubts.shared.contains("\(entities[number].name).\(name)")
      judge(&relationship, isShared ? .shared : checks.sharing(of: member), number, target)
      order(&relationship, by: place, target)
    }
    draft.entities[number].relationships.append(relationship)
  }

  /// Whose the objects of a list are, and why it is taken for so. Without evidence several owners
  /// may have one, and none is deleted with its owner.
  private func judge(
    _ relationship: inout ModelDraft.Relationship, _ sharing: KeyChecks.Sharing, _ number: Int,
    _ target: FoundEntity
  ) {
    let reason: String
    switch sharing {
    case .shared:
      reason = "several owners list the same objects"
      relationship.isShared = true
    case .perOwner:
      reason = "several owners use the same keys for different objects"
      relationship.keyScopeIsOwner = true
      relationship.deleteRule = .cascade
    case .none where target === entities[number] && relationship.hasOneOwner:
      reason = "a tree as far as it shows, of which nothing is deleted with what is above"
    case .none where !relationship.waysBack.isEmpty:
      let way = relationship.waysBack.sorted()[0]
      reason = "each leads back to one owner by “\(way)”, and is not deleted with it"
    case .none:
      reason = "nothing shows that each has one owner, so several may list it"
      relationship.isShared = true
    }
    relationship.add(reason)
  }

  /// Whether the order of a list counts, as its name or positions in its objects say.
  private func order(
    _ relationship: inout ModelDraft.Relationship, by place: [String], _ target: FoundEntity
  ) {
    let words = place.compactMap { step in
      Inflection.naturalSnake(step).split(separator: "_").last.map(String.init)
    }
    if let position = target.shape.keys.first(where: DraftNames.isPosition) {
      relationship.isOrdered = true
      relationship.add("ordered, for its objects have “\(position)”")
    } else if words.contains(where: DraftNames.isOrderedList) {
      relationship.isOrdered = true
      relationship.add("ordered by its name")
    } else {
      relationship.add("its order is not kept, which an ordered relationship would do")
    }
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
