/// The references of uniqueness constraints, indexes and renaming identifiers.
enum ConstraintRule {
  static func check(_ record: EntityRecord) throws(ModelError) {
    for constraint in record.uniquenessConstraints {
      try check(constraint, of: "A uniqueness constraint", in: record)
    }
    var names: Set<String> = []
    for index in record.indexes {
      guard names.insert(index.name).inserted else {
        throw ModelError(
          .duplicateName, entity: record.name, property: index.name,
          message: "\(record.name) has two indexes named “\(index.name)”. Rename one of them.")
      }
      try check(index.elements.map(\.property), of: "Index “\(index.name)”", in: record)
    }
    var renamings: [String: String] = [:]
    for property in record.properties {
      guard let identifier = property.renamingIdentifier else { continue }
      if let other = renamings.updateValue(property.name, forKey: identifier) {
        throw .sharedRenaming(identifier, entity: record.name, between: other, and: property.name)
      }
    }
  }

  private static func check(
    _ properties: [String], of what: String, in record: EntityRecord
  ) throws(ModelError) {
    guard !properties.isEmpty else {
      throw ModelError(
        .invalidConstraint, entity: record.name,
        message: "\(what) of \(record.name) names no property. Name one, or remove it.")
    }
    var seen: Set<String> = []
    for name in properties {
      guard let slot = record.slots[name] else {
        throw ModelError(
          .unknownProperty, entity: record.name, property: name,
          message: """
            \(what) of \(record.name) names “\(name)”, but there is no such property. \
            \(record.name) has \(record.properties.map(\.name).joined(separator: ", ")).
            """)
      }
      guard record.properties[slot].isColumn else {
        throw ModelError(
          .invalidConstraint, entity: record.name, property: name,
          message: """
            \(what) of \(record.name) names “\(name)”, which has no value in the object's own row. \
            Name stored attributes and to-one relationships only.
            """)
      }
      guard seen.insert(name).inserted else {
        throw ModelError(
          .invalidConstraint, entity: record.name, property: name,
          message: "\(what) of \(record.name) names “\(name)” twice. Name it once.")
      }
    }
  }
}
