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
          "name", "nick", "age integer64", "score double", "price decimal", "isActive boolean",
          "born date", "token uuid", "link uri", "blob binary", "moment date transient",
          "shape transformable", "boss -> Person.team", "team ->> Person.boss",
          "company -> Company.employees", "notes ->> Note.author", "tags ->> Tag.people",
          "friends ->> Person.friends", "partner -> Person.partner",
        ]),
      "Employee < Person: salary decimal, level integer16",
      EntityDraft(
        "Company",
        [
          "name", "rating integer32", "founded date", "employees ->> Person.company",
          "city -> City",
        ], indexes: [FetchIndexDescription(name: "byName", elements: [.init(property: "name")])]),
      "City: name, size integer64",
      EntityDraft(
        "Note",
        [
          "text", "isDone boolean", "stars integer16", "weight double", "author -> Person.notes",
          "tags ->> Tag.notes",
        ]),
      "Tag: name, rank integer64, people ->> Person.tags, notes ->> Note.tags",
    ])
  }
}
