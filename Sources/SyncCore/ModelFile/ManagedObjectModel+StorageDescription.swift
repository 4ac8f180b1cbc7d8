import Foundation

/// The model as text that a store keeps, so that it can be opened without the model and migrated
/// later. It is a model document in its canonical form: everything that ``ManagedObjectModel``
/// knows is in it, in the order of declaration, and equal models give equal text.
extension ManagedObjectModel {
  /// The whole model as text.
  package var storageDescription: String {
    var writer = MarkupWriter()
    writer.begin("model")
    writer.attribute("documentVersion", "1.0")
    if !versionIdentifier.isEmpty {
      writer.attribute("userDefinedModelVersionIdentifier", versionIdentifier)
    }
    for record in records { write(record, to: &writer) }
    writer.end()
    return writer.text
  }

  /// Makes the model again that a storage description was written from.
  ///
  /// - Throws: ``ModelError`` when the text is malformed.
  package convenience init(storageDescription: String) throws(ModelError) {
    try self.init(xml: Data(storageDescription.utf8), documentName: "The model kept in the store")
  }

  private func write(_ record: EntityRecord, to writer: inout MarkupWriter) {
    writer.begin("entity")
    writer.attribute("name", record.name)
    writer.attribute("representedClassName", record.className)
    writer.attribute("parentEntity", record.superentity.map { records[$0].name })
    writer.flag("isAbstract", record.isAbstract)
    writer.attribute("elementID", record.renamingIdentifier)
    let inherited = record.superentity.map { records[$0].properties.count } ?? 0
    for property in record.properties.dropFirst(inherited) {
      switch property {
      case .attribute(let attribute): attribute.write(to: &writer)
      case .relationship(let relationship): relationship.write(to: &writer)
      }
    }
    writeLists(of: record, to: &writer)
    record.userInfo.writeUserInfo(to: &writer)
    writer.end()
  }

  private func writeLists(of record: EntityRecord, to writer: inout MarkupWriter) {
    if !record.uniquenessConstraints.isEmpty {
      writer.begin("uniquenessConstraints")
      for constraint in record.uniquenessConstraints {
        writer.begin("uniquenessConstraint")
        for name in constraint {
          writer.begin("constraint")
          writer.attribute("value", name)
          writer.end()
        }
        writer.end()
      }
      writer.end()
    }
    for index in record.indexes {
      writer.begin("fetchIndex")
      writer.attribute("name", index.name)
      for element in index.elements {
        writer.begin("fetchIndexElement")
        writer.attribute("property", element.property)
        writer.attribute("order", element.ascending ? "ascending" : "descending")
        writer.end()
      }
      writer.end()
    }
  }
}

extension AttributeDescription {
  fileprivate func write(to writer: inout MarkupWriter) {
    let isDate = type == .date
    writer.begin("attribute")
    writer.attribute("name", name)
    writer.attribute("attributeType", type.rawValue)
    writer.flag("optional", isOptional)
    writer.flag("transient", isTransient)
    writer.attribute(isDate ? "defaultDateTimeInterval" : "defaultValueString", defaultText)
    writer.attribute(
      isDate ? "minDateTimeInterval" : "minValueString", validation.minimum.modelText)
    writer.attribute(
      isDate ? "maxDateTimeInterval" : "maxValueString", validation.maximum.modelText)
    writer.attribute("regularExpressionString", validation.regularExpression)
    writer.attribute("valueTransformerName", valueTransformerName)
    writer.attribute("customClassName", valueClassName)
    writer.flag("preserveAfterDeletion", preservesValueInHistory)
    writer.attribute("elementID", renamingIdentifier)
    userInfo.writeUserInfo(to: &writer)
    writer.end()
  }

  /// The default as a model document writes it; nil for none.
  private var defaultText: String? {
    type == .transformable && !defaultValue.isNull
      ? defaultValue.archive.base64EncodedString() : defaultValue.modelText
  }
}

extension RelationshipDescription {
  fileprivate func write(to writer: inout MarkupWriter) {
    writer.begin("relationship")
    writer.attribute("name", name)
    writer.flag("optional", isOptional)
    writer.flag("transient", isTransient)
    writer.flag("toMany", isToMany)
    writer.flag("ordered", isOrdered)
    if minCount > 0 { writer.attribute("minCount", "\(minCount)") }
    if maxCount > 0 { writer.attribute("maxCount", "\(maxCount)") }
    writer.attribute("deletionRule", deleteRule.rawValue)
    writer.attribute("destinationEntity", destinationName)
    writer.attribute("inverseName", inverseName)
    writer.attribute("inverseEntity", inverseName.map { _ in destinationName })
    writer.attribute("elementID", renamingIdentifier)
    userInfo.writeUserInfo(to: &writer)
    writer.end()
  }
}

extension [String: String] {
  fileprivate func writeUserInfo(to writer: inout MarkupWriter) {
    guard !isEmpty else { return }
    writer.begin("userInfo")
    for (key, value) in inKeyOrder {
      writer.begin("entry")
      writer.attribute("key", key)
      writer.attribute("value", value)
      writer.end()
    }
    writer.end()
  }
}

extension Value {
  /// The value as a model document writes it; nil for no value.
  fileprivate var modelText: String? {
    switch self {
    case .null: nil
    case .bool(let value): value ? "YES" : "NO"
    case .date(let value): "\(value.timeIntervalSinceReferenceDate)"
    case .data(let value): value.base64EncodedString()
    case .uuid(let value): value.uuidString
    case .url(let value): value.absoluteString
    case .int, .double, .decimal, .string: description
    }
  }
}
