import SyncStack

/// Draws a model from what the objects of payloads have in common.
struct ModelDrafter {
  private let entities: [FoundEntity]
  private let owners: OwnerCounts
  private(set) var draft = ModelDraft()
  /// Names that are taken, by entity.
  private var names: [String: Set<String>] = [:]

  /// Fewer objects do not show which values are always there.
  private static let sampleSize = 3

  init(_ entities: [FoundEntity], owners: OwnerCounts) {
    self.entities = entities
    self.owners = owners
    draft.entities = entities.map { ModelDraft.Entity(name: $0.name) }
    for (number, entity) in entities.enumerated() { describe(entity, number) }
    for (number, entity) in entities.enumerated() {
      fill(number, from: entity.shape, of: entity, under: [], isAlwaysThere: true)
    }
    var inverses = InverseDrafter(draft)
    inverses.complete()
    draft = inverses.draft
  }

  private mutating func describe(_ entity: FoundEntity, _ number: Int) {
    var notes = ["From \(Figures.counted(entity.shape.count, "object"))."]
    if number == 0 ? !entity.places.isEmpty : entity.places.count > 1 {
      let places = entity.places.joined(separator: ", ")
      notes.append("\(number == 0 ? "Also what" : "What") stands at \(places).")
    }
    if entity.key == nil {
      notes.append(
        "Nothing tells its objects apart, so none can be synced: set sync.isPrimaryKey at an attribute."
      )
    } else if entity.isKeyGuessed {
      notes.append("Unsure: “\(entity.key ?? "")” is the key because its values all differ.")
    }
    if entity.shape.count < ModelDrafter.sampleSize {
      notes.append("Too few to tell which values are always there.")
    }
    draft.entities[number].notes = notes
  }

  // MARK: - Members

  private mutating func fill(
    _ number: Int, from shape: ObjectShape, of entity: FoundEntity, under path: [String],
    isAlwaysThere: Bool
  ) {
    // The key first, as people write it.
    let keys =
      shape.keys.filter { path.isEmpty && $0 == entity.key }
      + shape.keys.filter { !path.isEmpty || $0 != entity.key }
    for key in keys {
      guard let member = shape.members[key] else { continue }
      let place = path + [key]
      let isAlways =
        isAlwaysThere && member.present == shape.count && member.scalars.nulls == 0
      if let target = member.entity {
        addRelationship(number, at: place, to: target, member)
      } else if let object = member.object, member.lists == 0, member.scalars.count == 0,
        !object.isDictionary, !key.contains(".")
      {
        fill(number, from: object, of: entity, under: place, isAlwaysThere: isAlways)
      } else if member.objects == 0, member.lists == 0 {
        if addReference(number, at: place, of: entity, member, toMany: false) { continue }
        addAttribute(number, at: place, of: entity, member.scalars, isAlways)
      } else if member.objects == 0, member.scalars.count == 0, member.elementObjects == nil,
        !member.hasInnerLists, member.elements.count > 0
      {
        if addReference(number, at: place, of: entity, member, toMany: true) { continue }
        addList(number, at: place, of: entity, member.elements, isAlways)
      } else {
        addJSON(number, at: place, of: entity, member, isAlways)
      }
    }
  }

  private mutating func addAttribute(
    _ number: Int, at place: [String], of entity: FoundEntity, _ scalars: ScalarShape,
    _ isAlways: Bool
  ) {
    let isKey = place.count == 1 && place[0] == entity.key
    let (type, note) = scalars.type(forKey: place.last ?? "")
    let name = attributeName(place, of: entity, number, isKey: isKey)
    draft.entities[number].attributes.append(
      ModelDraft.Attribute(
        name: name, type: isKey && type == .date ? .integer64 : type,
        isOptional: !isKey && (!isAlways || entity.shape.count < ModelDrafter.sampleSize),
        isKey: isKey, remoteKey: remoteKey(place, for: name, entity),
        note: isKey ? nil : note ?? referenceNote(place, scalars, of: entity)))
  }

