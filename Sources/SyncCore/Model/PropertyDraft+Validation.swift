extension PropertyDraft {
  /// Makes the description of the property once everything about it alone is found to be right.
  /// References to other entities are resolved later.
  func description(
    slot: Int, entity: String, index: Int
  ) throws(ModelError) -> PropertyDescription {
    switch content {
    case .attribute(let attribute):
      .attribute(try attribute.checked(slot: slot, entity: entity))
    case .relationship(let relationship):
      .relationship(try relationship.checked(slot: slot, entity: entity, index: index))
    }
  }
}

extension AttributeDescription {
  fileprivate func checked(slot: Int, entity: String) throws(ModelError) -> AttributeDescription {
    guard let initial = type.modelValue(defaultValue) else {
      throw ModelError(
        .invalidDefault, entity: entity, property: name,
        message: """
          The default “\(defaultValue)” of \(entity).\(name) is no value of type \(type.rawValue). \
          Write one that is, or leave the default out.
          """)
    }
    var result = self
    result.slot = slot
    result.defaultValue = initial
    result.validation = try checkedValidation(entity: entity)
    return result
  }

  /// Limits in the form of the attribute's values (lengths for text), the expression known to be
  /// well-formed.
  private func checkedValidation(entity: String) throws(ModelError) -> ValidationRules {
    guard !validation.isEmpty else { return validation }
    var rules = validation
    rules.minimum = try limit(validation.minimum, "minimum", entity: entity)
    rules.maximum = try limit(validation.maximum, "maximum", entity: entity)
    if !rules.minimum.isNull, !rules.maximum.isNull, rules.maximum < rules.minimum {
      throw invalidRule(
        entity,
        "asks for at least \(rules.minimum) and at most \(rules.maximum). Exchange the limits.")
    }
    if let expression = validation.regularExpression {
      guard type == .string else {
        throw invalidRule(
          entity,
          "has a regular expression but is of type \(type.rawValue). Only text can have one.")
      }
      do {
        _ = try WholeTextPattern(expression)
      } catch {
        throw invalidRule(
          entity, "has the regular expression “\(expression)”, which is malformed. Correct it.")
      }
    }
    return rules
  }

  private func limit(_ value: Value, _ kind: String, entity: String) throws(ModelError) -> Value {
    guard !value.isNull else { return value }
    guard let measure = type.measure else {
      throw invalidRule(
        entity, "has a \(kind) but values of type \(type.rawValue) have no order. Remove it.")
    }
    guard let result = measure.modelValue(value) else {
      let kindOfLimit = type == .string ? "a length" : "a value of type \(type.rawValue)"
      throw invalidRule(entity, "has the \(kind) “\(value)”, which is not \(kindOfLimit).")
    }
    return result
  }

  private func invalidRule(_ entity: String, _ text: String) -> ModelError {
    ModelError(.invalidRule, entity: entity, property: name, message: "\(entity).\(name) \(text)")
  }
}

extension RelationshipDescription {
  fileprivate func checked(
    slot: Int, entity: String, index: Int
  ) throws(ModelError) -> RelationshipDescription {
    guard isToMany || !isOrdered else {
      throw invalid(entity, "is ordered but leads to one object. Make it to-many, or not ordered.")
    }
    guard minCount >= 0, maxCount >= 0 else {
      throw invalid(entity, "has a negative count. Write 0 for no limit.")
    }
    guard maxCount == 0 || minCount <= maxCount else {
      throw invalid(
        entity, "asks for at least \(minCount) and at most \(maxCount) objects. Exchange them.")
    }
    guard isToMany || max(minCount, maxCount) <= 1 else {
      throw invalid(
        entity,
        "asks for \(max(minCount, maxCount)) objects but leads to one. Make it to-many.")
    }
    var result = self
    result.slot = slot
    result.declaringIndex = index
    if !isToMany { result.maxCount = 1 }
    return result
  }

  private func invalid(_ entity: String, _ text: String) -> ModelError {
    ModelError(
      .invalidRelationship, entity: entity, property: name, message: "\(entity).\(name) \(text)")
  }
}
