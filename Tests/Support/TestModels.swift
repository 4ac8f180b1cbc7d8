package import SyncCore

/// The models that tests are about, each in one call.
package enum TestModels {
  /// Users with notes (one-to-many, cascade), a company (to-one), tags (many-to-many) and an
  /// ordered list of tasks.
  ///
  /// | entity | attributes | relationships |
  /// |---|---|---|
  /// | User | id, name, email, age, score, isActive, createdAt | notes, company, tags, tasks (ordered) |
  /// | Note | id, text, createdAt | user |
  /// | Company | id, name | employees |
  /// | Tag | id, name | users |
  /// | Task | id, title | user |
  package static func social() throws -> ManagedObjectModel {
    try ManagedObjectModel([user, note, company, tag, task])
  }

  /// Two entities only: User (id, name, email, age, score, isActive, createdAt, notes) and Note.
  package static func userNotes() throws -> ManagedObjectModel {
    var reduced = user
    reduced.properties.removeAll { ["company", "tags", "tasks"].contains($0.name) }
    return try ManagedObjectModel([reduced, note])
  }

  /// One entity `User` with the attributes only.
  package static func users() throws -> ManagedObjectModel {
    var reduced = user
    reduced.properties.removeAll {
      if case .relationship = $0.content { true } else { false }
    }
    return try ManagedObjectModel([reduced])
  }

  /// An entity `Organization` (id, name) that is a tree: `parent` and `children` (cascade).
  package static func tree() throws -> ManagedObjectModel {
    try ManagedObjectModel([
      EntityDraft(
        "Organization",
        [
          .attribute("id", .integer64), .attribute("name", .string),
          .toOne("parent", to: "Organization", inverse: "children"),
          .toMany("children", to: "Organization", inverse: "parent", deleteRule: .cascade),
        ])
    ])
  }

  /// Inheritance: Vehicle (abstract; id, name, owner) > Car (doors) > Racecar (team), and
  /// Vehicle > Bicycle (gears); Person (id, name) has vehicles.
  package static func vehicles() throws -> ManagedObjectModel {
    try ManagedObjectModel([
      EntityDraft("Racecar", [.attribute("team", .string)], superentity: "Car"),
      EntityDraft("Car", [.attribute("doors", .integer16)], superentity: "Vehicle"),
      EntityDraft("Bicycle", [.attribute("gears", .integer16)], superentity: "Vehicle"),
      EntityDraft(
        "Vehicle",
        [
          .attribute("id", .integer64), .attribute("name", .string),
          .toOne("owner", to: "Person", inverse: "vehicles"),
        ], isAbstract: true),
      EntityDraft(
        "Person",
        [
          .attribute("id", .integer64), .attribute("name", .string),
          .toMany("vehicles", to: "Vehicle", inverse: "owner"),
        ]),
    ])
  }

  /// Inheritance where every entity has objects and lists of its own: Animal (id, name, owner) >
  /// Dog (breed, walker); Person (id, name) has animals and dogs, and a favourite animal.
  package static func animals() throws -> ManagedObjectModel {
    try ManagedObjectModel([
      EntityDraft(
        "Person",
        [
          .attribute("id", .integer64), .attribute("name", .string),
          .toOne("favourite", to: "Animal"),
          .toMany("dogs", to: "Dog", inverse: "walker"),
          .toMany("animals", to: "Animal", inverse: "owner", deleteRule: .cascade),
        ]),
      EntityDraft(
        "Animal",
        [
          .attribute("id", .integer64), .attribute("name", .string),
          .toOne("owner", to: "Person", inverse: "animals"),
        ]),
      EntityDraft(
        "Dog",
        [.attribute("breed", .string), .toOne("walker", to: "Person", inverse: "dogs")],
        superentity: "Animal"),
    ])
  }

  /// One entity `Everything` (id) with an optional attribute of every type, named after the type:
  /// integer16, integer32, integer64, decimal, double, float, string, boolean, date, binary, uuid,
  /// uri, transformable.
  package static func allTypes() throws -> ManagedObjectModel {
    try ManagedObjectModel([
      EntityDraft(
        "Everything",
        [.attribute("id", .integer64, isOptional: false)]
          + AttributeType.allCases.map { .attribute("\($0)", $0) })
    ])
  }

  /// Two one-to-many relationships between the same entities.
  package static func twoLists() throws -> ManagedObjectModel {
    try ManagedObjectModel([
      EntityDraft(
        "Owner",
        [
          .attribute("id", .integer64), .attribute("name", .string),
          .toMany("own", to: "Child", inverse: "owner", deleteRule: .cascade),
          .toMany("list", to: "Child", inverse: "lister"),
        ]),
      EntityDraft(
        "Child",
        [
          .attribute("id", .integer64), .attribute("name", .string),
          .toOne("owner", to: "Owner", inverse: "own"),
          .toOne("lister", to: "Owner", inverse: "list"),
        ]),
    ])
  }

  /// Every kind of relationship between A and B, without meaning: one-to-one (`partner`), ordered
  /// one-to-many (`items`/`owner`), many-to-many ordered on both sides (`links`/`linked`), to-one
  /// and to-many without inverse (`other`, `others`), and a to-many of A that is its own inverse
  /// (`friends`).
  package static func relationships() throws -> ManagedObjectModel {
    try ManagedObjectModel([
      EntityDraft(
        "A",
        [
          .attribute("id", .integer64),
          .toOne("partner", to: "B", inverse: "partner"),
          .toMany("items", to: "B", inverse: "owner", isOrdered: true, deleteRule: .cascade),
          .toMany("links", to: "B", inverse: "linked", isOrdered: true),
          .toOne("other", to: "B"),
          .toMany("others", to: "B"),
          .toMany("friends", to: "A", inverse: "friends"),
        ]),
      EntityDraft(
        "B",
        [
          .attribute("id", .string),
          .toOne("partner", to: "A", inverse: "partner"),
          .toOne("owner", to: "A", inverse: "items"),
          .toMany("linked", to: "A", inverse: "links", isOrdered: true),
        ]),
    ])
  }

  private static let user = EntityDraft(
    "User",
    [
      .attribute("id", .integer64), .attribute("name", .string), .attribute("email", .string),
      .attribute("age", .integer32), .attribute("score", .double),
      .attribute("isActive", .boolean), .attribute("createdAt", .date),
      .toMany("notes", to: "Note", inverse: "user", deleteRule: .cascade),
      .toOne("company", to: "Company", inverse: "employees"),
      .toMany("tags", to: "Tag", inverse: "users"),
      .toMany("tasks", to: "Task", inverse: "user", isOrdered: true, deleteRule: .cascade),
    ])

  private static let note = EntityDraft(
    "Note",
    [
      .attribute("id", .integer64), .attribute("text", .string), .attribute("createdAt", .date),
      .toOne("user", to: "User", inverse: "notes"),
    ])

  private static let company = EntityDraft(
    "Company",
    [
      .attribute("id", .integer64), .attribute("name", .string),
      .toMany("employees", to: "User", inverse: "company"),
    ])

  private static let tag = EntityDraft(
    "Tag",
    [
      .attribute("id", .integer64), .attribute("name", .string),
      .toMany("users", to: "User", inverse: "tags"),
    ])

  private static let task = EntityDraft(
    "Task",
    [
      .attribute("id", .integer64), .attribute("title", .string),
      .toOne("user", to: "User", inverse: "tasks"),
    ])
}
