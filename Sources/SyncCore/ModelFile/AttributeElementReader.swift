/// Reads the element of an attribute: type, default value, limits.
struct AttributeElementReader {
  let document: String
  let entity: String

  typealias UserInfoReader = (MarkupElement, MarkupFields) throws(ModelError) -> [String: String]

  /// Reads the attribute, and whether it asks for an index.
  func read(
    _ element: MarkupElement, userInfo: UserInfoReader
  ) throws(ModelError) -> (draft: AttributeDescription, isIndexed: Bool) {
    var fields = MarkupFields(
      element, document: document, entity: entity, property: element.attribute("name"))
    let name = try fields.required("name")
    let isDerived = try fields.flag("derived")
    guard !isDerived, fields.text("derivationExpression") == nil else {
      throw fields.error(
        .unsupported,
        """
        Derived attributes are not supported: they would have to be kept up to date in the store. \
        Declare an ordinary attribute and set it, or ask with an aggregate.
        """, at: "derived")
    }
    var draft = AttributeDescription(name, try type(&fields))
    draft.isOptional = try fields.flag("optional")
    draft.isTransient = try fields.flag("transient")
    draft.defaultValue = try value(
      text: "defaultValueString", date: "defaultDateTimeInterval", of: draft.type,
      code: .invalidDefault, &fields)
    draft.validation = try validation(draft.type, &fields)
    draft.valueTransformerName = fields.name("valueTransformerName")
    draft.valueClassName = fields.name("customClassName")
    draft.renamingIdentifier = fields.name("elementID")
    let isPreserved = try fields.flag("preserveAfterDeletion")
    let isKept = try fields.flag("preservesValueInHistoryOnDeletion")
    draft.preservesValueInHistory = isPreserved || isKept
    let isIndexed = try fields.flag("indexed")
    let isEncrypted = try fields.flag("allowsCloudEncryption")
    let isExternal = try fields.flag("allowsExternalBinaryDataStorage")
    try fields.finish(harmless: ModelFileReader.harmlessInProperties)
    for child in element.children {
      guard draft.userInfo.isEmpty else {
        throw fields.error(.malformedDocument, "There are two user infos. Remove one.")
      }
      draft.userInfo = try userInfo(child, fields)
    }
    // Remote sync reads it there.
    if isEncrypted { draft.userInfo["allowsCloudEncryption"] = "YES" }
    if isExternal { draft.userInfo["allowsExternalBinaryDataStorage"] = "YES" }
    return (draft, isIndexed && !draft.isTransient)
  }

  private func type(_ fields: inout MarkupFields) throws(ModelError) -> AttributeType {
    let text = fields.text("attributeType") ?? "Undefined"
    if let type = AttributeType(rawValue: text) { return type }
    let advice =
      text == "Composite"
      ? "Declare the parts as attributes instead."
      : "Choose one of \(AttributeType.allCases.map(\.rawValue).joined(separator: ", "))."
    throw fields.error(
      .unsupported, "Attributes of type \(text) are not supported. \(advice)", at: "attributeType")
  }

  private func validation(
    _ type: AttributeType, _ fields: inout MarkupFields
  ) throws(ModelError) -> ValidationRules {
    // For types without limits the text is kept, and the builder tells the error.
    let measure = type.measure ?? .string
    return ValidationRules(
      minimum: try value(
        text: "minValueString", date: "minDateTimeInterval", of: measure, code: .invalidRule,
        &fields),
      maximum: try value(
        text: "maxValueString", date: "maxDateTimeInterval", of: measure, code: .invalidRule,
        &fields),
      regularExpression: fields.name("regularExpressionString"))
  }

  /// Reads a value that stands under one name for dates and under another for all else.
  private func value(
    text textName: String, date dateName: String, of type: AttributeType, code: ModelError.Code,
    _ fields: inout MarkupFields
  ) throws(ModelError) -> Value {
    let (name, other) = type == .date ? (dateName, textName) : (textName, dateName)
    let text = fields.text(name)
    if let misplaced = fields.text(other) {
      throw fields.error(
        code,
        "“\(other)” (“\(misplaced)”) says nothing about type \(type.rawValue). Use “\(name)”.",
        at: other)
    }
    guard let text else { return .null }
    if let value = type.modelValue(parsing: text) { return value }
    throw fields.error(
      code, "“\(name)” is “\(text)”, which is no value of type \(type.rawValue). Correct it.",
      at: name)
  }
}
