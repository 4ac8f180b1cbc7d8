import SyncStack

/// Draws a model from the shapes of the objects of payloads.
struct ModelDrafter {
  let entities: [FoundEntity]
  let checks: KeyChecks
  let doubts: DraftDoubts
  var draft = ModelDraft()
  /// Names that are taken, by entity.
  private var names: [String: Set<String>] = [:]

  init(_ entities: [FoundEntity], checks: KeyChecks, doubts: DraftDoubts = DraftDoubts()) {
    self.entities = entities
    self.checks = checks
    self.doubts = doubts
    draft.entities = entities.map { ModelDraft.Entity(name: $0.name) }
    for (number, entity) in entities.enumerated() { describe(entity, number) }
    for (number, entity) in entities.enumerated() {
      fill(number, from: entity.shape, of: entity, under: [], isCleared: false)
    }
    var inverses = InverseDrafter(draft: draft)
    inverses.complete()
    draft = inverses.draft
  }

  private mutating func describe(_ entity: FoundEntity, _ number: Int) {
    var notes = ["From \(Figures.counted(entity.shape.count, "object"))."]
    if number == 0 ? !entity.places.isEmpty : entity.places.count > 1 {
      let places = entity.places.joined(separator: ", ")
      notes.append("\(number == 0 ? "Also what" : "What") stands at \(places).")
    }
    if entity.shape.keys.allSatisfy({ $0.allSatisfy(\.isNumber) }), !entity.shape.keys.isEmpty {
      notes.append(
        "Items are lists, whose values have positions and no names: rename the attributes.")
    }
    if entity.key == nil { notes += keylessNotes(entity) }
    if entity.key != nil, let mark = DeletionMarks.first(in: entity.shape.keys) {
      if DeletionMarks.certain.contains(mark) {
        draft.entities[number].tombstoneKey = DraftPath.text([mark])
        notes.append("An item with “\(mark)” says that its object is deleted.")
      } else {
        notes.append(DeletionMarks.offer(mark))
      }
    }
    draft.entities[number].notes = notes
  }

  /// The decisions that are left to a person.
  private func keylessNotes(_ entity: FoundEntity) -> [String] {
    var notes = [KeyFinder.keyless(entity.name)]
    if let example = doubts.examples[entity.name] { notes.append(example) }
    let differing = KeyFinder.ofRoot(entity.shape, entity.name).differing.map { "“\($0)”" }
    if !differing.isEmpty {
      notes.append(
        "Different in each of the \(Figures.counted(entity.shape.count, "object")): "
          + "\(differing.joined(separator: ", ")).")
    }
    if let member = KeyFinder.ofRoot(entity.shape, entity.name).keyedMember {
      notes.append(
        "Each has a “\(member)” with a key: --at with [].\(member) at its end takes those instead.")
    }
    return notes
  }

  // MARK: - Members

  private mutating func fill(
    _ number: Int, from shape: ObjectShape, of entity: FoundEntity, under path: [String],
    isCleared: Bool
  ) {
    let alternatives = alternatives(of: shape, isPart: !path.isEmpty)
    // The key first, as people write it.
    let keys =
      shape.keys.filter { isPartOfKey(path + [$0], of: entity) }
      + shape.keys.filter { !isPartOfKey(path + [$0], of: entity) }
    for key in keys {
      guard let member = shape.members[key], DraftPath.canName(key) else { continue }
      let place = path + [key]
      if path.isEmpty, draft.entities[number].tombstoneKey == DraftPath.text([key]) { continue }
      let isCleared = isCleared || alternatives.contains(key)
      let before = draft.entities[number]
      if let target = member.entity {
        addRelationship(number, at: place, to: target, member)
      } else if let object = member.object, member.lists == 0, member.scalars.count == 0,
        !object.isDictionary, object.hasPlainKeys, !key.contains(".")
      {
        fill(number, from: object, of: entity, under: place, isCleared: isCleared)
        continue
      } else {
        addValue(number, at: place, of: entity, member)
      }
      if isCleared { draft.entities[number].clear(from: before) }
    }
  }

  /// A plain value, a list of these, or a value that is kept as JSON.
  private mutating func addValue(
    _ number: Int, at place: [String], of entity: FoundEntity, _ member: MemberShape
  ) {
    if member.objects == 0, member.lists == 0 {
      if addReference(number, at: place, of: entity, member, toMany: false) { return }
      addAttribute(number, at: place, of: entity, member.scalars)
    } else if member.objects == 0, member.scalars.count == 0, member.elementObjects == nil,
      !member.hasInnerLists, member.elements.count > 0
    {
      if addReference(number, at: place, of: entity, member, toMany: true) { return }
      addList(number, at: place, of: entity, member.elements)
    } else {
      addJSON(number, at: place, of: entity, member)
    }
  }

  /// Keys of which one at a time is there, the value being of another type each time: an item that
  /// has the one has no longer the other. In the items themselves they have to be of different
  /// kinds, for there many a value is optional.
  private func alternatives(of shape: ObjectShape, isPart: Bool) -> Set<String> {
    if let values = shape.valuesByType { return values }
    let groups = shape.company.alternatives
    // An item that says that its object is deleted says nothing else.
    if groups.contains(where: { DeletionMarks.first(in: $0) != nil }) { return [] }
    let kinds = groups.map { group in
      Set(group.compactMap { shape.members[$0]?.kind })
    }
    return isPart || Set(kinds).count == groups.count
      ? groups.reduce(into: []) { $0.formUnion($1) } : []
  }

  /// Whether the key of an entity stands there or below.
  private func isPartOfKey(_ place: [String], of entity: FoundEntity) -> Bool {
    entity.key?.starts(with: place) ?? false
  }

  // MARK: - Names

  /// The name of the property for a place of an entity, without steps that say nothing: `data`
  /// around an object, `$oid` in it, `nodes` of a relationship. Where that names another member,
  /// the whole place is the name.
  func name(at place: [String], of entity: FoundEntity, isRelationship: Bool = false) -> String {
    let steps = place.filter { $0.first != "$" || $0 == "$type" }
    var telling = steps.drop { KeyFinder.wrappers.contains($0) || $0 == "relationships" }
    if telling.count == 1, steps.count > 1, entity.shape.members[telling.joined()] != nil {
      telling = steps[...]
    }
    // An attribute called “labels” would take all of “labels” where that has no “nodes”.
    if isRelationship, telling.count > 1, telling.last.map(DraftNames.isList) == true {
      telling.removeLast()
    }
    let words = [Array(telling), steps, place].first { !$0.isEmpty } ?? place
    // Of several steps each says where its words begin: “badges.checkItems” is “badgesCheckItems”.
    return DraftNames.property(
      words.count == 1
        ? words[0] : words.map { Inflection.naturalSnake($0) }.joined(separator: "_"))
  }

  func isUsed(_ name: String, _ number: Int) -> Bool {
    names[entities[number].name]?.contains(name.lowercased()) ?? false
  }

  /// The name, or the name with a number behind it when it is taken. Tables do not tell capitals
  /// from small letters.
  mutating func free(_ name: String, _ number: Int) -> String {
    var result = name
    var next = 2
    while isUsed(result, number) || DraftNames.isTaken(result) {
      result = "\(name)\(next)"
      next += 1
    }
    names[entities[number].name, default: []].insert(result.lowercased())
    return result
  }
}
