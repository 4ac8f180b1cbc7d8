import SyncCore

/// The facts of an entity that its objects need at every access, without walking the model.
final class EntityShape: Sendable {
  /// The content of a slot.
  enum Kind: Sendable {
    case attribute(AttributeType)
    case toOne(Int)
    case toMany(Int)
  }

  let entity: EntityDescription
  let index: Int
  let root: Int
  let names: [String]
  let slots: [String: Int]
  let kinds: [Kind]

  /// The row of a new object.
  let defaults: [Value]

  /// Slots that have a column in the store, ascending.
  let columns: [Int]
  private let columnSet: SlotSet

  /// Slot of the primary key when it has a column.
  let keyColumn: Int?

  /// Slots of attributes that have none, ascending.
  let transients: [Int]

  /// Slots of attributes that must have a value and whose values have no limits: by far the most
  /// rules, checked without looking at the model.
  let required: [Int]

  /// Other properties for which the model has rules that a save checks.
  let ruled: [PropertyDescription]

  /// Limits of attributes by slot; an attribute whose expression is malformed has none.
  let limits: [Int: ValueLimits]

  /// Relationships in slot order; their position here is their ordinal.
  let relationships: [RelationshipShape]
  let relationshipSet: SlotSet

  /// Those to-one relationships whose inverse is one too.
  let oneToOnes: [RelationshipShape]

  /// Whether there are to-many relationships whose members have an order.
  let hasOrderedLists: Bool

  init(_ entity: EntityDescription) {
    self.entity = entity
    index = entity.index
    root = entity.rootIndex
    let properties = entity.properties
    names = properties.map(\.name)
    slots = Dictionary(uniqueKeysWithValues: properties.map { ($0.name, $0.slot) })
    var relationships: [RelationshipShape] = []
    var kinds: [Kind] = []
    for property in properties {
      switch property {
      case .attribute(let attribute):
        kinds.append(.attribute(attribute.type))
      case .relationship(let relationship):
        kinds.append(
          relationship.isToMany ? .toMany(relationships.count) : .toOne(relationships.count))
        relationships.append(
          RelationshipShape(relationship, ordinal: relationships.count, of: entity))
      }
    }
    self.kinds = kinds
    self.relationships = relationships
    relationshipSet = relationships.reduce(into: SlotSet()) { $0.insert($1.slot) }
    oneToOnes = relationships.filter(\.description.isOneToOne)
    hasOrderedLists = relationships.contains { $0.isOrdered }
    columns = properties.filter(\.isColumn).map(\.slot)
    transients = properties.filter { !$0.isColumn && $0.attribute != nil }.map(\.slot)
    columnSet = columns.reduce(into: SlotSet()) { $0.insert($1) }
    keyColumn = entity.primaryKey.flatMap { $0.isTransient ? nil : $0.slot }
    required = properties.filter(\.isOnlyRequired).map(\.slot)
    ruled = properties.filter { $0.hasRules && !$0.isOnlyRequired }
    limits = ruled.reduce(into: [:]) { limits, property in
      guard let attribute = property.attribute, !attribute.validation.isEmpty else { return }
      limits[attribute.slot] = ValueLimits(attribute.validation)
    }
    defaults = properties.map { $0.attribute?.defaultValue ?? .null }
  }

  /// The slots among others that have a column.
  func columns(among slots: SlotSet) -> SlotSet { slots.intersection(columnSet) }

  /// The relationship in a slot; nil when there is an attribute.
  func relationship(at slot: Int) -> RelationshipShape? {
    switch kinds[slot] {
    case .attribute: nil
    case .toOne(let ordinal), .toMany(let ordinal): relationships[ordinal]
    }
  }

  /// The slot of a property.
  ///
  /// - Precondition: The entity has a property of that name.
  func requireSlot(_ name: String) -> Int {
    guard let slot = slots[name] else {
      programmingError(
        """
        \(entity.name) has no property “\(name)”. It has \(names.joined(separator: ", ")).
        """)
    }
    return slot
  }
}

/// One relationship, with everything that keeping both sides needs.
final class RelationshipShape: Sendable {
  let description: RelationshipDescription
  let slot: Int
  let ordinal: Int
  let isToMany: Bool
  let isOrdered: Bool
  let deleteRule: DeleteRule
  let ownerRoot: Int
  let destination: EntityDescription
  let destinationRoot: Int

  /// Whether an identifier alone does not say of which entity the object is.
  let isDestinationInherited: Bool
  let inverseSlot: Int?
  let isInverseToMany: Bool

  /// How the relationship is kept in the store.
  let kind: RelationshipKind

  init(_ description: RelationshipDescription, ordinal: Int, of entity: EntityDescription) {
    self.description = description
    self.ordinal = ordinal
    slot = description.slot
    isToMany = description.isToMany
    isOrdered = description.isOrdered
    deleteRule = description.deleteRule
    ownerRoot = entity.rootIndex
    destination = entity.destination(of: description)
    destinationRoot = destination.rootIndex
    isDestinationInherited = !destination.subentities.isEmpty
    inverseSlot = description.inverseSlot
    isInverseToMany = description.isInverseToMany
    kind = description.kind
  }
}

extension PropertyDescription {
  /// Whether it is an attribute that must have a value, any value.
  fileprivate var isOnlyRequired: Bool {
    attribute.map { !$0.isOptional && $0.validation.isEmpty } ?? false
  }

  /// Whether a value can break a rule of the model.
  fileprivate var hasRules: Bool {
    switch self {
    case .attribute(let attribute): !attribute.isOptional || !attribute.validation.isEmpty
    case .relationship(let relationship):
      !relationship.mayBeEmpty || relationship.minCount > 0 || relationship.maxCount > 0
    }
  }
}
