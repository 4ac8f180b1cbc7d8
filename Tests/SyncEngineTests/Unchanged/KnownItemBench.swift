import Foundation
import SyncStack
import TestSupport

/// A store, and the names that syncs read of users: a rule for the name is asked for each item
/// that is read.
final class KnownItemBench: Sendable {
  let stack: DataStack
  let bench: SyncBench
  let read = Locked(Set<String>())
  private let folder: TemporaryFolder?

  /// Its file, where it has one, goes with the bench.
  init(_ model: ManagedObjectModel? = nil, in folder: TemporaryFolder? = nil) throws {
    stack = try DataStack(
      model: model ?? TestModels.social(), store: folder.map { .sqlite($0.file()) } ?? .inMemory,
      tracksChanges: true)
    bench = try SyncBench(stack)
    self.folder = folder
    for entity in ["User", "Person"] where stack.model.entity(named: entity) != nil {
      try stack.mapping(forEntityNamed: entity) {
        $0["name"] = .custom("name", version: 1) { [unowned self] json in
          _ = self.read.withLock { $0.insert(json.stringValue ?? "") }
          return json.stringValue
        }
      }
    }
  }

  deinit {
    if folder != nil { try? stack.close() }
  }

  func dump() throws -> [String: [String]] { try bench.store.read { try $0.dump() } }

  /// How many names were read while a body ran.
  func readCount(_ body: () throws -> Void) rethrows -> Int {
    read.withLock { $0 = [] }
    try body()
    return read.withLock { $0.count }
  }

  /// Gives a user a name by hand, which stays unsent.
  func rename(_ user: Int, _ name: String) throws {
    try stack.inBackground { context in
      try context.fetch(user, inEntityNamed: "User")?.setValue(name, forKey: "name")
      try context.save()
    }
  }

  func acknowledge() throws {
    try stack.acknowledge(through: stack.latestHistoryToken(), for: "server")
  }

  func name(of key: Int, _ entity: String = "User") throws -> String? {
    try stack.inBackground { context in
      try context.fetch(key, inEntityNamed: entity)?.value(forKey: "name") as? String
    }
  }

  // MARK: - Payloads

  static func user(
    _ id: Int, _ name: String = "a", notes: [Int]? = nil, company: Int? = nil
  ) -> String {
    let notes = (notes ?? [id * 10]).map { #"{"id": \#($0), "text": "note \#($0)"}"# }
    let company = company.map { #" "company_id": \#($0),"# } ?? ""
    return
      #"{"id": \#(id), "name": "\#(name) \#(id)",\#(company) "notes": [\#(notes.joined(separator: ","))]}"#
  }

  static func array(_ items: some Sequence<String>) -> Data {
    Data("[\(items.joined(separator: ",\n"))]".utf8)
  }
}
