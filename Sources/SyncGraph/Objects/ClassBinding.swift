import SyncCore

/// A class that stands for an entity: how its objects are made and where their properties lie.
final class ClassBinding: Sendable {
  let type: ManagedObject.Type
  let shape: EntityShape

  /// Slot by ordinal of the wrapper.
  let slots: [Int]

  /// Types of attributes that do not take every value that the attribute can hold, or not that
  /// there is none, by slot.
  let declaredTypes: [Int: DeclaredType]

  /// Attributes that may be empty by the model, but not by the class, which has no default for
  /// them.
  let needed: [Int]

  /// The values that required properties read where there is none, by slot: the default of the
  /// class.
  let defaults: [Int: Value]

  /// Whether a program named the class; otherwise it only fills in.
  let isNamed: Bool

  init(
    type: ManagedObject.Type, shape: EntityShape, slots: [Int],
    declaredTypes: [Int: DeclaredType] = [:], needed: [Int] = [], defaults: [Int: Value] = [:],
    isNamed: Bool
  ) {
    self.type = type
    self.shape = shape
    self.slots = slots
    self.declaredTypes = declaredTypes
    self.needed = needed
    self.defaults = defaults
    self.isNamed = isNamed
  }

  /// Finds the slots of the class's wrapped properties.
  ///
  /// - Throws: ``GraphError`` when the class wraps a property that the entity does not have, or has
  ///   in another form.
  convenience init(
    _ type: ManagedObject.Type, standingFor shape: EntityShape, isNamed: Bool
  ) throws {
    var declaredTypes: [Int: DeclaredType] = [:]
    var needed: [Int] = []
    var defaults: [Int: Value] = [:]
    let slots = try ObjectClassRegistry.wrappers(of: type).properties.map { property in
      guard let slot = shape.slots[property.name] else {
        throw GraphError(
          .classMismatch, entity: shape.entity.name, key: property.name,
          message: """
            The class \(type) has a property “\(property.name)” that the entity \
            \(shape.entity.name) does not have. It has \(shape.names.joined(separator: ", ")). \
            Rename the property, or remove its wrapper.
            """)
      }
      if let problem = property.declaration.mismatch(with: shape.entity.properties[slot]) {
        throw GraphError(
          .classMismatch, entity: shape.entity.name, key: property.name,
          message: """
            \(type).\(property.name) does not fit the entity \(shape.entity.name): \(problem)
            """)
      }
      if let attribute = shape.entity.properties[slot].attribute,
        var declared = property.declaration.type
      {
        // The code that looks objects up by key decides which of them need one.
        if slot == shape.entity.primaryKey?.slot { declared.needsValue = false }
        let isNeeded = declared.needsValue && attribute.isOptional
        if isNeeded { needed.append(slot) }
        if isNeeded || !declared.takesEveryValue(attribute.type) {
          declaredTypes[slot] = declared
          try property.declaration.requireDefault(attribute, of: shape.entity, type)
        }
        defaults[slot] = property.declaration.standIn
      }
      return slot
    }
    self.init(
      type: type, shape: shape, slots: slots, declaredTypes: declaredTypes, needed: needed,
      defaults: defaults, isNamed: isNamed)
  }

  /// Why the class cannot show a stored value of an attribute, as the end of a sentence; nil when
  /// it can.
  func refusal(of value: Value, at slot: Int, transformers: TransformerRegistry) -> String? {
    guard let attribute = shape.entity.properties[slot].attribute else { return nil }
    let types = declaredTypes[slot].map { [$0] } ?? []
    return AttributeCheck(attribute, types: types, transformers: transformers)?.refusal(of: value)
  }
}

extension WrapperDeclaration {
  /// Makes sure that a required property of a new object can be read: the default value of the
  /// model has to be one of its type.
  func requireDefault(
    _ attribute: AttributeDescription, of entity: EntityDescription, _ type: ManagedObject.Type
  ) throws {
    guard content.attribute?.isOptional == false, !attribute.defaultValue.isNull,
      let declared = self.type,
      attribute.objectTransformerName == nil,
      let check = AttributeCheck(attribute, types: [declared], transformers: .shared),
      let refusal = check.refusal(of: attribute.defaultValue)
    else { return }
    throw GraphError(
      .classMismatch, entity: entity.name, key: attribute.name,
      message: """
        The model's default of \(entity.name).\(attribute.name) cannot be read by \(type): \(refusal). \
        Change the default, or declare the property as \(declared.name)?.
        """)
  }

  /// The value that a required property reads where there is none; nil when it has no default.
  var standIn: Value? {
    guard let declared = content.attribute, !declared.isOptional, !declared.defaultValue.isNull
    else { return nil }
    return declared.defaultValue
  }

  /// Says why the declaration cannot stand for a property of a model; nil when it can.
  func mismatch(with property: PropertyDescription) -> String? {
    switch (content, property) {
    case (.attribute(let draft), .attribute(let attribute)):
      guard draft.type.isReadable(from: attribute.type) else {
        return "the model says \(attribute.type.rawValue), the class \(draft.type.rawValue)."
      }
      return nil
    case (.relationship(let draft), .relationship(let relationship)):
      if draft.isToMany != relationship.isToMany {
        return "it is \(relationship.isToMany ? "to-many" : "to-one") in the model. "
          + "Use \(relationship.isToMany ? "@ToMany" : "@ToOne")."
      }
      if draft.isOrdered != relationship.isOrdered {
        return "it is \(relationship.isOrdered ? "ordered" : "unordered") in the model. "
          + "Use \(relationship.isOrdered ? "@OrderedToMany" : "@ToMany")."
      }
      return nil
    case (.attribute, .relationship):
      return "it is a relationship in the model. Use @ToOne or @ToMany."
    case (.relationship, .attribute):
      return "it is an attribute in the model. Use @Attribute."
    }
  }
}

extension AttributeType {
  /// Whether values of the other type can come out as values of this one.
  fileprivate func isReadable(from other: AttributeType) -> Bool {
    func isNumber(_ type: AttributeType) -> Bool {
      switch type {
      case .integer16, .integer32, .integer64, .double, .float, .decimal: true
      default: false
      }
    }
    if self == other || isNumber(self) && isNumber(other) { return true }
    switch (self, other) {
    // A class may keep its own coding of a transformed value, and text stands for any type of
    // value.
    case (.binary, .transformable), (.string, .transformable), (_, .transformable): return true
    case (.string, .uuid), (.string, .uri), (.uuid, .string), (.uri, .string): return true
    default: return false
    }
  }
}
