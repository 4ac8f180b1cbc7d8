import Foundation
import SyncCore
import SyncGraph
import Testing

/// Classes with every wrapper, for the tests of this target.
final class User: ManagedObject {
  @PrimaryKey var id: Int64
  @Attribute var name: String?
  @Attribute(remoteKey: "contact.email") var email: String?
  @Attribute var age: Int64 = 0
  @Attribute var createdAt: Date?
  @Attribute(isTransient: true) var mood: String?
  @ToMany(inverse: "user", deleteRule: .cascade) var notes: Set<Note>
  @ToOne(inverse: "employees") var company: Company?
  @ToMany(inverse: "users") var tags: Set<Tag>
  @OrderedToMany(inverse: "user", deleteRule: .cascade) var chores: [Chore]
}

final class Note: ManagedObject {
  @PrimaryKey var id: Int64
  @Attribute var text: String?
  @ToOne var user: User?
}

final class Company: ManagedObject {
  @PrimaryKey var id: Int64
  @Attribute var name: String?
  @ToMany(deleteRule: .deny) var employees: Set<User>
}

final class Tag: ManagedObject {
  @PrimaryKey(isUnique: true) var id: Int64 = 0
  @Attribute(minimum: 2, maximum: 10, pattern: "[a-z]+") var name: String?
  @ToMany var users: Set<User>
}

final class Chore: ManagedObject {
  override class var entityName: String { "Task" }

  @Attribute var title: String?
  @ToOne var user: User?
}

/// Inheritance and enums.
class Vehicle: ManagedObject {
  override class var isAbstractEntity: Bool { true }

  @Attribute var id: Int64 = 0
  @ToOne(inverse: "vehicles") var owner: Person?
}

final class Car: Vehicle {
  enum Fuel: String, ValueConvertible { case petrol, power }

  @Attribute var fuel: Fuel = .power
}

final class Person: ManagedObject {
  @Attribute var name: String = "nobody"
  @ToMany var vehicles: Set<Vehicle>
}

extension ManagedObjectModel {
  /// The model of the classes above.
  static func social() throws -> ManagedObjectModel {
    try ManagedObjectModel(User.self, Note.self, Company.self, Tag.self, Chore.self)
  }
}

extension DataStack {
  /// A stack in memory over the classes above.
  static func social() throws -> DataStack {
    try DataStack(model: .social(), store: .inMemory)
  }
}

extension ManagedObjectContext {
  /// Makes an object, saves, and gives its identifier.
  func stored(_ make: () throws -> ManagedObject) throws -> ManagedObjectID {
    try performAndWait {
      let object = try make()
      try save()
      return object.objectID
    }
  }

  @discardableResult
  func insertUser(_ id: Int64, _ name: String? = nil, age: Int64? = nil) -> User {
    let user = insert(User.self)
    user.id = id
    if let name { user.name = name }
    if let age { user.age = age }
    return user
  }

  @discardableResult
  func insertNote(_ id: Int64, of user: User? = nil) -> Note {
    let note = insert(Note.self)
    note.id = id
    if let user { note.user = user }
    return note
  }

  @discardableResult
  func insertCompany(_ id: Int64, _ name: String? = nil) -> Company {
    let company = insert(Company.self)
    company.id = id
    if let name { company.name = name }
    return company
  }
}

/// Expects that a program stopped with a message that has all the words.
func expectStop(
  _ result: ExitTest.Result?, says words: String..., location: SourceLocation = #_sourceLocation
) {
  let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  for word in words { #expect(text.contains(word), "\(text)", sourceLocation: location) }
}

/// Carries a value out of a block of its context, to be used in another one.
struct Unchecked<Value>: @unchecked Sendable {
  // Unchecked: it is used on the context's queue only.
  let value: Value

  init(_ value: Value) { self.value = value }
}
