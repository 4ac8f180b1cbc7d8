import Foundation
import SyncCore
import SyncGraph

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