  /// A list of plain values is kept as JSON; a class reads it as a list.
  private mutating func addList(
    _ number: Int, at place: [String], of entity: FoundEntity, _ elements: ScalarShape,
    _ isAlways: Bool
  ) {
    let types = ["texts": "[String]", "numbers": "[Int64]", "booleans": "[Bool]"]
    var className = "JSONValue"
    if elements.nulls == 0 {
      if elements.texts == elements.count { className = types["texts"] ?? className }
      if elements.integers == elements.count { className = types["numbers"] ?? className }
      if elements.booleans == elements.count { className = types["booleans"] ?? className }
      if elements.integers + elements.fractions == elements.count, elements.fractions > 0 {
        className = "[Double]"
      }
    }
    var note = "a list of plain values, kept as JSON"
    if let stem = place.last.flatMap({ DraftNames.stem(ofReference: $0, toMany: true) }) {
      let name = DraftNames.plural(stem.name)
      note =
        "looks like keys of other objects, kept as JSON: a relationship “\(name)” would take them"
    }
    add(JSON(className: className, note: note), number, at: place, of: entity, isAlways)
  }

  private mutating func addJSON(
    _ number: Int, at place: [String], of entity: FoundEntity, _ member: MemberShape,
    _ isAlways: Bool
  ) {
    let what: String
    if member.hasInnerLists {
      what = "lists in lists"
    } else if member.lists > 0, member.objects == 0, member.scalars.count == 0 {
      what =
        member.elementObjects == nil
        ? "an empty list everywhere" : "a list of objects that no key tells apart"
    } else if member.objects > 0, member.lists == 0, member.scalars.count == 0 {
      what =
        (member.object?.keys.isEmpty ?? true)
        ? "an empty object everywhere" : "an object whose keys look like data"
    } else {
      what = "of several kinds: objects, lists and plain values"
    }
    add(
      JSON(className: "JSONValue", note: what + ", kept as JSON"), number, at: place, of: entity,
      isAlways)
  }

  private struct JSON {
    let className: String
    let note: String
  }

  private mutating func add(
    _ json: JSON, _ number: Int, at place: [String], of entity: FoundEntity, _ isAlways: Bool
  ) {
    let name = attributeName(place, of: entity, number, isKey: false)
    draft.entities[number].attributes.append(
      ModelDraft.Attribute(
        name: name, type: .binary,
        isOptional: !isAlways || entity.shape.count < ModelDrafter.sampleSize,
        remoteKey: remoteKey(place, for: name, entity), className: json.className,
        note: json.note))
  }

  // MARK: - Relationships

