import Foundation
import SyncStack

/// The ways by which bytes come in from outside. Each input may be refused with an error; it must
/// not end the process, and what is taken must hold a rule.
enum Entry: String, CaseIterable {
  /// A JSON document is equal to what it is written as.
  case documents
  /// A path is followed, and is equal to the one it is written as.
  case paths
  /// A filter finds the same objects in SQL and in memory.
  case filters
  /// A model is refused, or makes a store that takes objects.
  case models
  /// A payload that is synced twice changes nothing the second time.
  case payloads
  /// The same of a table of comma-separated values.
  case tables

  /// A closure that takes an input, and ends the process where the rule does not hold.
  func makeTaker() throws -> (Data) -> Void {
    switch self {
    case .documents: Entry.document
    case .paths: Entry.path
    case .filters: try FilterTaker().take
    case .models: Entry.model
    case .payloads: Entry.payload
    case .tables: Entry.table
    }
  }

  private static func document(_ data: Data) {
    guard let value = try? JSONValue(parsing: data) else { return }
    let again = try? JSONValue(parsing: value.data())
    precondition(again == value, "\(value) is written as something else.")
  }

  private static func path(_ data: Data) {
    let path = JSONPath(String(decoding: data, as: UTF8.self))
    _ = (["a": [["b": 1], ["c": nil]]] as JSONValue).value(at: path)
    // A name with the ends of both kinds of quotes cannot be said.
    guard !["']", "\"]"].allSatisfy({ data.firstRange(of: Data($0.utf8)) != nil }) else { return }
    precondition(JSONPath(path.description) == path, "\(path) is read as another path.")
  }

  private static func model(_ data: Data) {
    guard let model = try? ManagedObjectModel(xml: data) else { return }
    guard let stack = try? DataStack(model: model, store: .inMemory) else { return }
    for entity in model.entities.prefix(8) {
      _ = try? stack.sync([["id": 1, "name": "a"]] as JSONValue, inEntityNamed: entity.name)
    }
  }

  private static func payload(_ data: Data) { sync(.data(data)) }
  private static func table(_ data: Data) { sync(.csv(data)) }

  private static func sync(_ payload: SyncPayload) {
    do {
      let stack = try DataStack.fuzzed()
      let first = try run(payload, in: stack)
      guard let first, first.findings.isEmpty else { return }
      let second = try run(payload, in: stack)
      precondition(
        second?.inserted == 0 && second?.deleted == 0,
        "The second sync of a payload reports \(String(describing: second)).")
    } catch {
      fatalError("An empty store in memory refuses to work: \(error)")
    }
  }

  /// - Returns: Nil when the payload was refused.
  private static func run(_ payload: SyncPayload, in stack: DataStack) throws -> SyncReport? {
    let sync = Sync(payload, inEntityNamed: "Person", dataStack: stack)
    sync.deletionGuard = .off
    sync.start()
    return try? sync.result?.get()
  }
}
