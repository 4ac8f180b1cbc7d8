/// Hands out the attributes of one element of a model document by name and type. An attribute that
/// is not asked for and not known is an error in the end: it might change the stored form.
struct MarkupFields {
  let element: MarkupElement
  let document: String

  /// The entity, and the property if there is one, that errors are about.
  let entity: String?
  let property: String?
  private var taken: Set<String> = []

  init(_ element: MarkupElement, document: String, entity: String? = nil, property: String? = nil) {
    self.element = element
    self.document = document
    self.entity = entity
    self.property = property
  }

  /// Returns the attribute's text, or nil when the element does not have it.
  mutating func text(_ name: String) -> String? {
    taken.insert(name)
    return element.attribute(name)
  }

  /// Returns the attribute's text; empty counts as missing.
  mutating func name(_ name: String) -> String? {
    text(name).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Returns the attribute's text, which must be there.
  mutating func required(_ name: String) throws(ModelError) -> String {
    if let text = text(name) { return text }
    throw error(.malformedDocument, "<\(element.name)> has no “\(name)”. Add it.")
  }

  /// Returns whether the attribute says `YES`; missing is no.
  mutating func flag(_ name: String) throws(ModelError) -> Bool {
    switch text(name) {
    case "YES", "true": true
    case "NO", "false", nil: false
    case .some(let text):
      throw error(.malformedDocument, "“\(name)” is “\(text)”. Write YES or NO.", at: name)
    }
  }

  /// Returns the whole number the attribute says; missing is 0.
  mutating func count(_ name: String) throws(ModelError) -> Int {
    guard let text = text(name) else { return 0 }
    if let number = Int(text) { return number }
    throw error(.malformedDocument, "“\(name)” is “\(text)”. Write a whole number.", at: name)
  }

  /// Ends the reading of the element's attributes.
  ///
  /// - Parameter harmless: attributes that do not change the stored form and are passed over.
  /// - Throws: ``ModelError`` when any other attribute is left.
  func finish(harmless: Set<String> = []) throws(ModelError) {
    for attribute in element.attributes {
      guard !taken.contains(attribute.name), !harmless.contains(attribute.name) else { continue }
      throw error(
        .unsupported,
        """
        <\(element.name)> has the attribute “\(attribute.name)”, which is not supported and might \
        change what is stored. Remove it.
        """, at: attribute.name)
    }
    guard element.text.allSatisfy(\.isWhitespace) else {
      throw error(.malformedDocument, "<\(element.name)> contains text. Remove it.")
    }
  }

  /// Makes an error that names the document, the place, and the subject.
  ///
  /// - Parameter attribute: name of the attribute whose place is meant; nil for the element.
  func error(
    _ code: ModelError.Code, _ message: String, at attribute: String? = nil
  ) -> ModelError {
    let place = element.attributes.first { $0.name == attribute }?.place ?? element.place
    let subject = [entity, property].compactMap { $0 }.joined(separator: ".")
    let about = subject.isEmpty ? "" : "\(subject): "
    return ModelError(
      code, entity: entity, property: property,
      message: "\(document), \(place): \(about)\(message)")
  }
}

/// One element of an XML document, with everything inside it.
struct MarkupElement {
  var name: String
  var attributes: [MarkupAttribute] = []
  var children: [MarkupElement] = []

  /// All character data directly inside the element.
  var text = ""
  var place: MarkupPlace

  /// The value of an attribute, or nil when the element does not have it.
  func attribute(_ name: String) -> String? {
    attributes.first { $0.name == name }?.value
  }
}

struct MarkupAttribute {
  let name: String
  let value: String
  let place: MarkupPlace
}

/// A place in a document; both numbers begin at 1, columns count characters.
struct MarkupPlace: Hashable, CustomStringConvertible {
  let line: Int
  let column: Int

  var description: String { "line \(line), column \(column)" }
}

/// The reason why a document is no well-formed XML, or uses a form that the reader refuses, and its
/// place.
struct XMLError: Error, Hashable {
  let message: String
  let place: MarkupPlace
}
