/// Which names an entity or a property may have.
enum NameRule {
  static func checkEntity(_ name: String) throws(ModelError) {
    guard !name.isEmpty else {
      throw ModelError(.invalidName, message: "An entity has no name. Give it one.")
    }
    // Tables whose names begin otherwise are the store's own.
    guard isIdentifier(name), !name.hasPrefix("_"), !name.lowercased().hasPrefix("sqlite_") else {
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
    _ texts: [String], in entity: String? = nil, property: String? = nil
  ) throws(ModelError) {
    let subject = [entity, property].compactMap { $0 }.joined(separator: ".")
    for text in texts where !text.unicodeScalars.allSatisfy(isWritable) {
      throw ModelError(
        .invalidName, entity: entity, property: property,
        message: """
          \(subject.isEmpty ? "The model" : subject) contains a control character in “\(text)”. \
          Remove it.
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
