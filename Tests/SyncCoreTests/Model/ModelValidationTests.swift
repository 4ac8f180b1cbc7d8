import SyncCore
import Testing

/// One contradiction each: the code, the place and the advice of its error.
struct Contradiction: Sendable, CustomTestStringConvertible {
  let code: ModelError.Code
  let entity: String?
  let property: String?
  let message: String
  let entities: [EntityDraft]

  init(
    _ code: ModelError.Code, _ entity: String?, _ property: String?, _ message: String,
    _ entities: [EntityDraft]
  ) {
    self.code = code
    self.entity = entity
    self.property = property
    self.message = message
    self.entities = entities
  }

  var testDescription: String { "\(code) \(message)" }
}

@Suite struct ModelValidationTests {
  @Test(arguments: names + inheritance + relationships + attributes + keys + constraints)
  func contradictionsAreErrorsThatSayWhatToDo(_ contradiction: Contradiction) {
    let error = #expect(throws: ModelError.self) {
      try ManagedObjectModel(contradiction.entities)
    }
    let text = "\(error?.message ?? "")"
    #expect(error?.code == contradiction.code, "\(text)")
    #expect(error?.entity == contradiction.entity, "\(text)")
    #expect(error?.property == contradiction.property, "\(text)")
    #expect(text.contains(contradiction.message), "\(text)")
    #expect(text.hasSuffix("."), "\(text)")
  }

  private static let names: [Contradiction] = [
    .init(.invalidName, nil, nil, "has no name", [EntityDraft("", [])]),
    .init(.invalidName, "a b", nil, "“a b”", [EntityDraft("a b", [])]),
    .init(.invalidName, "1a", nil, "Begin with a letter", [EntityDraft("1a", [])]),
    .init(.invalidName, "_a", nil, "Begin with a letter", [EntityDraft("_a", [])]),
    .init(.invalidName, "sqlite_a", nil, "sqlite_", [EntityDraft("sqlite_a", [])]),
    .init(.invalidName, "A", nil, "has no name", [EntityDraft("A", [.attribute("", .string)])]),
    .init(.invalidName, "A", "x.y", "“x.y”", [EntityDraft("A", [.attribute("x.y", .string)])]),
    .init(
      .invalidName, "A", "self", "sync.remoteKey", [EntityDraft("A", [.attribute("self", .string)])]
    ),
    .init(
      .invalidName, "A", "x", "control",
      [EntityDraft("A", [.attribute("x", .string, defaultValue: "\u{0}")])]),
    .init(.duplicateName, "A", nil, "two entities", [EntityDraft("A", []), EntityDraft("A", [])]),
    .init(
      .duplicateName, "A", "x", "two properties",
      [EntityDraft("A", [.attribute("x", .string), .toOne("x", to: "A")])]),
    .init(
      .duplicateName, "B", nil, "“Old”",
      [EntityDraft("A", renamingIdentifier: "Old"), EntityDraft("B", renamingIdentifier: "Old")]),
    .init(
      .duplicateName, "A", "y", "“old”",
      [
        EntityDraft(
          "A",
          [
            .attribute("x", .string, renamingIdentifier: "old"),
            .attribute("y", .string, renamingIdentifier: "old"),
          ])
      ]),
  ]

  private static let inheritance: [Contradiction] = [
    .init(.unknownEntity, "A", nil, "“B”", [EntityDraft("A", superentity: "B")]),
    .init(.inheritanceCycle, "A", nil, "A → A", [EntityDraft("A", superentity: "A")]),
    .init(
      .inheritanceCycle, "A", nil, "A → B → C → A",
      [
        EntityDraft("A", superentity: "B"), EntityDraft("B", superentity: "C"),
        EntityDraft("C", superentity: "A"),
      ]),
    .init(
      .overriddenProperty, "B", "x", "inherited from A",
      [
        EntityDraft("B", [.attribute("x", .string)], superentity: "A"),
        EntityDraft("A", [.attribute("x", .string)]),
      ]),
  ]

  private static let relationships: [Contradiction] = [
    .init(.unknownEntity, "A", "b", "“B”", [EntityDraft("A", [.toOne("b", to: "B")])]),
    .init(
      .unknownEntity, "A", "b", "names no destination", [EntityDraft("A", [.toOne("b", to: "")])]),
    .init(
      .invalidInverse, "A", "b", "Add “a” to B",
      [EntityDraft("A", [.toOne("b", to: "B", inverse: "a")]), EntityDraft("B", [])]),
    .init(
      .invalidInverse, "A", "b", "Add “a” to B",
      [
        EntityDraft("A", [.toOne("b", to: "B", inverse: "a")]),
        EntityDraft("B", [.attribute("a", .string)]),
      ]),
    .init(
      .invalidInverse, "A", "b", "names no inverse. Set the destination of B.a to A",
      [
        EntityDraft("A", [.toOne("b", to: "B", inverse: "a")]),
        EntityDraft("B", [.toOne("a", to: "A")]),
      ]),
    .init(
      .invalidInverse, "A", "b", "its inverse to “b”",
      [
        EntityDraft("A", [.toOne("b", to: "B", inverse: "a"), .toOne("c", to: "B", inverse: "a")]),
        EntityDraft("B", [.toOne("a", to: "A", inverse: "c")]),
      ]),
    .init(
      .invalidInverse, "A", "b", "names C.b",
      [
        EntityDraft("A", [.toOne("b", to: "B", inverse: "a")]),
        EntityDraft("B", [.toOne("a", to: "C", inverse: "b")]),
        EntityDraft("C", [.toOne("b", to: "B", inverse: "a")]),
      ]),
    .init(
      .invalidInverse, "A", "b", "lead “b” to B, which declares it",
      [
        EntityDraft("A", [.toOne("b", to: "C", inverse: "a")]),
        EntityDraft("B", [.toOne("a", to: "A", inverse: "b")]),
        EntityDraft("C", superentity: "B"),
      ]),
    .init(
      .invalidInverse, "A", "b", "both be transient",
      [
        EntityDraft("A", [.toOne("b", to: "B", inverse: "a")]),
        EntityDraft(
          "B",
          [
            .relationship(
              RelationshipDescription(
                "a", to: "A", inverse: "b", isToMany: false, isTransient: true))
          ]),
      ]),
    relationship("is ordered", isToMany: false, isOrdered: true),
    relationship("at least 3 and at most 2", isToMany: true, minCount: 3, maxCount: 2),
    relationship("negative", isToMany: true, minCount: -1),
    relationship("asks for 2 objects", isToMany: false, maxCount: 2),
  ]

  private static func relationship(
    _ message: String, isToMany: Bool, isOrdered: Bool = false, minCount: Int = 0, maxCount: Int = 0
  ) -> Contradiction {
    let draft = RelationshipDescription(
      "x", to: "A", inverse: nil, isToMany: isToMany, isOrdered: isOrdered, minCount: minCount,
      maxCount: maxCount)
    return Contradiction(
      .invalidRelationship, "A", "x", message, [EntityDraft("A", [.relationship(draft)])])
  }

  private static let attributes: [Contradiction] = [
    attribute(.invalidDefault, "“x”", .integer64, defaultValue: "x"),
    attribute(.invalidDefault, "“1.5”", .integer64, defaultValue: 1.5),
    attribute(.invalidDefault, "“2”", .boolean, defaultValue: 2),
    attribute(.invalidDefault, "“x”", .uuid, defaultValue: "x"),
    attribute(.invalidDefault, "“1”", .string, defaultValue: 1),
    attribute(.invalidDefault, "“nan”", .double, defaultValue: .double(.nan)),
    attribute(.invalidRule, "no order", .boolean, rules: ValidationRules(minimum: 1)),
    attribute(.invalidRule, "not a length", .string, rules: ValidationRules(maximum: "x")),
    attribute(
      .invalidRule, "at least 3 and at most 2", .integer16,
      rules: ValidationRules(minimum: 3, maximum: 2)),
    attribute(.invalidRule, "malformed", .string, rules: ValidationRules(regularExpression: "[")),
    attribute(
      .invalidRule, "malformed", .string, rules: ValidationRules(regularExpression: "a)|(b")),
    attribute(
      .invalidRule, "Only text", .integer16, rules: ValidationRules(regularExpression: "1")),
  ]

  private static func attribute(
    _ code: ModelError.Code, _ message: String, _ type: AttributeType,
    defaultValue: Value = .null, rules: ValidationRules = ValidationRules()
  ) -> Contradiction {
    Contradiction(
      code, "A", "x", message,
      [EntityDraft("A", [.attribute("x", type, defaultValue: defaultValue, validation: rules)])])
  }

  private static let keys: [Contradiction] = [
    .init(
      .severalPrimaryKeys, "A", "y", "x, y",
      [
        EntityDraft(
          "A",
          [
            .attribute("x", .string, isPrimaryKey: true),
            .attribute("y", .string, userInfo: ["hyper.isPrimaryKey": "true"]),
          ])
      ]),
    .init(
      .severalPrimaryKeys, "B", "y", "x, y",
      [
        EntityDraft("A", [.attribute("x", .string, isPrimaryKey: true)]),
        EntityDraft("B", [.attribute("y", .string, isPrimaryKey: true)], superentity: "A"),
      ]),
    .init(
      .invalidPrimaryKey, "A", "x", "transient",
      [EntityDraft("A", [.attribute("x", .string, isPrimaryKey: true, isTransient: true)])]),
    .init(
      .invalidPrimaryKey, "A", "x", "transformable",
      [EntityDraft("A", [.attribute("x", .transformable, isPrimaryKey: true)])]),
  ]

  private static let constraints: [Contradiction] = [
    constraint(.unknownProperty, "z", "A has x, many", ["z"]),
    constraint(.invalidConstraint, nil, "names no property", []),
    constraint(.invalidConstraint, "x", "twice", ["x", "x"]),
    constraint(.invalidConstraint, "many", "own row", ["many"]),
    .init(
      .unknownProperty, "A", "z", "Index “i”",
      [
        EntityDraft(
          "A", [.attribute("x", .string)],
          indexes: [FetchIndexDescription(name: "i", elements: [.init(property: "z")])])
      ]),
    .init(
      .duplicateName, "A", "i", "two indexes",
      [
        EntityDraft(
          "A", [.attribute("x", .string)],
          indexes: Array(
            repeating: FetchIndexDescription(name: "i", elements: [.init(property: "x")]), count: 2)
        )
      ]),
  ]

  private static func constraint(
    _ code: ModelError.Code, _ property: String?, _ message: String, _ names: [String]
  ) -> Contradiction {
    Contradiction(
      code, "A", property, message,
      [
        EntityDraft(
          "A", [.attribute("x", .string), .toMany("many", to: "A")], uniquenessConstraints: [names])
      ])
  }
}
