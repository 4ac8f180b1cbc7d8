import SyncStack

/// Attributes from plain values, from lists of them, and from values of any other form.
extension ModelDrafter {
  mutating func addAttribute(
    _ number: Int, at place: [String], of entity: FoundEntity, _ scalars: ScalarShape
  ) {
    let isKey = place == entity.key
    let name = attributeName(place, of: entity, number, isKey: isKey)
    let property = "\(entity.name).\(name)"
    var (type, note) = scalars.type(forKey: place.last ?? "")
    var className = type == .binary ? "JSONValue" : nil
    if isKey {
      (type, note) = (scalars.keyType, nil)
    } else if scalars.count == 0, !DraftNames.soundsPlain(place.last ?? "") {
      (type, note) = (.binary, "null everywhere: kept as JSON, which takes whatever comes")
      className = "JSONValue"
    }
    if !isKey, let width = doubts.widths[property] {
      (type, note) = (width == .text ? .string : .binary, "of several kinds")
      if width == .json { className = "JSONValue" }
    }
    draft.entities[number].attributes.append(
      ModelDraft.Attribute(
        name: name, type: type,
        isOptional: !isKey, isKey: isKey, remoteKey: remoteKey(place, for: name, entity),
        className: className,
        note: isKey ? nil : note ?? referenceNote(place, scalars, of: entity)))
  }

  /// A list of plain values is kept as JSON; a class reads it as a list.
  mutating func addList(
    _ number: Int, at place: [String], of entity: FoundEntity, _ elements: ScalarShape
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
    add(JSON(className: className, note: note), number, at: place, of: entity)
  }

  mutating func addJSON(
    _ number: Int, at place: [String], of entity: FoundEntity, _ member: MemberShape
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
      JSON(className: "JSONValue", note: what + ", kept as JSON"), number, at: place, of: entity)
  }

  private struct JSON {
    let className: String
    let note: String
  }

  private mutating func add(
    _ json: JSON, _ number: Int, at place: [String], of entity: FoundEntity
  ) {
    let name = attributeName(place, of: entity, number)
    draft.entities[number].attributes.append(
      ModelDraft.Attribute(
        name: name, type: .binary, remoteKey: remoteKey(place, for: name, entity),
        className: json.className,
        note: json.note))
  }

  private func referenceNote(
    _ place: [String], _ values: ScalarShape, of entity: FoundEntity
  ) -> String? {
    guard let key = place.last, let stem = DraftNames.stem(ofReference: key, toMany: false),
      !entity.isNamed(by: values), DraftNames.entity(stem.key) != entity.name,
      // A relationship that is there need not be advised.
      entity.shape.members[stem.key]?.entity == nil
    else { return nil }
    return "looks like the key of another object: a relationship “\(stem.name)” would take it"
  }

  // MARK: - Names

  private mutating func attributeName(
    _ place: [String], of entity: FoundEntity, _ number: Int, isKey: Bool = false
  ) -> String {
    var name = self.name(at: place, of: entity)
    if isKey, name.lowercased() == "id" { return free("id", number) }
    // “id” is a name for keys only.
    if DraftNames.isTaken(name) || (name == "id" || name == "remoteID") && !isKey {
      name = DraftNames.uncapitalized(entity.name) + name.prefix(1).uppercased() + name.dropFirst()
    }
    return free(name, number)
  }

  private func remoteKey(_ place: [String], for name: String, _ entity: FoundEntity) -> String? {
    if place.count > 1 || place[0].contains(".") { return DraftPath.text(place) }
    if MappingRules.reservedKeys.contains(place[0]),
      name == Inflection.camel("\(Inflection.snake(entity.name))_\(place[0])")
    {
      return nil
    }
    return DraftNames.isFound(name, under: place[0]) ? nil : place[0]
  }
}
