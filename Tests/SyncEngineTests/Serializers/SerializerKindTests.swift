import SyncStack
import TestSupport
import Testing

/// Kinds of items in serializers, and serializers of subentities below a relationship.
@Suite struct SerializerKindTests {
  private let stack: DataStack

  init() throws { stack = try Self.makeStack() }

  class Animal: ManagedObject {
    override class var entityUserInfo: [String: String] { ["sync.typeKey": "type"] }
    @PrimaryKey var id: Int64
    @Attribute var name: String?
    @ToOne var owner: Owner?
  }
  final class Dog: Animal {
    @Attribute var breed: String?
  }
  final class Cat: Animal {
    @Attribute var lives: Int64?
  }
  final class Owner: ManagedObject {
    @PrimaryKey var id: Int64
    @Attribute var kind: String?
    @ToMany(inverse: "owner", deleteRule: .cascade) var pets: Set<Animal>
    @ToOne var favourite: Animal?
  }

  struct DogSerializer: Serializer {
    typealias Object = Dog
    var identifiers: [String] { ["id"] }
    var mapping: Mapping { ["id": .int("id"), "breed": .string("race")] }
  }
  struct CatSerializer: Serializer {
    typealias Object = Cat
    var identifiers: [String] { ["id"] }
    var mapping: Mapping { ["id": .int("id"), "lives": .int("lives")] }
  }
  struct AnimalSerializer: Serializer {
    typealias Object = Animal
    var identifiers: [String] { ["id"] }
    var mapping: Mapping { ["id": .int("id"), "name": .string("n"), "breed": .string("b")] }
    var subentities: Subentities? { ["dog": Dog.self, "cat": Cat.self] }
  }
  struct KindSerializer: Serializer {
    typealias Object = Animal
    var identifiers: [String] { ["id"] }
    var mapping: Mapping { ["id": .int("id")] }
    var subentities: Subentities? {
      Subentities(by: "data.kind", ["d": DogSerializer(), "c": CatSerializer()])
    }
  }

  private static func makeStack() throws -> DataStack {
    try DataStack(
      model: ManagedObjectModel(Animal.self, Dog.self, Cat.self, Owner.self), store: .inMemory)
  }

  private func all(_ stack: DataStack) throws -> [String] {
    return try stack.inBackground { context in
      try context.fetch(Fetch<Animal>()).map { animal in
        let more = (animal as? Dog)?.breed ?? (animal as? Cat)?.lives.map { "\($0)" } ?? "-"
        let owner = animal.owner.map { " of \($0.id)" } ?? ""
        return "\(animal.entity.name) \(animal.id) \(animal.name ?? "-") \(more)\(owner)"
      }.sorted()
    }
  }

