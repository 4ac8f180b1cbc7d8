import SyncStack

// Errors of the passes that look at shared values, once all types are right.

actor Keeper {
  var user: User?
  func keep(_ user: User) { self.user = user }
}

func toAnActor(_ user: User, _ keeper: Keeper) async {
  // error: sending 'user' risks causing data races
  await keeper.keep(user)
}

func toTheMainActor(_ user: User) async {
  // error: sending 'user' risks causing data races
  await MainActor.run { print(user) }
}

func toATask(_ user: User) {
  // error: risks causing data races
  Task.detached { print(user) }
}
