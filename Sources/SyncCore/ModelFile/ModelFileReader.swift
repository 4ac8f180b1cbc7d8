import Foundation

/// Reads the XML of a model document into drafts.
///
/// Elements that do not change the stored form are passed over: the layout of the editor
/// (`elements`), configurations, fetch request templates, fetched properties, settings for
/// generated code, spotlight. Large values with external storage stay in the row. Indexes over
/// expressions are passed over too: they only speed things up. Anything unknown is an error.
struct ModelFileReader {
  /// Name of the document, for messages.
  let document: String

  /// Reads a document.
  func builder(_ data: Data) throws(ModelError) -> ModelBuilder {
    let root: MarkupElement
    do {
      root = try XMLReader.read(data)
    } catch {
      throw ModelError(.malformedDocument, message: "\(document), \(error.place): \(error.message)")
    }
    guard root.name == "model" else {
      throw ModelError(
        .malformedDocument,
        message: """
          \(document) is no model: it begins with <\(root.name)>, not with <model>. Give the \
          .xcdatamodeld, the .xcdatamodel, or the file “contents” inside it.
          """)
    }
    return try builder(root)
  }

  private func builder(_ root: MarkupElement) throws(ModelError) -> ModelBuilder {
    var fields = MarkupFields(root, document: document)
    var builder = ModelBuilder(
      entities: [], versionIdentifier: fields.text("userDefinedModelVersionIdentifier") ?? "")
    let version = fields.text("documentVersion") ?? "1.0"
    guard version == "1.0" else {
      throw fields.error(
        .unsupported, "Document version \(version) is not supported, only 1.0.",
        at: "documentVersion")
    }
    // Tools note their own and the systems' versions here, under ever new names.
    let noted = root.attributes.map(\.name).filter {
      $0.hasSuffix("Version") || $0.hasPrefix("usedWith")
    }
    try fields.finish(harmless: Set(noted).union(["type", "name", "sourceLanguage"]))
    for child in root.children {
      switch child.name {
      case "entity": builder.entities.append(try entity(child))
      case "elements", "configuration", "fetchRequest": continue
      case "composite", "compositeAttribute":
        throw MarkupFields(child, document: document, property: child.attribute("name")).error(
          .unsupported,
          "Composite attributes are not supported. Declare their parts as attributes instead.")
      default: throw unknown(child, in: fields)
      }
    }
    return builder
  }

  // MARK: - Entities

  private func entity(_ element: MarkupElement) throws(ModelError) -> EntityDraft {
    var fields = MarkupFields(element, document: document, entity: element.attribute("name"))
    var draft = EntityDraft(try fields.required("name"))
    draft.superentityName = fields.name("parentEntity")
    draft.isAbstract = try fields.flag("isAbstract")
    draft.className = fields.name("representedClassName").flatMap {
      $0 == "NSManagedObject" ? nil : $0
    }
    draft.renamingIdentifier = fields.name("elementID")
    try fields.finish(harmless: ModelFileReader.harmlessInEntities)
    for child in element.children {
      switch child.name {
      case "attribute":
        draft.properties.append(try property(child, of: &draft))
      case "relationship":
        draft.properties.append(.relationship(try relationship(child, entity: draft.name)))
      case "userInfo": draft.userInfo = try userInfo(child, in: fields, known: draft.userInfo)
      case "uniquenessConstraints":
        draft.uniquenessConstraints += try lists(
          child, group: "uniquenessConstraint", item: "constraint", in: fields)
      case "compoundIndexes":
        for names in try lists(child, group: "compoundIndex", item: "index", in: fields) {
          draft.indexes.append(
            FetchIndexDescription(
              name: names.joined(separator: "_"), elements: names.map { .init(property: $0) }))
        }
      case "fetchIndex":
        if let index = try fetchIndex(child, in: fields) { draft.indexes.append(index) }
      case "fetchedProperty": continue
      default: throw unknown(child, in: fields)
      }
    }
    return draft
  }

  /// Reads an attribute; `indexed` is the old way to ask for an index on it.
  private func property(
    _ element: MarkupElement, of entity: inout EntityDraft
  ) throws(ModelError) -> PropertyDraft {
    let reader = AttributeElementReader(document: document, entity: entity.name)
    let (draft, isIndexed) = try reader.read(element) { (child, fields) throws(ModelError) in
      guard child.name == "userInfo" else { throw unknown(child, in: fields) }
      return try userInfo(child, in: fields, known: [:])
    }
    if isIndexed {
      entity.indexes.append(
        FetchIndexDescription(name: draft.name, elements: [.init(property: draft.name)]))
    }
    return .attribute(draft)
  }

  private func relationship(
    _ element: MarkupElement, entity: String
  ) throws(ModelError) -> RelationshipDescription {
    var fields = MarkupFields(
      element, document: document, entity: entity, property: element.attribute("name"))
    var draft = RelationshipDescription(
      try fields.required("name"), to: fields.text("destinationEntity") ?? "",
      inverse: fields.name("inverseName"), isToMany: try fields.flag("toMany"))
    draft.isOrdered = try fields.flag("ordered")
    draft.isOptional = try fields.flag("optional")
    draft.isTransient = try fields.flag("transient")
    draft.minCount = try fields.count("minCount")
    draft.maxCount = try fields.count("maxCount")
    draft.renamingIdentifier = fields.name("elementID")
    if let text = fields.text("deletionRule") {
      guard let rule = DeleteRule(rawValue: text) else {
        let rules = DeleteRule.allCases.map(\.rawValue).joined(separator: ", ")
        throw fields.error(
          .unsupported, "There is no delete rule “\(text)”. Write one of \(rules).",
          at: "deletionRule")
      }
      draft.deleteRule = rule
    }
    if let inverseEntity = fields.name("inverseEntity"), inverseEntity != draft.destinationName {
      throw fields.error(
        .invalidInverse,
        """
        The inverse is said to be in \(inverseEntity), but the relationship leads to \
        “\(draft.destinationName)”. Write the same entity twice.
        """, at: "inverseEntity")
    }
    // The column of a to-one relationship has an index anyway.
    try fields.finish(harmless: ModelFileReader.harmlessInProperties.union(["indexed"]))
    for child in element.children {
      guard child.name == "userInfo" else { throw unknown(child, in: fields) }
      draft.userInfo = try userInfo(child, in: fields, known: draft.userInfo)
    }
    return draft
  }

  func unknown(_ element: MarkupElement, in parent: MarkupFields) -> ModelError {
    MarkupFields(element, document: document, entity: parent.entity, property: parent.property)
      .error(
        .unsupported,
        """
        <\(element.name)> is not supported in <\(parent.element.name)> and might change what is \
        stored. Remove it.
        """)
  }

  // MARK: - Elements that are passed over

  private static let harmlessInEntities: Set<String> = [
    "syncable", "codeGenerationType", "versionHashModifier", "coreSpotlightDisplayNameExpression",
  ]

  static let harmlessInProperties: Set<String> = [
    "syncable", "usesScalarValueType", "versionHashModifier", "spotlightIndexingEnabled",
    "storedInTruthFile",
  ]
}
