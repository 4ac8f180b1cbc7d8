import Foundation
import SyncStack

final class User: ManagedObject {
  @PrimaryKey var id: Int64
  @Attribute var name: String?
  @ToMany(inverse: "user", deleteRule: .cascade) var notes: Set<Note>
}

final class Note: ManagedObject {
  @PrimaryKey var id: Int64
  @Attribute var text: String?
  @ToOne(inverse: "notes") var user: User?
}

/// Cancels a long sync in the middle, proves that the store is as it was, and runs it to its end.
///
///     swift run CancellableSync
@main
struct CancellableSync {
  static func main() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let stack = try DataStack(
      model: ManagedObjectModel(User.self, Note.self),
      store: .sqlite(folder.appending(path: "users.sqlite")))

    try await stack.sync(users(1_000, version: 1), inEntityNamed: "User")
    let before = try contents(of: stack)
    print("before: \(before.count) users, \(before.first ?? "")")

    // All users have a new name, and there are many more of them.
    let payload = users(30_000, version: 2)
    let sync = Sync(.data(payload), inEntityNamed: "User", dataStack: stack)
    let observation = NotificationCenter.default.addObserver(
      forName: .syncDidBeginPhase, object: stack, queue: nil
    ) { notification in
      guard let phase = notification.syncPhase else { return }
      print("  \(phase)")
      // The work up to now, some of it written, is given up.
      if phase == .insert { notification.sync?.cancel() }
    }
    do {
      try await stack.sync(sync)
      print("not cancelled: the sync was faster")
    } catch is CancellationError {
      print("cancelled at \(Int(sync.progress.fractionCompleted * 100)) %")
    }
    await stack.drainNotifications()
    NotificationCenter.default.removeObserver(observation)

    let after = try contents(of: stack)
    print(
      "after: \(after.count) users, \(after.first ?? ""):", after == before ? "the same" : "changed"
    )

    let report = try await stack.sync(payload, inEntityNamed: "User")
    print(report)
    let renamed = try stack.mainContext.count(Fetch<User>("name ENDSWITH %@", "version 2"))
    print("then: \(renamed) users of version 2")
    try stack.close()
  }

  /// Everything that is stored, an object a line.
  static func contents(of stack: DataStack) throws -> [String] {
    let users = try stack.mainContext.fetch(Fetch<User>().sorted(by: "id"))
    return users.map { user in
      let notes = user.notes.sorted { $0.id < $1.id }.map { "\($0.id) of \($0.text ?? "")" }
      return "\(user.name ?? ""), notes \(notes.joined(separator: ", "))"
    }
  }

  /// The answer of a server: users with three notes each.
  static func users(_ count: Int, version: Int) -> Data {
    let users = (0..<count).map { id in
      let notes = (0..<3).map { #"{"id": \#(id * 3 + $0), "text": "version \#(version)"}"# }
      let list = notes.joined(separator: ", ")
      return #"{"id": \#(id), "name": "User \#(id), version \#(version)", "notes": [\#(list)]}"#
    }
    return Data("[\(users.joined(separator: ",\n"))]".utf8)
  }
}
