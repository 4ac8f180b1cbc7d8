import Foundation
import SyncStack

// An object of one context does not get into code that runs elsewhere.

func inAnotherContext(_ user: User, _ other: ManagedObjectContext) {
  // error: capture of 'user' with non-Sendable type 'User'
  other.perform { user.name = "Ann" }
}

func inACompletion(_ user: User, _ stack: DataStack) {
  // error: capture of 'user' with non-Sendable type 'User'
  stack.drop { _ in print(user) }
}

func onAQueue(_ user: User) {
  // error: capture of 'user' with non-Sendable type 'User'
  DispatchQueue.global().async { print(user) }
}
