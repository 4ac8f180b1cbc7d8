import SyncCore

/// Describes the differences between two models, and those of them that cannot be inferred.
struct MigrationPlanner {
  private let match: ModelMatch
  private var steps: [StoreMigration.Step] = []
  private var obstacles: [StoreError.Obstacle] = []

  static func plan(_ match: ModelMatch) -> StoreMigration {
    var planner = MigrationPlanner(match: match)
    for entity in match.newEntities { planner.compare(entity) }
    for entity in match.oldEntities { planner.findRemoved(entity) }
    return StoreMigration(steps: planner.steps, obstacles: planner.obstacles)
  }

  private mutating func add(
    _ kind: StoreMigration.Step.Kind, _ entity: EntityDescription, _ property: String? = nil,
    _ text: String
  ) {
    let name = property.map { "\(entity.name).\($0)" } ?? entity.name
    steps.append(
      .init(kind: kind, entity: entity.name, property: property, description: "“\(name)” \(text)"))
  }

  private mutating func refuse(
    _ reason: StoreError.Obstacle.Reason, _ entity: EntityDescription, _ property: String,
    _ text: String
  ) {
    obstacles.append(.init(reason, entity.name, property, "“\(entity.name).\(property)” \(text)"))
  }

  // MARK: - Entities

  private mutating func compare(_ entity: EntityDescription) {
    guard let old = match.source(of: entity) else {
      add(.added, entity, nil, "is added")
      return
    }
    if old.name != entity.name { add(.renamed, entity, nil, "was “\(old.name)”") }
    let superentity = old.superentity.flatMap { match.target(of: $0) }
    if superentity != entity.superentity || (old.superentity == nil) != (superentity == nil) {
      add(
        .moved, entity, nil,
        entity.superentity.map { "is now below “\($0.name)”" } ?? "no longer has a superentity")
    }
    if old.isAbstract != entity.isAbstract {
      add(
        .abstractness, entity, nil,
        entity.isAbstract
          ? "becomes abstract (refused when there are objects of it)"
          : "is no longer abstract")
    }
    for property in entity.properties where isToldHere(property, of: entity) {
      compare(property, of: entity)
    }
    compareIndexes(entity, old)
  }

  /// Whether a property is reported for this entity: its own ones are, inherited ones only when
  /// the superentity has not had them, or has had another.
  private func isToldHere(_ property: PropertyDescription, of entity: EntityDescription) -> Bool {
    guard let superentity = entity.superentity, property.slot < superentity.properties.count else {
      return true
    }
    guard let source = match.source(of: property.slot, in: entity) else { return false }
    return match.source(of: property.slot, in: superentity)?.name != source.name
  }

  private mutating func findRemoved(_ old: EntityDescription) {
    guard let entity = match.target(of: old) else {
      add(.removed, old, nil, "is removed, with its objects")
      return
    }
    let kept = Set(match.sourceSlots[entity.index].compactMap { $0 })
    for property in old.properties where !kept.contains(property.slot) && !property.isTransient {
      if let superentity = old.superentity, property.slot < superentity.properties.count,
        let above = match.target(of: superentity),
        !match.sourceSlots[above.index].contains(property.slot)
      {
        continue
      }
      add(.removed, entity, property.name, "is removed, with its values")
    }
  }

  // MARK: - Properties

  private mutating func compare(_ property: PropertyDescription, of entity: EntityDescription) {
    guard !property.isTransient else { return }
    guard let old = match.source(of: property.slot, in: entity) else {
      add(.added, entity, property.name, MigrationPlanner.addition(property))
      return
    }
    if old.name != property.name { add(.renamed, entity, property.name, "was “\(old.name)”") }
    switch (old, property) {
    case (.attribute(let old), .attribute(let attribute)): compare(old, attribute, of: entity)
    case (.relationship(let old), .relationship(let new)): compare(old, new, of: entity)
    case (.attribute, .relationship):
      refuse(
        .otherKind, entity, property.name,
        "is an attribute in the store and a relationship in the model. Give the relationship "
          + "another name, and fill it from the attribute before that is removed.")
    case (.relationship, .attribute):
      refuse(
        .otherKind, entity, property.name,
        "is a relationship in the store and an attribute in the model. Give the attribute another "
          + "name, and fill it from the relationship before that is removed.")
    }
  }

  private static func addition(_ property: PropertyDescription) -> String {
    guard let attribute = property.attribute else {
      return property.relationship?.isRequiredToOne == true
        ? "is added and required (refused when an object has none)" : "is added"
    }
    if !attribute.defaultValue.isNull {
      return "is added; objects get the default “\(attribute.defaultValue)”"
    }
    return attribute.isOptional
      ? "is added" : "is added without a default (refused when there are objects)"
  }

