import Foundation
import SyncCloud
import SyncStack

/// A list with items that two accounts keep together: shared, edited on both sides, read only, and
/// taken back.
extension SharedNotes {
  final class List: ManagedObject {
    @Attribute var name: String?
    @ToMany(inverse: "list", deleteRule: .cascade) var items: Set<Item>
  }

  final class Item: ManagedObject {
    override class var entityUserInfo: [String: String] { ["cloud.parent": "list"] }
    @Attribute var title: String?
    @ToOne(inverse: "items") var list: List?
  }

  /// The same server as another account has it: a real one takes SYNCSTACK_GUEST and
  /// SYNCSTACK_GUEST_PASSWORD.
  private static func guest(of server: any CloudTransport) throws -> (any CloudTransport)? {
    if let memory = server as? MemoryTransport { return memory.signedIn(as: "guest") }
    let environment = ProcessInfo.processInfo.environment
    guard let name = environment["SYNCSTACK_GUEST"] else { return nil }
    return try transport(user: name, password: environment["SYNCSTACK_GUEST_PASSWORD"])
  }

  static func shareList(of phone: Machine, on server: any CloudTransport) async throws {
    guard let theirs = try guest(of: server) else { return }
    let account = try await theirs.account()
    let guest = try Machine("guest", theirs)
    try await phone.edit { context in
      for name in ["Picnic", "Secret"] {
        let list = List(context: context)
        list.name = name
        let item = Item(context: context)
        (item.title, item.list) = (name == "Picnic" ? "Bread" : "Ring", list)
      }
    }
    let list = try await phone.list("Picnic")
    let share = try await phone.cloud.share(list, with: [.init(account, .readWrite)])
    print("\nThe phone shares a list with another account.")
    try await guest.cloud.accept(share.invitation)
    try await guest.add("Cheese")
    try await guest.sync()
    try await phone.sync()
    for machine in [phone, guest] { try await machine.showLists() }

    print("\nThe guest may only read from now on.")
    try await phone.cloud.share(list, with: [.init(account, .readOnly)])
    try await guest.sync()
    do {
      try await guest.add("Wine")
    } catch let error as GraphError where error.code == .readOnly {
      print("guest: the save is refused for \(error.objects.count) object")
    }

    print("\nThe phone shares it no more.")
    try await phone.cloud.stopSharing(list)
    try await guest.sync()
    for machine in [phone, guest] { try await machine.showLists() }
  }
}

extension Machine {
  fileprivate func list(_ name: String) async throws -> ManagedObjectID {
    let context = stack.newBackgroundContext()
    return try await context.perform {
      try context.identifiers(Fetch<SharedNotes.List>("name == %@", name))[0]
    }
  }

  /// Adds an item to the first list.
  fileprivate func add(_ title: String) async throws {
    try await edit { context in
      let item = SharedNotes.Item(context: context)
      item.title = title
      item.list = try context.fetch(Fetch<SharedNotes.List>()).first
    }
  }

  fileprivate func showLists() async throws {
    let context = stack.newBackgroundContext()
    let lines = try await context.perform {
      try context.fetch(Fetch<SharedNotes.List>().sorted(by: "name")).map { list in
        "\(list.name ?? ""): " + list.items.compactMap(\.title).sorted().joined(separator: ", ")
      }
    }
    print("\(name) has lists: " + (lines.isEmpty ? "none" : lines.joined(separator: "; ")))
  }
}
