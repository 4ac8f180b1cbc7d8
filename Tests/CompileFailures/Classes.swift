import SyncStack

// Classes of the other files. They are compiled together with each of them.

final class User: ManagedObject {
  @PrimaryKey var id: Int64 = 0
  @Attribute var name: String?
  @Attribute var age: Int64 = 0
  @ToMany(inverse: "user", deleteRule: .cascade) var notes: Set<Note>
}

final class Note: ManagedObject {
  @Attribute var text: String?
  @ToOne var user: User?
}
