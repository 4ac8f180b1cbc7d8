import Foundation
import SyncCore
import SyncStore

extension ManagedObject {
  /// The rules of the model that the object breaks.
  final func brokenRules() -> [ValidationFailure] {
    checkAccess()
    if row.isNone { fireFault() }
    var failures: [ValidationFailure] = []
    for slot in row.nulls(among: home.shape.required) {
      failures.append(failure(.required, home.shape.names[slot], "is required but has no value."))
    }
    for slot in row.nulls(among: binding.needed) {
      failures.append(
        failure(
          .required, home.shape.names[slot],
          "is required by \(binding.type) but has no value. Set one, or declare it as optional."))
    }
    for property in home.shape.ruled {
      switch property {
      case .attribute(let attribute):
        let value = value(at: attribute.slot)
        if value.isNull {
          if !attribute.isOptional {
            failures.append(failure(.required, attribute.name, "is required but has no value."))
          }
        } else if !attribute.validation.isEmpty {
          failures += broken(attribute, value)
        }
      case .relationship(let relationship):
        failures += broken(relationship)
      }
    }
    return failures
  }

  private func broken(_ attribute: AttributeDescription, _ value: Value) -> [ValidationFailure] {
    let violations = home.shape.limits[attribute.slot]?.violations(of: value) ?? []
    return violations.map { violation in
      let rule: ValidationFailure.Rule =
        switch violation.rule {
        case .minimum: .minimum
        case .maximum: .maximum
        case .pattern: .pattern
        }
      return failure(rule, attribute.name, violation.text)
    }
  }

  private func broken(_ relationship: RelationshipDescription) -> [ValidationFailure] {
    guard case .toMany(let ordinal) = home.shape.kinds[relationship.slot] else {
      guard !relationship.isOptional, value(at: relationship.slot).isNull else { return [] }
      return [failure(.required, relationship.name, "is required but leads to no object.")]
    }
    // A list that was not touched is as valid as it was when it was saved.
    guard isInserted || changed.contains(relationship.slot) else { return [] }
    guard relationship.minCount > 0 || relationship.maxCount > 0 else { return [] }
    let count = members(ordinal).count
    if count == 0, relationship.mayBeEmpty { return [] }
    if count < relationship.minCount {
      return [
        failure(
          .minimumCount, relationship.name,
          "has \(count) objects, less than the minimum \(relationship.minCount).")
      ]
    }
    if relationship.maxCount > 0, count > relationship.maxCount {
      return [
        failure(
          .maximumCount, relationship.name,
          "has \(count) objects, more than the maximum \(relationship.maxCount).")
      ]
    }
    return []
  }

  private func failure(
    _ rule: ValidationFailure.Rule, _ key: String, _ sentence: String
  ) -> ValidationFailure {
    ValidationFailure(
      rule: rule, objectID: objectID, key: key,
      message: "\(entity.name).\(key) of \(objectID) \(sentence)")
  }
}

extension ValidationFailure {
  /// Tells of a rule that an object breaks, for overrides of ``ManagedObject/validateForSave()``.
  ///
  /// ```swift
  /// override func validateForSave() throws {
  ///   try super.validateForSave()
  ///   guard start <= end else {
  ///     throw GraphError(ValidationFailure(of: self, key: "end", message: "The end is before the start."))
  ///   }
  /// }
  /// ```
  public init(of object: ManagedObject, key: String, rule: Rule = .custom, message: String) {
    self.init(rule: rule, objectID: object.objectID, key: key, message: message)
  }
}
