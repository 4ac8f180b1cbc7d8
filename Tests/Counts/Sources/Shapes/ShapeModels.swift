import SyncStack

/// The models of the shapes.
enum ShapeModels {
  /// An entity `Item` with a key of a type and so many texts.
  static func items(
    _ key: AttributeType = .integer64, columns: Int = 4, isRequired: Bool = false
  ) throws -> ManagedObjectModel {
    try ManagedObjectModel([
      EntityDraft(
        "Item",
        [.attribute("id", key)]
          + (0..<columns).map {
            .attribute("text\($0)", .string, isOptional: !(isRequired && $0 == 0))
          })
    ])
  }

  /// The properties of most entities.
  private static let named: [PropertyDraft] = [
    .attribute("id", .integer64), .attribute("name", .string),
  ]

  /// `Item` with children, tags and an ordered list of chapters.
  static func lists() throws -> ManagedObjectModel {
    try ManagedObjectModel([
      EntityDraft(
        "Item",
        named + [
          .toMany("children", to: "Child", inverse: "item", deleteRule: .cascade),
          .toMany("tags", to: "Tag", inverse: "items"),
          .toMany(
            "chapters", to: "Chapter", inverse: "item", isOrdered: true, deleteRule: .cascade),
        ]),
      EntityDraft("Child", named + [.toOne("item", to: "Item", inverse: "children")]),
      EntityDraft("Tag", named + [.toMany("items", to: "Item", inverse: "tags")]),
      EntityDraft("Chapter", named + [.toOne("item", to: "Item", inverse: "chapters")]),
    ])
  }

  /// `Item` with a parent and children of its own kind.
  static func tree() throws -> ManagedObjectModel {
    try ManagedObjectModel([
      EntityDraft(
        "Item",
        named + [
          .toOne("parent", to: "Item", inverse: "children"),
          .toMany("children", to: "Item", inverse: "parent", deleteRule: .cascade),
        ])
    ])
  }

  /// So many entities without relationships.
  static func many(_ count: Int, columns: Int = 4) throws -> ManagedObjectModel {
    try ManagedObjectModel(
      (0..<count).map { number in
        EntityDraft(
          "Item\(number)",
          [.attribute("id", .integer64)]
            + (0..<columns).map { .attribute("text\($0)", .string) })
      })
  }

  /// A chain of so many entities, each with the one before as its superentity. Only the first has
  /// an attribute: a model is as large as its entities with all that they inherit.
  static func chain(_ count: Int) throws -> ManagedObjectModel {
    try ManagedObjectModel(
      (0..<count).map { number in
        EntityDraft(
          "Item\(number)", number == 0 ? [.attribute("id", .integer64)] : [],
          superentity: number == 0 ? nil : "Item\(number - 1)")
      })
  }
}
