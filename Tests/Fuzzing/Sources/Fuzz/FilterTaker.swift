import Foundation
import SyncStack

/// Asks two contexts for the people of a filter: one that reads the store, and one in which each of
/// them has an unsaved edit, so that the filter is evaluated in memory.
struct FilterTaker {
  private let stored: ManagedObjectContext
  private let edited: ManagedObjectContext
  private let stack: DataStack

  init() throws {
    stack = try DataStack.fuzzed()
    try stack.sync(FilterTaker.people, inEntityNamed: "Person")
    stored = stack.newBackgroundContext()
    let edited = stack.newBackgroundContext()
    try edited.performAndWait {
      for person in try edited.fetch(Fetch<Person>()) { person.touched += 1 }
    }
    self.edited = edited
  }

  func take(_ data: Data) {
    let text = String(decoding: data, as: UTF8.self)
    // Its value is not the same in both.
    guard !text.contains("touched") else { return }
    let filter = Filter(text)
    let answers = [stored, edited].map { context in
      context.performAndWait { try? context.fetch(Fetch<Person>(filter)).map(\.id).sorted() }
    }
    precondition(answers[0] == answers[1], "“\(text)” finds \(answers).")
  }

  private static let people: JSONValue = [
    [
      "id": 1, "name": "Ann", "is_active": true, "score": 1.5, "price": "12.50",
      "created_at": "2020-01-02T03:04:05Z", "notes": [["id": 1, "text": "a"], ["id": 2]],
      "tags": ["x", "y"],
    ],
    [
      "id": 2, "name": "ÄNN", "is_active": false, "score": -0.0, "manager_id": 1,
      "token": "8D0A4B5E-9C6F-4E0B-8A53-6F1D2C3B4A59", "tags": ["y"],
    ],
    ["id": 3, "name": "", "score": 1e300, "price": "0.1", "manager_id": 1, "photo": "AAEC"],
    ["id": -4, "site": "https://example.org/a?b"],
  ]
}
