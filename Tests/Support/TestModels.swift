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
          "id", "name", "parent -> Organization.children",
          "children ->> Organization.parent cascade",
        ])
    ])
  }

  /// Inheritance: Vehicle (abstract; id, name, owner) > Car (doors) > Racecar (team), and
  /// Vehicle > Bicycle (gears); Person (id, name) has vehicles.
  package static func vehicles() throws -> ManagedObjectModel {
    try ManagedObjectModel([
      "Racecar < Car: team",
      "Car < Vehicle: doors integer16",
      "Bicycle < Vehicle: gears integer16",
      "abstract Vehicle: id, name, owner -> Person.vehicles",
      "Person: id, name, vehicles ->> Vehicle.owner",
    ])
  }

  /// Inheritance where every entity has objects and lists of its own: Animal (id, name, owner) >
  /// Dog (breed, walker); Person (id, name) has animals and dogs, and a favourite animal.
  package static func animals() throws -> ManagedObjectModel {
    try ManagedObjectModel([
      EntityDraft(
        "Person",
        [
          "id", "name", "favourite -> Animal", "dogs ->> Dog.walker",
          "animals ->> Animal.owner cascade",
        ]),
      "Animal: id, name, owner -> Person.animals",
      "Dog < Animal: breed, walker -> Person.dogs",
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
      "Owner: id, name, own ->> Child.owner cascade, list ->> Child.lister",
      "Child: id, name, owner -> Owner.own, lister -> Owner.list",
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
          "id", "partner -> B.partner", "items ->> B.owner ordered cascade",
          "links ->> B.linked ordered", "other -> B", "others ->> B", "friends ->> A.friends",
        ]),
      "B: id string, partner -> A.partner, owner -> A.items, linked ->> A.links ordered",
    ])
  }

  private static let user = EntityDraft(
    "User",
    [
      "id", "name", "email", "age integer32", "score double", "isActive boolean", "createdAt date",
      "notes ->> Note.user cascade", "company -> Company.employees", "tags ->> Tag.users",
      "tasks ->> Task.user ordered cascade",
    ])

  private static let note = EntityDraft(
    "Note", ["id", "text", "createdAt date", "user -> User.notes"])

  private static let company = EntityDraft("Company", ["id", "name", "employees ->> User.company"])

  private static let tag = EntityDraft("Tag", ["id", "name", "users ->> User.tags"])

  private static let task = EntityDraft("Task", ["id", "title", "user -> User.tasks"])
}
