import Foundation
import SyncStack

// Values, identifiers, snapshots, whole contexts and stacks may leave a context. No line here is
// marked, so all of them have to compile.

func values(_ work: ManagedObjectContext) async throws -> [String?] {
  return try await work.perform { try work.fetch(Fetch<User>()).map(\.name) }
}

func identifiers(_ work: ManagedObjectContext, _ main: ManagedObjectContext) async throws {
  let ids = try await work.perform { try work.fetch(Fetch<User>()).map(\.objectID) }
  await main.perform { for id in ids { print(main.object(with: id)) } }
}

func snapshots(_ stack: DataStack) async throws -> String? {
  let snapshots = try await stack.performInNewBackgroundContext { context in
    try context.fetch(Fetch<User>("age > %@", 18)).map { $0.snapshot() }
  }
  return await Task.detached { snapshots.first?.$name }.value
}

func edits(_ work: ManagedObjectContext) throws {
  try work.performAndWait {
    let user = work.insert(User.self)
    user.notes.insert(work.insert(Note.self))
    try work.save()
  }
}

func objectsOfOneContext(_ users: [User]) -> User? {
  users.max { $0.age < $1.age }
}

func watching(_ stack: DataStack) -> Task<Void, Never> {
  Task { for await changes in stack.changes(of: User.self) { print(changes) } }
}
