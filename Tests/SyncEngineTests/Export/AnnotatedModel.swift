import SyncStack

/// A model in which nearly every key is another than the property's name: dot paths that share
/// roots, reserved names, names no inflection leads back to, transformers, keys of relationships.
enum AnnotatedModel {
  static func make() throws -> ManagedObjectModel {
    let transformers = registered
    return try ManagedObjectModel([
      EntityDraft(
        "Author",
        [
          .attribute("id", .integer64, isPrimaryKey: true, remoteKey: "meta.number"),
          .attribute("authorType", .string),
          .attribute("authorDescription", .string),
          .attribute("urlString", .string),
          .attribute("isHTMLValid", .boolean),
          .attribute("userId", .integer32),
          .attribute("name", .string, remoteKey: "attributes.name"),
          .attribute("email", .string, remoteKey: "attributes.contact.email"),
          .attribute("born", .date, remoteKey: "attributes.contact.born"),
          .attribute("title", .string, userInfo: ["sync.valueTransformer": transformers.text]),
          .attribute("score", .integer64, userInfo: ["sync.valueTransformer": transformers.number]),
          .attribute("place", .transformable, valueTransformerName: transformers.text),
          .attribute("secret", .string, userInfo: ["sync.nonExportable": "YES"]),
          .toMany("books", to: "Book", inverse: "author", remoteKey: "relationships.books.data"),
          .toOne("mentor", to: "Author", inverse: "students", remoteKey: "relationships.mentor"),
          .toMany("students", to: "Author", inverse: "mentor"),
        ]),
      EntityDraft(
        "Book",
        [
          .attribute("isbn", .string, isPrimaryKey: true, remoteKey: "type"),
          .attribute("bookDescription", .string, remoteKey: "description.long"),
          .attribute("price", .decimal, remoteKey: "description.price"),
          .toOne("author", to: "Author", inverse: "books", remoteKey: "written.by"),
          .toMany(
            "labels", to: "Label", inverse: "books", isOrdered: true, remoteKey: "labels.all"),
        ]),
      EntityDraft(
        "Label",
        [
          .attribute("code", .uuid, isPrimaryKey: true),
          .attribute("name", .string),
          .toMany("books", to: "Book", inverse: "labels"),
        ]),
    ])
  }

  /// Registered once for all tests, since stacks of several run at the same time.
  private static let registered: (text: String, number: String) = {
    let names = (text: "AnnotatedModel.text", number: "AnnotatedModel.number")
    TransformerRegistry.shared.register(
      names.text,
      forward: { $0.stringValue.map { .string(String($0.dropFirst())) } ?? .null },
      reverse: { $0.isNull ? .null : .string("<" + $0.description) })
    TransformerRegistry.shared.register(
      names.number,
      forward: { $0.stringValue.flatMap { Int64($0.dropFirst()) }.map { .int($0) } ?? .null },
      reverse: { $0.isNull ? .null : .string("#" + $0.description) })
    return names
  }()
}