  private mutating func addRelationship(
    _ number: Int, at place: [String], to target: FoundEntity, _ member: MemberShape
  ) {
    let isToMany = member.lists > 0
    // Keys may stand for objects under one key: then that key is given, and the value decides.
    let isMixed = member.scalars.count + member.elements.count > 0
    let name = free(DraftNames.property(place.joined(separator: "_")), number)
    var relationship = ModelDraft.Relationship(
      name: name, destination: target.name, isToMany: isToMany,
      remoteKey: isMixed || place.count > 1 || !follows(place[0], from: name, isReference: false)
        ? place.joined(separator: ".") : nil)
    if isMixed { relationship.note = "objects, or only their keys" }
    if isToMany {
      switch owners.sharing(of: member) {
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
  private mutating func addReference(
    _ number: Int, at place: [String], of entity: FoundEntity, _ member: MemberShape,
    toMany: Bool
  ) -> Bool {
    let values = toMany ? member.elements : member.scalars
    guard place.count == 1, place[0] != entity.key, values.count > 0 else { return false }
    if addPlainReference(number, at: place[0], values, toMany: toMany) { return true }
    guard let stem = DraftNames.stem(ofReference: place[0], toMany: toMany) else { return false }
    let other = entity.shape.members[stem.key] ?? entity.shape.members[DraftNames.plural(stem.key)]
    // The objects stand in the same item under a key of their own: then both mean one relationship.
    let target = other?.entity ?? entities.first { $0.name == DraftNames.entity(stem.key) }
    guard let target, let key = target.key, let keys = target.shape.members[key]?.scalars,
      (keys.texts == 0) == (values.texts == 0), values.booleans + values.fractions == 0
    else { return false }
    let name = toMany ? DraftNames.plural(stem.name) : stem.name
    if let other, other.entity != nil {
      // With a key of its own a relationship is looked for nowhere else.
      return other.scalars.count + other.elements.count == 0
        && follows(place[0], from: name, isReference: true, toMany)
    }
    guard !isUsed(name, number), follows(place[0], from: name, isReference: true, toMany) else {
      return false
    }
    var relationship = ModelDraft.Relationship(
      name: free(name, number), destination: target.name, isToMany: toMany,
      note: "by “\(place[0])”")
    relationship.isShared = toMany
    draft.entities[number].relationships.append(relationship)
    return true
  }

  /// A key that is called like an entity, with nothing but keys of its objects under it:
  /// `"customer": "cus_1"`. Small numbers may be counts as well, so only texts are taken for keys.
  private mutating func addPlainReference(
    _ number: Int, at key: String, _ values: ScalarShape, toMany: Bool
  ) -> Bool {
    guard let target = entities.first(where: { $0.name == DraftNames.entity(key) }),
      let keys = target.key.flatMap({ target.shape.members[$0] })?.scalars.distinct,
      values.texts == values.count, values.distinct.isSubset(of: keys)
    else { return false }
    var relationship = ModelDraft.Relationship(
      name: free(DraftNames.property(key), number), destination: target.name, isToMany: toMany,
      remoteKey: key, note: "keys of objects that stand elsewhere")
    relationship.isShared = toMany
    draft.entities[number].relationships.append(relationship)
    return true
  }

  private func referenceNote(
    _ place: [String], _ values: ScalarShape, of entity: FoundEntity
  ) -> String? {
    guard let key = place.last, let stem = DraftNames.stem(ofReference: key, toMany: false),
      !entity.isNamed(by: values)
    else { return nil }
    return "looks like the key of another object: a relationship “\(stem.name)” would take it"
  }

  // MARK: - Names

  private mutating func attributeName(
    _ place: [String], of entity: FoundEntity, _ number: Int, isKey: Bool
  ) -> String {
    if isKey, ["id", "_id", "ID", "Id"].contains(place[0]) { return free("id", number) }
    var name = DraftNames.property(place.joined(separator: "_"))
    // “id” is a name for keys only.
    if DraftNames.isTaken(name) || (name == "id" || name == "remoteID") && !isKey {
      name = DraftNames.uncapitalized(entity.name) + name.prefix(1).uppercased() + name.dropFirst()
    }
    return free(name, number)
  }

  private func isUsed(_ name: String, _ number: Int) -> Bool {
    names[entities[number].name]?.contains(name.lowercased()) ?? false
  }

  /// The name, or the name with a number behind it when it is taken. Tables do not tell capitals from
  /// small letters.
  private mutating func free(_ name: String, _ number: Int) -> String {
    var result = name
    var next = 2
    while isUsed(result, number) || DraftNames.isTaken(result) {
      result = "\(name)\(next)"
      next += 1
    }
    names[entities[number].name, default: []].insert(result.lowercased())
    return result
  }

  private func remoteKey(_ place: [String], for name: String, _ entity: FoundEntity) -> String? {
    if place.count > 1 { return place.joined(separator: ".") }
    if MappingRules.reservedKeys.contains(place[0]),
      name == Inflection.camel("\(Inflection.snake(entity.name))_\(place[0])")
    {
      return nil
    }
    return follows(place[0], from: name, isReference: false) ? nil : place[0]
  }

  /// Whether a sync looks for the property under that key by itself.
  private func follows(
    _ key: String, from name: String, isReference: Bool, _ toMany: Bool = false
  ) -> Bool {
    let natural = Inflection.key(for: name)
    guard isReference else { return [natural, name, Inflection.snake(name)].contains(key) }
    let ends = toMany ? ["_ids", "IDs", "Ids"] : ["_id", "ID", "Id"]
    let stems = [name] + (toMany ? Inflection.singulars(name) : [])
    return stems.contains { stem in
      key == Inflection.key(for: stem) + ends[0] || key == stem + ends[1] || key == stem + ends[2]
    }
  }
}
