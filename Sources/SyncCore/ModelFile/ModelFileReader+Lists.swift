/// User info, uniqueness constraints and indexes: elements that are lists.
extension ModelFileReader {
  func userInfo(
    _ element: MarkupElement, in parent: MarkupFields, known: [String: String]
  ) throws(ModelError) -> [String: String] {
    try fields(element, in: parent).finish()
    var result = known
    for child in element.children {
      guard child.name == "entry" else { throw unknown(child, in: fields(element, in: parent)) }
      var entry = fields(child, in: parent)
      let key = try entry.required("key")
      let value = entry.text("value") ?? ""
      try entry.finish()
      guard result.updateValue(value, forKey: key) == nil else {
        throw entry.error(
          .malformedDocument, "The user info has “\(key)” twice. Remove one.", at: "key")
      }
    }
    return result
  }

  /// Reads groups of names: `<group><item value="name"/>…</group>…`.
  func lists(
    _ element: MarkupElement, group: String, item: String, in parent: MarkupFields
  ) throws(ModelError) -> [[String]] {
    try fields(element, in: parent).finish()
    var result: [[String]] = []
    for child in element.children {
      let list = fields(child, in: parent)
      guard child.name == group else { throw unknown(child, in: fields(element, in: parent)) }
      try list.finish()
      var names: [String] = []
      for grandchild in child.children {
        guard grandchild.name == item else { throw unknown(grandchild, in: list) }
        var field = fields(grandchild, in: parent)
        names.append(try field.required("value"))
        try field.finish()
      }
      result.append(names)
    }
    return result
  }

  /// Reads an index, or returns nil when there is nothing in it that can be indexed.
  func fetchIndex(
    _ element: MarkupElement, in parent: MarkupFields
  ) throws(ModelError) -> FetchIndexDescription? {
    var index = fields(element, in: parent)
    let name = try index.required("name")
    // An index over some of the rows is made over all of them: it answers the same questions.
    try index.finish(harmless: ["partialIndexPredicate"])
    var elements: [FetchIndexDescription.Element] = []
    for child in element.children {
      guard child.name == "fetchIndexElement" else { throw unknown(child, in: index) }
      var field = fields(child, in: parent)
      let property = field.name("property")
      let order = field.text("order") ?? "ascending"
      guard order == "ascending" || order == "descending" else {
        throw field.error(
          .malformedDocument, "“order” is “\(order)”. Write ascending or descending.", at: "order")
      }
      try field.finish(harmless: ["type", "expression", "expressionType"])
      guard let property else { return nil }
      elements.append(.init(property: property, ascending: order == "ascending"))
    }
    return elements.isEmpty ? nil : FetchIndexDescription(name: name, elements: elements)
  }

  private func fields(_ element: MarkupElement, in parent: MarkupFields) -> MarkupFields {
    MarkupFields(element, document: document, entity: parent.entity, property: parent.property)
  }
}
