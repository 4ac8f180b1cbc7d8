import SyncStack
import TestSupport

/// A model in which nearly every key is another than the property's name: dot paths that share
/// roots, reserved names, names no inflection leads back to, transformers, keys of relationships.
enum AnnotatedModel {
  static func make() throws -> ManagedObjectModel {
    let transformers = registered
    return try ManagedObjectModel([
      EntityDraft(
        "Author",
        [
          "id key from meta.number", "authorType", "authorDescription", "urlString",
          "isHTMLValid boolean", "userId integer32", "name from attributes.name",
          "email from attributes.contact.email", "born date from attributes.contact.born",
          .attribute("title", .string, userInfo: ["sync.valueTransformer": transformers.text]),
          .attribute("score", .integer64, userInfo: ["sync.valueTransformer": transformers.number]),
          .attribute("place", .transformable, valueTransformerName: transformers.text),
          "secret sync.nonExportable=YES", "books ->> Book.author from relationships.books.data",
          "mentor -> Author.students from relationships.mentor", "students ->> Author.mentor",
        ]),
      """
      Book: isbn key from type, bookDescription from description.long,
      price decimal from description.price, author -> Author.books from written.by,
      labels ->> Label.books ordered from labels.all
      """,
      "Label: code uuid key, name, books ->> Book.labels",
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
