public import Measuring
public import SyncStack

/// The models of the data sets.
public enum Models {
  /// One model of some of them.
  public static func of(_ sets: DataSet...) throws -> ManagedObjectModel {
    try ManagedObjectModel(sets.flatMap(drafts))
  }

  private static func drafts(of set: DataSet) -> [EntityDraft] {
    switch set {
    case .users: [user, note]
    case .documents: [document, tag, person]
    case .books: [book, chapter]
    }
  }

  private static func texts(_ names: String...) -> [PropertyDraft] {
    [.attribute("id", .integer64)] + names.map { .attribute($0, .string) }
  }

  private static let user = EntityDraft(
    "User",
    texts("name", "email", "phone", "city", "bio") + [
      .attribute("createdAt", .date), .attribute("updatedAt", .date),
      .attribute("score", .double), .attribute("isActive", .boolean),
      .toMany("notes", to: "Note", inverse: "user", deleteRule: .cascade),
    ])

  private static let note = EntityDraft(
    "Note",
    texts("text") + [.attribute("createdAt", .date), .toOne("user", to: "User", inverse: "notes")])

  private static let document = EntityDraft(
    "Document",
    texts("title", "body") + [
      .attribute("createdAt", .date), .attribute("pages", .integer32),
      .toMany("tags", to: "Tag", inverse: "documents"),
      .toMany("people", to: "Person", inverse: "documents"),
    ])

  private static let tag = EntityDraft(
    "Tag", texts("name") + [.toMany("documents", to: "Document", inverse: "tags")])

  private static let person = EntityDraft(
    "Person", texts("name") + [.toMany("documents", to: "Document", inverse: "people")])

  private static let book = EntityDraft(
    "Book",
    texts("title", "author") + [
      .attribute("publishedAt", .date),
      .toMany("chapters", to: "Chapter", inverse: "book", isOrdered: true, deleteRule: .cascade),
    ])

  private static let chapter = EntityDraft(
    "Chapter",
    texts("title") + [
      .attribute("pages", .integer32), .toOne("book", to: "Book", inverse: "chapters"),
    ])
}
