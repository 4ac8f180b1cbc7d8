import SyncStack

// An object does not travel inside of something that may.

struct Selection: Sendable {
  // error: has non-Sendable type 'User'
  let user: User
}

enum Place {
  // error: is not concurrency-safe
  static let user: User? = nil
}

func needsSendable<Value: Sendable>(_ value: Value) {}

func asAnArgument(_ user: User) {
  // error: 'ManagedObject' to 'Sendable' is unavailable
  needsSendable(user)
}
