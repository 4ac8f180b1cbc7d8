package import SyncCore

extension TestModels {
  /// Every attribute type and every kind of relationship a filter can cross.
  ///
  /// | entity | attributes | relationships |
  /// |---|---|---|
  /// | Person | name, nick, age, score, price, isActive, born, token, link, blob | boss/team, company, notes, tags, friends (own inverse), partner (one-to-one) |
  /// | Employee: Person | salary, level | |
  /// | Company | name (indexed), rating, founded | employees, city |
  /// | City | name, size | (none back) |
  /// | Note | text, isDone, stars, weight | author, tags |
  /// | Tag | name, rank | people, notes |
  package static func queries() throws -> ManagedObjectModel {
    try ManagedObjectModel([
      EntityDraft(
        "Person",
        [
          .attribute("name", .string), .attribute("nick", .string), .attribute("age", .integer64),
          .attribute("score", .double), .attribute("price", .decimal),
          .attribute("isActive", .boolean), .attribute("born", .date), .attribute("token", .uuid),
          .attribute("link", .uri), .attribute("blob", .binary),
          .attribute("moment", .date, isTransient: true),
          .attribute("shape", .transformable),
          .toOne("boss", to: "Person", inverse: "team"),
          .toMany("team", to: "Person", inverse: "boss"),
          .toOne("company", to: "Company", inverse: "employees"),
          .toMany("notes", to: "Note", inverse: "author"),
          .toMany("tags", to: "Tag", inverse: "people"),
          .toMany("friends", to: "Person", inverse: "friends"),
          .toOne("partner", to: "Person", inverse: "partner"),
        ]),
      EntityDraft(
        "Employee", [.attribute("salary", .decimal), .attribute("level", .integer16)],
        superentity: "Person"),
      EntityDraft(
        "Company",
        [
          .attribute("name", .string), .attribute("rating", .integer32),
          .attribute("founded", .date),
          .toMany("employees", to: "Person", inverse: "company"), .toOne("city", to: "City"),
        ],
        indexes: [FetchIndexDescription(name: "byName", elements: [.init(property: "name")])]),
      EntityDraft("City", [.attribute("name", .string), .attribute("size", .integer64)]),
      EntityDraft(
        "Note",
        [
          .attribute("text", .string), .attribute("isDone", .boolean),
          .attribute("stars", .integer16), .attribute("weight", .double),
          .toOne("author", to: "Person", inverse: "notes"),
          .toMany("tags", to: "Tag", inverse: "notes"),
        ]),
      EntityDraft(
        "Tag",
        [
          .attribute("name", .string), .attribute("rank", .integer64),
          .toMany("people", to: "Person", inverse: "tags"),
          .toMany("notes", to: "Note", inverse: "tags"),
        ]),
    ])
  }
}
