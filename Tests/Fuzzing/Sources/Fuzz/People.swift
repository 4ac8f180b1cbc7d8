import Foundation
import SyncStack

/// The model of the payloads and filters: attributes of all types, both kinds of relationships, an
/// ordered list and a circle.
final class Person: ManagedObject {
  @PrimaryKey var id: Int64
  @Attribute var name: String?
  @Attribute var isActive: Bool?
  @Attribute var score: Double?
  @Attribute var price: Decimal?
  @Attribute var createdAt: Date?
  @Attribute var token: UUID?
  @Attribute var photo: Data?
  @Attribute var site: URL?
  @Attribute var touched: Int64 = 0
  @ToOne(inverse: "reports") var manager: Person?
  @ToMany(inverse: "manager") var reports: Set<Person>
  @ToMany(inverse: "owner", deleteRule: .cascade) var notes: Set<Note>
  @ToMany(inverse: "people") var tags: Set<Tag>
}

final class Note: ManagedObject {
  @PrimaryKey var id: Int64
  @Attribute var text: String?
  @ToOne(inverse: "notes") var owner: Person?
}

final class Tag: ManagedObject {
  @PrimaryKey var id: String?
  @ToMany(inverse: "tags") var people: Set<Person>
}

extension DataStack {
  /// An empty store in memory.
  static func fuzzed() throws -> DataStack {
    try DataStack(model: ManagedObjectModel(Person.self, Note.self, Tag.self), store: .inMemory)
  }
}
