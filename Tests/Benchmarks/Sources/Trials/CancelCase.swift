import Foundation
import SyncStack
import TestPayloads

/// A kind of sync that is cancelled, and the store before it.
struct CancelCase {
  let name: String

  /// Fills the store.
  let prepare: (DataStack) throws -> Void

  /// Makes the operation that is cancelled.
  let sync: (DataStack) throws -> Sync

  /// Brings the store back to where ``prepare`` left it.
  let restore: (DataStack) throws -> Void

  /// - Parameter name: The only case wanted; nil is all that fit into memory.
  static func all(_ count: Int, named name: String?) throws -> [CancelCase] {
    if let streamed = try streamed(name, count) { return [streamed] }
    let users = UserPayload(count: count)
    let base = Data(users.json())
    let churned = Data(users.json(.churned))
    let tenth = Data(UserPayload(count: max(count / 10, 1)).json())
    let documents = DocumentPayload(count: count)
    return [
      payload("cold", "User", base, over: nil),
      payload("unchanged", "User", base, over: base),
      payload("churned", "User", churned, over: base),
      // Nine of ten go.
      payload("deleted", "User", tenth, over: base),
      links("links", documents, Data(documents.json()), over: nil),
      links("links-churned", documents, Data(documents.json(.churned)), over: .base),
      page("page", churned, over: base),
      // Nine of ten go; all objects of a page are kept; two pages speak of all of them.
      end("end", [tenth], over: base),
      end("end-whole", [churned], over: base),
      end("end-twice", [base, churned], over: base),
    ]
  }

  /// A file that is worked off in parts, each read while the one before it is written, as from 256
  /// MB on: from 350,000 users. Into an empty store, over the same, or with 10 % gone and 10 % new.
  private static func streamed(_ name: String?, _ count: Int) throws -> CancelCase? {
    let variants: [String: (UserPayload.Variant, over: UserPayload.Variant?)] = [
      "streamed": (.base, nil), "streamed-unchanged": (.base, .base),
      "streamed-churned": (.churned, .base),
    ]
    guard let name, let (variant, stored) = variants[name] else { return nil }
    let folder = try TrialFolder()
    let trial = StreamTrial(users: count, folder: folder.url)
    try trial.make()
    func file(_ variant: UserPayload.Variant, _ stack: DataStack) -> Sync {
      let sync = Sync(.file(trial.file(variant)), inEntityNamed: "User", dataStack: stack)
      sync.deletionGuard = .off
      return sync
    }
    let fill = { (stack: DataStack) in
      if let stored { try run(file(stored, stack), stack) }
    }
    return CancelCase(
      name: name, prepare: fill,
      sync: { stack in withExtendedLifetime(folder) { file(variant, stack) } },
      restore: { stack in
        if stored == nil { try run(make(Data("[]".utf8), "User", stack), stack) }
        try fill(stack)
      })
  }

  /// One payload, over a store that holds another one, or nothing.
  private static func payload(
    _ name: String, _ entity: String, _ payload: Data, over stored: Data?
  ) -> CancelCase {
    CancelCase(
      name: name,
      prepare: { stack in if let stored { try run(make(stored, entity, stack), stack) } },
      sync: { make(payload, entity, $0) },
      restore: { stack in
        try run(make(stored ?? Data("[]".utf8), entity, stack), stack)
      })
  }

  /// Documents with their links to tags and people, which are there already.
  private static func links(
    _ name: String, _ documents: DocumentPayload, _ payload: Data,
    over stored: UserPayload.Variant?
  ) -> CancelCase {
    let inner = Self.payload(
      name, "Document", payload, over: stored.map { Data(documents.json($0)) })
    return CancelCase(
      name: name,
      prepare: { stack in
        try run(make(Data(documents.tags()), "Tag", stack), stack)
        try run(make(Data(documents.people()), "Person", stack), stack)
        try inner.prepare(stack)
      },
      sync: inner.sync, restore: inner.restore)
  }

  /// A page of a session that the store keeps.
  private static func page(_ name: String, _ payload: Data, over stored: Data) -> CancelCase {
    CancelCase(
      name: name,
      prepare: { try run(make(stored, "User", $0), $0) },
      sync: { stack in
        try SyncSession(entity: "User", dataStack: stack, name: "trial").page(.data(payload))
      },
      restore: { stack in
        try SyncSession(entity: "User", dataStack: stack, name: "trial").abandon()
        try run(make(stored, "User", stack), stack)
      })
  }

  /// The end of such a session.
  private static func end(_ name: String, _ pages: [Data], over stored: Data) -> CancelCase {
    let fill = { (stack: DataStack) in
      try run(make(stored, "User", stack), stack)
      let session = try SyncSession(entity: "User", dataStack: stack, name: "trial")
      for page in pages { try run(session.page(.data(page)), stack) }
    }
    return CancelCase(
      name: name, prepare: fill,
      sync: { stack in
        let session = try SyncSession(entity: "User", dataStack: stack, name: "trial")
        session.deletionGuard = .off
        return session.finishOperation()
      },
      restore: fill)
  }

  private static func make(_ payload: Data, _ entity: String, _ stack: DataStack) -> Sync {
    let sync = Sync(.data(payload), inEntityNamed: entity, dataStack: stack)
    sync.deletionGuard = .off
    return sync
  }

  private static func run(_ sync: Sync, _ stack: DataStack) throws {
    stack.syncQueue.addOperations([sync], waitUntilFinished: true)
    _ = try sync.result?.get()
  }
}
