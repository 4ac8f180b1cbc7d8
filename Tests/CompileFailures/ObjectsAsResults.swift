import SyncStack

// A block of a context hands out values, not its objects.

func first(_ work: ManagedObjectContext) async throws {
  // error: 'ManagedObject' to 'Sendable' is unavailable
  let user: User? = try await work.perform { try work.fetch(Fetch<User>())[0] }
  print(user as Any)
}

func list(_ work: ManagedObjectContext) throws {
  // error: 'ManagedObject' to 'Sendable' is unavailable
  let users = try work.performAndWait { try work.fetch(Fetch<User>()) }
  print(users)
}

func ofANewContext(_ stack: DataStack) async throws {
  // error: 'ManagedObject' to 'Sendable' is unavailable
  let user: User = try await stack.performInNewBackgroundContext { $0.insert(User.self) }
  print(user)
}

func members(_ work: ManagedObjectContext, _ id: ManagedObjectID) async {
  // error: 'Any' does not conform to the 'Sendable' protocol
  let notes: Any? = await work.perform { work.object(with: id)["notes"] }
  print(notes as Any)
}
