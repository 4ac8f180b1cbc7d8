import Foundation
import SyncGraph
import TestSupport
import Testing

/// Wrong input to contexts and objects: a typed error where it comes from data, a message with
/// advice where only the program can be wrong. Never a silent nil, never a crash without a message.
@Suite struct BadInputTests {
  final class OtherUser: ManagedObject {
    override class var entityName: String { "User" }
  }

  final class WrongUser: ManagedObject {
    override class var entityName: String { "User" }
    @Attribute var name: Int64?
  }

  final class ToOneUser: ManagedObject {
    override class var entityName: String { "User" }
    @ToOne var notes: Note?
  }

  final class SpeltUser: ManagedObject {
    override class var entityName: String { "User" }
    @Attribute var nmae: String?
  }

  final class Stranger: ManagedObject {}

  let stack: DataStack
  let context: ManagedObjectContext

  init() throws {
    stack = try DataStack(model: TestModels.social(), store: .inMemory)
    context = stack.newBackgroundContext()
  }

  private func users(_ format: String, _ arguments: [Any?] = []) -> Fetch<ManagedObject> {
    Fetch(entityNamed: "User", Filter(format: format, arguments: arguments))
  }

  // MARK: - Filters

  @Test(
    arguments: [
      ("age >", FilterError.Code.syntax, 5, "a key"), ("age == 'x", .syntax, 7, "a closing"),
      ("nme == 1", .unknownKey, nil, "name"), ("company.nme == 1", .unknownKey, nil, "name"),
      ("age == 'x'", .typeMismatch, nil, "whole number"),
      ("notes.text == 'x'", .toManyPath, nil, "ANY"),
      ("name MATCHES '('", .invalidPattern, nil, "regular expression"),
      ("FUNCTION(name, 'x') == 1", .unsupported, 0, "FUNCTION"),
    ] as [(String, FilterError.Code, Int?, String)], [false, true])
  func filtersAreCheckedBeforeAnythingRuns(
    _ wrong: (text: String, code: FilterError.Code, position: Int?, word: String),
    hasUnsaved: Bool
  ) throws {
    try context.performAndWait {
      if hasUnsaved { try context.make("User", ["id": 1]) }
      for form in [
        { _ = try context.fetch(users(wrong.text)) }, { _ = try context.count(users(wrong.text)) },
        { _ = try context.identifiers(users(wrong.text)) },
        { _ = try context.values(users(wrong.text), [.key("name")]) },
      ] as [() throws -> Void] {
        let error = #expect(throws: FilterError.self) { try form() }
        #expect(error?.code == wrong.code && error?.position == wrong.position)
        #expect(error?.description.contains(wrong.word) == true, "\(String(describing: error))")
      }
    }
  }

