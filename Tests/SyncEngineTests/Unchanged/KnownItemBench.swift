import SyncStack
import TestSupport

/// A store, and the names that syncs read of users: a rule for the name is asked for each item
/// that is read.
final class KnownItemBench: Sendable {
  let stack: DataStack
  let bench: SyncBench
  let read = Locked(Set<String>())

  init(_ model: ManagedObjectModel? = nil, _ kind: DataStack.Location = .inMemory) throws {
    stack = try DataStack(model: model ?? TestModels.social(), store: kind, tracksChanges: true)
    bench = try SyncBench(stack)
    for entity in ["User", "Person"] where stack.model.entity(named: entity) != nil {
      try stack.mapping(forEntityNamed: entity) {
        $0["name"] = .custom("name", version: 1) { [unowned self] json in
          _ = self.read.withLock { $0.insert(json.stringValue ?? "") }
          return json.stringValue
        }
      }
    }
  }

  func dump() throws -> [String: [String]] { try bench.store.read { try $0.dump() } }
}