  @Test func aClassIsReadByTheRulesOfTheSerializerThatNamesIt() throws {
    let json =
      #"[{"id": 1, "type": "dog", "n": "Rex", "b": "pug"}, {"id": 2, "type": "cat", "n": "Tom"}, {"id": 3, "n": "Leo"}]"#
    let report = try stack.sync(json, with: AnimalSerializer())
    #expect(try all(stack) == ["Animal 3 Leo -", "Cat 2 Tom -", "Dog 1 Rex pug"])
    #expect(report.entities["Dog"]?.inserted == 1)
    #expect(try stack.sync(json, with: AnimalSerializer()).isUnchanged)
    try stack.sync(#"[{"id": 2, "type": "cat", "n": "Tim"}]"#, with: AnimalSerializer())
    #expect(try all(stack) == ["Cat 2 Tim -"])
  }

  @Test func aSerializerIsReadByItsOwnRules() throws {
    let json =
      #"[{"id": 1, "data": {"kind": "d"}, "race": "pug"}, {"id": 2, "data": {"kind": "c"}, "lives": 9}]"#
    try stack.sync(json, with: KindSerializer())
    #expect(try all(stack) == ["Cat 2 - 9", "Dog 1 - pug"])
    #expect(try stack.sync(json, with: KindSerializer()).isUnchanged)
  }

  @Test(arguments: [true, false]) func kindsAreReadBelowRelationships(_ usesClasses: Bool) throws {
    let serializer = EntitySerializer(Owner.self).by(
      "id",
      [
        "id": .int("id"), "pets": .toMany("pets") { AnimalSerializer() },
        "favourite": .toOne("best") { AnimalSerializer() },
      ])
    let json =
      #"[{"id": 7, "pets": [{"id": 1, "type": "dog", "n": "Rex", "b": "pug"}, {"id": 2, "type": "cat"}], "best": {"id": 2, "type": "cat"}}]"#
    try stack.sync(json, with: serializer)
    #expect(try all(stack) == ["Cat 2 - - of 7", "Dog 1 Rex pug of 7"])
    #expect(try stack.sync(json, with: serializer).isUnchanged)
    try stack.sync(
      #"[{"id": 7, "pets": [{"id": 2, "type": "cat", "n": "Tom"}]}]"#, with: serializer)
    #expect(try all(stack) == ["Cat 2 Tom - of 7"])
  }

  @Test(arguments: [1, 2])
  func anySerializerWhoseObjectsFitTheRelationshipMayStandBelowIt(_ rounds: Int) throws {
    let serializer = EntitySerializer(Owner.self).by(
      "id",
      [
        "id": .int("id"), "kind": .string("kind"),
        "pets": .toMany("pets") { owner -> any PlanSource in
          owner["kind"] == "dogs" ? DogSerializer() : AnimalSerializer()
        },
        "favourite": .toOne("best") { CatSerializer() },
      ])
    let json = #"""
      [{"id": 7, "kind": "dogs", "pets": [{"id": 1, "race": "pug"}], "best": {"id": 3, "lives": 9}},
       {"id": 8, "kind": "all", "pets": [{"id": 2, "n": "Tom"}]}]
      """#
    try stack.sync(json, with: serializer)
    #expect(try all(stack) == ["Animal 2 Tom - of 8", "Cat 3 - 9", "Dog 1 - pug of 7"])
    #expect(try stack.sync(json, with: serializer).isUnchanged)
    try stack.sync(#"[{"id": 7, "kind": "dogs", "pets": []}, {"id": 8}]"#, with: serializer)
    #expect(try all(stack) == ["Animal 2 Tom - of 8", "Cat 3 - 9"])
  }

  @Test func kindsAreReadBelowConventionsToo() throws {
    try stack.mapping(for: Owner.self) { $0["pets"] = .toMany("pets") { DogSerializer() } }
    try stack.sync(#"[{"id": 7, "pets": [{"id": 1, "race": "pug"}]}]"#, inEntityNamed: "Owner")
    #expect(try all(stack) == ["Dog 1 - pug of 7"])
  }

  @Test func objectsThatDoNotFitAreAnError() throws {
    var kinds = EntitySerializer(Dog.self).by("id", ["id": .int("id")])
    kinds.subentities = ["cat": Cat.self]
    #expect(throws: MappingError.self) { try stack.sync(#"[{"id": 1}]"#, with: kinds) }
  }

  @Test(arguments: [true, false]) func exportedValuesComeBack(_ byConvention: Bool) throws {
    let json =
      #"[{"id": 1, "type": "dog", "n": "Rex", "b": "pug"}, {"id": 2, "type": "cat"}, {"id": 3}]"#
    try stack.sync(json, with: AnimalSerializer())
    let back =
      byConvention
      ? try stack.export("Animal") : try stack.export(with: AnimalSerializer())
    let other = try Self.makeStack()
    if byConvention {
      try other.sync(back, inEntityNamed: "Animal")
    } else {
      try other.sync(back, with: AnimalSerializer())
    }
    #expect(try all(other) == all(stack))
  }
}
