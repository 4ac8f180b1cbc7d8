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

  private static let user = EntityDraft(
    "User",
    [
      .attribute("id", .integer64), .attribute("name", .string), .attribute("email", .string),
      .attribute("phone", .string), .attribute("city", .string), .attribute("bio", .string),
      .attribute("createdAt", .date), .attribute("updatedAt", .date),
      .attribute("score", .double), .attribute("isActive", .boolean),
      .toMany("notes", to: "Note", inverse: "user", deleteRule: .cascade),
    ])

  private static let note = EntityDraft(
    "Note",
    [
      .attribute("id", .integer64), .attribute("text", .string), .attribute("createdAt", .date),
      .toOne("user", to: "User", inverse: "notes"),
    ])

  private static let document = EntityDraft(
    "Document",
    [
      .attribute("id", .integer64), .attribute("title", .string), .attribute("body", .string),
      .attribute("createdAt", .date), .attribute("pages", .integer32),
      .toMany("tags", to: "Tag", inverse: "documents"),
      .toMany("people", to: "Person", inverse: "documents"),
    ])

  private static let tag = EntityDraft(
    "Tag",
    [
      .attribute("id", .integer64), .attribute("name", .string),
      .toMany("documents", to: "Document", inverse: "tags"),
    ])

  private static let person = EntityDraft(
    "Person",
    [
      .attribute("id", .integer64), .attribute("name", .string),
      .toMany("documents", to: "Document", inverse: "people"),
    ])

  private static let book = EntityDraft(
    "Book",
    [
      .attribute("id", .integer64), .attribute("title", .string), .attribute("author", .string),
      .attribute("publishedAt", .date),
      .toMany(
        "chapters", to: "Chapter", inverse: "book", isOrdered: true, deleteRule: .cascade),
    ])

  private static let chapter = EntityDraft(
    "Chapter",
    [
      .attribute("id", .integer64), .attribute("title", .string), .attribute("pages", .integer32),
      .toOne("book", to: "Book", inverse: "chapters"),
    ])
}
