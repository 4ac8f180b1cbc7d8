/// Which names an entity or a property may have.
enum NameRule {
  static func checkEntity(_ name: String) throws(ModelError) {
    guard !name.isEmpty else {
      throw ModelError(.invalidName, message: "An entity has no name. Give it one.")
    }
    guard isIdentifier(name), !name.lowercased().hasPrefix("sqlite_") else {
      throw ModelError(
        .invalidName, entity: name,
        message: """
          “\(name)” cannot be the name of an entity. Begin with a letter, go on with letters, digits \
          and underscores, and not with “sqlite_”.
          """)
    }
  }

  static func checkProperty(_ name: String, in entity: String) throws(ModelError) {
    guard !name.isEmpty else {
      throw ModelError(
        .invalidName, entity: entity,
        message: "A property of \(entity) has no name. Give it one.")
    }
    guard isIdentifier(name) else {
      throw ModelError(
        .invalidName, entity: entity, property: name,
        message: """
          “\(name)” cannot be the name of a property of \(entity). Begin with a letter or an \
          underscore and go on with letters, digits and underscores.
          """)
    }
    guard name.lowercased() != "self", name != "objectID" else {
      throw ModelError(
        .invalidName, entity: entity, property: name,
        message: """
          \(entity).\(name) has a reserved name: in filters it stands for the object itself. \
          Choose another, and set sync.remoteKey to “\(name)” if JSON uses it.
          """)
    }
  }

  /// Refuses characters that no model document can hold: a store keeps its model as one.
  static func checkText(
    _ texts: [String], in entity: String, property: String? = nil
  ) throws(ModelError) {
    for text in texts where !text.unicodeScalars.allSatisfy(isWritable) {
      throw ModelError(
        .invalidName, entity: entity, property: property,
        message: """
          \([entity, property].compactMap { $0 }.joined(separator: ".")) contains a control \
          character in “\(text)”. Remove it.
          """)
    }
  }

  /// Whether a document can hold the character (https://www.w3.org/TR/xml/#charsets).
  static func isWritable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x9, 0xA, 0xD: true
    case ..<0x20, 0xFFFE, 0xFFFF: false
    default: true
    }
  }

  private static func isIdentifier(_ name: String) -> Bool {
    guard let first = name.unicodeScalars.first else { return false }
    return (first == "_" || first.properties.isAlphabetic)
      && name.unicodeScalars.allSatisfy {
        $0 == "_" || $0.properties.isAlphabetic || $0.properties.numericType != nil
          || $0.properties.generalCategory == .nonspacingMark
      }
  }
}

/// Which attribute is the primary key (sync-behaviour, section 3.1).
enum PrimaryKeyRule {
  static func slot(in record: EntityRecord) throws(ModelError) -> Int? {
    let attributes = record.properties.compactMap(\.attribute)
    let annotated = attributes.filter { ModelAnnotation.isPrimaryKey.isOn(in: $0.userInfo) }
    guard let key = annotated.first else {
      return ["id", "remoteID"].lazy.compactMap { name in
        attributes.first { $0.name == name && isUsable($0) }?.slot
      }.first
    }
    guard annotated.count == 1 else {
      let names = annotated.map(\.name).joined(separator: ", ")
      throw ModelError(
        .severalPrimaryKeys, entity: record.name, property: annotated.last?.name,
        message: """
          \(record.name) has several primary keys: \(names). Leave sync.isPrimaryKey at one of them.
          """)
    }
    guard isUsable(key) else {
      let reason = key.isTransient ? "transient" : "transformable"
      throw ModelError(
        .invalidPrimaryKey, entity: record.name, property: key.name,
        message: """
          \(record.name).\(key.name) is the primary key but \(reason), so it cannot be looked up. \
          Choose an attribute that is stored as it is.
          """)
    }
    return key.slot
  }

  private static func isUsable(_ attribute: AttributeDescription) -> Bool {
    !attribute.isTransient && attribute.type != .transformable
  }
}

/// What uniqueness constraints, indexes and renaming identifiers refer to.
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
