import SyncStack

// The forms that return objects of the main context are of the main actor; those in the background
// return keys.

func objectOutsideOfTheMainActor(_ stack: DataStack, _ item: JSONValue) throws {
  // error: main actor-isolated
  let user: User = try stack.insertOrUpdate(item, inEntityNamed: "User")
  print(user)
}

func keyInTheBackground(_ stack: DataStack, _ item: JSONValue) async throws {
  let key = try await stack.insertOrUpdate(item, inEntityNamed: "User")
  print(key, try await stack.update(key, with: item, inEntityNamed: "User"))
}

@MainActor func objectOnTheMainActor(_ stack: DataStack, _ item: JSONValue) throws {
  let user: User = try stack.insertOrUpdate(item, inEntityNamed: "User")
  let same: User? = try stack.update(1, with: item, inEntityNamed: "User")
  print(user, same as Any)
}