  @Test(
    arguments: [
      ("age == %d", ["x"]), ("age == %@", []), ("age == 1", [1]), ("name == %@", [["a": 1]]),
      ("%K == 1", [5]),
    ] as [(String, [any Sendable])])
  func argumentsHaveToFit(_ text: String, _ arguments: [any Sendable]) throws {
    context.performAndWait {
      #expect {
        try context.fetch(users(text, arguments))
      } throws: { ($0 as? FilterError)?.code == .argument }
    }
  }

  @Test func keysOfOrdersAndColumnsAreChecked() throws {
    try context.performAndWait {
      let all = Fetch<ManagedObject>(entityNamed: "User")
      for form in [
        { _ = try context.fetch(all.sorted(by: "nme")) },
        { _ = try context.fetch(all.sorted(by: "notes.text")) },
        { _ = try context.values(all, [.key("nme")]) },
        { _ = try context.distinctValues(of: "nme", all) },
        { _ = try context.values(all, [.key("name")], groupedBy: ["nme"]) },
      ] as [() throws -> Void] {
        #expect(throws: FilterError.self) { try form() }
      }
      #expect {
        try context.fetch(Fetch<ManagedObject>(entityNamed: "Usr"))
      } throws: { ($0 as? ModelError)?.message.contains("User") == true }
      _ = try context.fetch(all)
    }
  }

  // MARK: - Patterns that come from data

  /// The same pattern out of the store, by SQL and in memory.
  private func patternError(hasUnsaved: Bool, pattern: String) throws -> FilterError? {
    try context.performAndWait {
      try context.make("User", ["id": 1, "name": "Ann", "email": pattern])
      try context.save()
      if hasUnsaved { try context.make("User", ["id": 2]) }
      do {
        _ = try context.fetch(users("name MATCHES email"))
        return nil
      } catch {
        return try #require(error as? FilterError, "\(error)")
      }
    }
  }

  @Test(arguments: ["(", "[a", "a{2,1}", "*", "\\"])
  func aPatternFromDataThatIsNoneIsTheSameErrorEverywhere(pattern: String) throws {
    let stored = try patternError(hasUnsaved: false, pattern: pattern)
    #expect(stored?.code == .invalidPattern && stored?.key == pattern)
    let other = try BadInputTests()
    let inMemory = try other.patternError(hasUnsaved: true, pattern: pattern)
    #expect(inMemory == stored)
    // The store goes on as before.
    try context.performAndWait {
      try context.make("User", ["id": 3])
      try context.save()
      #expect(try context.count(users("id == 3")) == 1)
    }
  }

  @Test(arguments: [false, true])
  func aPatternFromDataThatIsOneIsUsed(hasUnsaved: Bool) throws {
    #expect(try patternError(hasUnsaved: hasUnsaved, pattern: "A.*") == nil)
  }

  // MARK: - Classes

  @Test(
    arguments: [
      (WrongUser.self, "User.name", "Integer 64"), (ToOneUser.self, "notes", "@ToMany"),
      (SpeltUser.self, "nmae", "name"), (Stranger.self, "Stranger", "User"),
    ] as [(ManagedObject.Type, String, String)])
  func aClassThatDoesNotFitItsEntityIsAnError(
    _ type: ManagedObject.Type, _ key: String, _ word: String
  ) throws {
    let error = #expect(throws: GraphError.self) {
      try DataStack(model: TestModels.social(), store: .inMemory, classes: [type])
    }
    #expect(error?.code == .classMismatch)
    #expect(error?.message.contains(word) == true, "\(error?.message ?? "")")
  }

  @Test func twoClassesForOneEntityAreAnError() throws {
    final class FirstUser: ManagedObject {
      override class var entityName: String { "User" }
    }
    let error = #expect(throws: GraphError.self) {
      try DataStack(
        model: TestModels.social(), store: .inMemory, classes: [FirstUser.self, OtherUser.self])
    }
    #expect(error?.code == .classMismatch && error?.entity == "User")
    #expect(error?.message.contains("FirstUser") == true)
    #expect(error?.message.contains("OtherUser") == true)
    // The same when the second one is mentioned later.
    let later = try DataStack(
      model: TestModels.social(), store: .inMemory, classes: [FirstUser.self])
    let other = later.newBackgroundContext()
    other.performAndWait {
      let error = #expect(throws: GraphError.self) { try other.fetch(Fetch<OtherUser>()) }
      #expect(error?.code == .classMismatch)
    }
  }

  @Test func aModelWithTwoClassesOfOneNameIsAnError() {
    #expect(throws: ModelError.self) { try ManagedObjectModel(OtherUser.self, WrongUser.self) }
  }

  // MARK: - Objects

  @Test func batchesRefuseKeysAndValuesThatDoNotFit() throws {
    try context.performAndWait {
      let all = Fetch<ManagedObject>(entityNamed: "User")
      try context.make("User", ["id": 1])
      try context.save()
      let wrongKey = #expect(throws: GraphError.self) { try context.batchUpdate(all, ["nme": "x"]) }
      #expect(wrongKey?.key == "nme" && wrongKey?.message.contains("name") == true)
      let wrongType = #expect(throws: GraphError.self) {
        try context.batchUpdate(all, ["age": "x"])
      }
      #expect(wrongType?.code == .validation && wrongType?.key == "age")
      #expect(throws: GraphError.self) {
        try context.batchInsert(entityNamed: "User", [["name": 5]])
      }
    }
  }

  @Test func unknownAndAbstractEntitiesAreErrors() throws {
    context.performAndWait {
      let error = #expect(throws: ModelError.self) { try context.insert(entityNamed: "Usr") }
      #expect(error?.message.contains("User") == true)
    }
    let vehicles = try DataStack(model: TestModels.vehicles(), store: .inMemory)
    let other = vehicles.newBackgroundContext()
    other.performAndWait {
      let error = #expect(throws: GraphError.self) { try other.insert(entityNamed: "Vehicle") }
      #expect(error?.message.contains("Car") == true)
    }
  }
}