  private mutating func compare(
    _ old: AttributeDescription, _ attribute: AttributeDescription, of entity: EntityDescription
  ) {
    if old.type != attribute.type {
      guard let conversion = ValueConversion(from: old.type, to: attribute.type) else {
        refuse(
          .noConversion, entity, attribute.name,
          "is \(old.type.rawValue) in the store and \(attribute.type.rawValue) in the model, and "
            + "such values do not turn into each other. Add an attribute of the new type under "
            + "another name, fill it from the old one, and remove that one later.")
        return
      }
      // Widths are no part of the stored form.
      if !(old.type.isInteger && attribute.type.isInteger),
        !(old.type.storage == .real && attribute.type.storage == .real)
      {
        add(
          .converted, entity, attribute.name,
          "is \(old.type.rawValue) in the store and \(attribute.type.rawValue) in the model"
            + (conversion.mayFail ? " (refused when a value would not stay exact)" : ""))
      }
    }
    if old.isOptional != attribute.isOptional {
      add(
        attribute.isOptional ? .optional : .required, entity, attribute.name,
        attribute.isOptional
          ? "becomes optional"
          : attribute.defaultValue.isNull
            ? "becomes required without a default (refused when an object has no value)"
            : "becomes required; objects without a value get the default “\(attribute.defaultValue)”"
      )
    }
  }

  private mutating func compare(
    _ old: RelationshipDescription, _ new: RelationshipDescription, of entity: EntityDescription
  ) {
    if old.isToMany != new.isToMany {
      add(
        .cardinality, entity, new.name,
        new.isToMany
          ? "becomes to-many" : "becomes to-one (refused when an object has several)")
    } else if old.isOrdered != new.isOrdered {
      add(.order, entity, new.name, new.isOrdered ? "becomes ordered" : "loses its order")
    }
    if !new.isToMany, old.isOptional != new.isOptional {
      add(
        new.isOptional ? .optional : .required, entity, new.name,
        new.isOptional ? "becomes optional" : "becomes required (refused when an object has none)")
    }
    if match.target[old.destinationIndex] != new.destinationIndex {
      add(
        .destination, entity, new.name,
        "now leads to “\(new.destinationName)” (refused when it leads to other objects)")
    }
    compareInverses(old, new, of: entity)
    if LinkSources(of: new, match).isContradictory, let inverse = new.inverseName {
      refuse(
        .otherInverse, entity, new.name,
        "becomes the inverse of “\(new.destinationName).\(inverse)”, and in the store each has links "
          + "of its own. Give one of them another name.")
    }
  }

  private mutating func compareInverses(
    _ old: RelationshipDescription, _ new: RelationshipDescription, of entity: EntityDescription
  ) {
    guard let slot = new.inverseSlot, let inverse = new.inverseName else {
      if old.inverseSlot != nil { add(.inverse, entity, new.name, "no longer has an inverse") }
      return
    }
    let source = match.source(of: slot, in: match.newEntities[new.destinationIndex])
    guard old.inverseName == nil || source?.name != old.inverseName else { return }
    add(.inverse, entity, new.name, "has the inverse “\(inverse)”")
  }

  // MARK: - Indexes

  private mutating func compareIndexes(_ entity: EntityDescription, _ old: EntityDescription) {
    let names = MigrationPlanner.names(old, entity, match)
    let before = Set(old.uniquenessConstraints.map { $0.map { names[$0] ?? "" } })
    for constraint in entity.uniquenessConstraints where !before.contains(constraint) {
      add(
        .uniqueness, entity, nil,
        "has unique “\(constraint.joined(separator: "”, “"))” (refused when objects repeat it)")
    }
    for constraint in old.uniquenessConstraints
    where !entity.uniquenessConstraints.contains(constraint.map { names[$0] ?? "" }) {
      add(
        .uniqueness, entity, nil, "no longer has unique “\(constraint.joined(separator: "”, “"))”")
    }
    let isInherited = entity.superentity.map { $0.primaryKey?.name == entity.primaryKey?.name }
    if isInherited != true, old.primaryKey.flatMap({ names[$0.name] }) != entity.primaryKey?.name {
      add(
        .indexes, entity, nil,
        entity.primaryKey.map { "has the primary key “\($0.name)”" }
          ?? "no longer has a primary key")
    }
    let shape = { (index: FetchIndexDescription, name: (String) -> String) in
      index.elements.map { "\(name($0.property)) \($0.ascending)" }
    }
    let oldIndexes = Set(old.indexes.map { shape($0) { names[$0] ?? "" } })
    if oldIndexes != Set(entity.indexes.map { shape($0) { $0 } }) {
      add(.indexes, entity, nil, "is indexed differently")
    }
  }

  /// New names by old name of the properties of an entity that are kept.
  static func names(
    _ old: EntityDescription, _ new: EntityDescription, _ match: ModelMatch
  ) -> [String: String] {
    var result: [String: String] = [:]
    for (slot, source) in match.sourceSlots[new.index].enumerated() {
      guard let source else { continue }
      result[old.record.properties[source].name] = new.record.properties[slot].name
    }
    return result
  }
}
