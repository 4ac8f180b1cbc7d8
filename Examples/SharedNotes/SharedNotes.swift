import Foundation
import SyncCloud
import SyncStack

/// Two machines edit the same notes offline, sync, and have the same: fields that both changed, a
/// conflict whose loser is restored, a picture, a list that is shared with another account, and a
/// deletion.
///
///     swift run SharedNotes                                    with a server in memory
///     swift run SharedNotes --server http://127.0.0.1:8888     with Kinto; SYNCSTACK_USER and SYNCSTACK_PASSWORD sign in
///     swift run SharedNotes --server postgresql://ann@127.0.0.1/sync     with PostgreSQL
///
/// SYNCSTACK_GUEST and SYNCSTACK_GUEST_PASSWORD name the account that the list is shared with.
@main
struct SharedNotes {
  final class Note: ManagedObject {
    @Attribute var title: String?
    @Attribute var text: String?
    @Attribute var stars: Int64 = 0
    @Attribute(userInfo: ["cloud.asset": "onDemand"]) var photo: Data?
    @ToMany(inverse: "notes") var tags: Set<Tag>
  }

  final class Tag: ManagedObject {
    @Attribute var name: String?
    @ToMany(inverse: "tags") var notes: Set<Note>
  }

  static func main() async {
    do {
      try await run()
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      exit(1)
    }
  }

  private static func run() async throws {
    let server = try transport()
    let phone = try Machine("phone", server)
    let laptop = try Machine("laptop", server)

    try await phone.edit { context in
      let note = Note(context: context)
      note.title = "Groceries"
      note.text = "Milk"
      let tag = Tag(context: context)
      tag.name = "home"
      note.tags.insert(tag)
    }
    try await phone.sync()
    try await laptop.sync()
    try await laptop.show()

    print(
      "\nBoth go offline. The phone gives stars, the laptop and then the phone change the text.")
    try await laptop.note { $0.text = "Milk and bread" }
    // Stamps count milliseconds: within the same one chance would decide which edit is the later.
    try await Task.sleep(for: .milliseconds(5))
    try await phone.note {
      $0.stars = 5
      $0.text = "Milk and cheese"
    }
    try await phone.sync()
    try await laptop.sync()
    try await phone.sync()
    try await phone.show()
    try await laptop.show()

    for conflict in try laptop.cloud.conflicts {
      print(
        "\nlaptop: \(conflict.field) “\(conflict.value.stringValue ?? "")” lost; it is restored.")
      try laptop.cloud.restore(conflict)
    }
    try await laptop.sync()
    try await phone.sync()
    try await phone.show()

    try await carryPicture(from: phone, to: laptop)
    try await shareList(of: phone, on: server)

    print("\nThe laptop deletes the note.")
    try await laptop.edit { context in
      for note in try context.fetch(Fetch<Note>()) { context.delete(note) }
    }
    try await laptop.sync()
    try await phone.sync()
    try await phone.show()
  }

  /// The server of the command line, or one in memory.
  static func transport(
    user: String? = nil, password: String? = nil
  ) throws -> any CloudTransport {
    let arguments = CommandLine.arguments
    guard let place = arguments.firstIndex(of: "--server"), place + 1 < arguments.count,
      let url = URL(string: arguments[place + 1])
    else { return MemoryTransport() }
    let environment = ProcessInfo.processInfo.environment
    let (name, word) = (
      user ?? environment["SYNCSTACK_USER"], password ?? environment["SYNCSTACK_PASSWORD"]
    )
    if url.scheme == "postgresql" {
      // Another role signs in with a password of its own.
      var parts = URLComponents(string: arguments[place + 1])
      if user != nil {
        parts?.user = user
        parts?.password = password
      }
      return try PostgreSQLTransport(parts?.string ?? "", app: "sharednotes")
    }
    return try KintoTransport(
      url, app: "sharednotes", signIn: .password(name ?? "", word ?? ""))
  }
}

/// A store of its own with the engine that keeps it in step.
struct Machine {
  let name: String
  let stack: DataStack
  let cloud: CloudEngine

  init(_ name: String, _ server: any CloudTransport) throws {
    self.name = name
    let model = try ManagedObjectModel(
      SharedNotes.Note.self, SharedNotes.Tag.self, SharedNotes.List.self, SharedNotes.Item.self)
    stack = try DataStack(model: model, store: .inMemory, tracksChanges: true)
    cloud = try CloudEngine(stack, transport: server)
  }

  func edit(_ body: @escaping @Sendable (ManagedObjectContext) throws -> Void) async throws {
    let context = stack.newBackgroundContext()
    try await context.perform {
      try body(context)
      try context.save()
    }
  }

  /// Edits the first note.
  func note(_ body: @escaping @Sendable (SharedNotes.Note) -> Void) async throws {
    try await edit { context in
      for note in try context.fetch(Fetch<SharedNotes.Note>()).prefix(1) { body(note) }
    }
  }

  func sync() async throws {
    let (pull, push) = try await cloud.sync()
    print(
      "\(name): \(pull.inserted) inserted, \(pull.updated) updated, \(pull.deleted) deleted here; "
        + "\(push.sent) sent")
  }

  func show() async throws {
    let context = stack.newBackgroundContext()
    let lines = try await context.perform {
      try context.fetch(Fetch<SharedNotes.Note>()).map { note in
        let tags = note.tags.compactMap(\.name).sorted().joined(separator: ", ")
        return "“\(note.title ?? "")”: \(note.text ?? ""), \(note.stars) stars, tags: \(tags)"
      }
    }
    print("\(name) has " + (lines.isEmpty ? "no notes" : lines.joined(separator: "\n")))
  }
}
