import Foundation
import SyncStack
import TestSupport

/// The work of one of several processes that write one file, and the objects that have to be left
/// of it.
///
/// All of them put objects of their own into shared lists, arrange these, pair their objects with
/// shared ones and count with a shared counter. Objects of their own alone are not touched by
/// others, so they have to be there at the end.
struct ProcessRun {
  /// The objects of one process's own that have to be stored in the end.
  struct Outcome: Codable {
    /// Names of the objects that are left.
    var names: [String: String] = [:]

    /// The owners of those, by their identifiers.
    var owners: [String: Int64] = [:]

    /// The lists of owners that no other process arranges.
    var lists: [Int64: [String]] = [:]

    /// Objects by those they are linked with.
    var links: [String: Set<Int64>] = [:]
    var deleted: Set<String> = []
  }

  static let rounds = 12
  static let sharedOwners: [Int64] = Array(1...6)

  let folder: URL
  let number: Int
  private let count: Int
  private let stack: DataStack
  private let context: ManagedObjectContext
  private var random: SeededGenerator
  private var outcome = Outcome()
  private var nextName = 0

  init(folder: String, number: Int, of count: Int, seed: UInt64) throws {
    self.folder = URL(filePath: folder)
    self.number = number
    self.count = count
    random = SeededGenerator(seed: seed &* 100 &+ UInt64(number))
    stack = try Self.open(self.folder)
    context = stack.newBackgroundContext()
    context.mergePolicy = .objectWinsPerProperty
    context.author = "process \(number)"
  }

  static func open(_ folder: URL) throws -> DataStack {
    try DataStack(
      model: model(), store: .sqlite(folder.appending(path: "shared.sqlite")), busyTimeout: 60)
  }

  static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel([
      EntityDraft(
        "Owner",
        [
          "id", .attribute("count", .integer64, defaultValue: .int(0)), "partner -> Item.partner",
          "items ->> Item.owner ordered", "links ->> Item.linked ordered",
        ]),
      """
      Item: id string, name, partner -> Owner.partner, owner -> Owner.items,
      linked ->> Owner.links ordered
      """,
    ])
  }

  /// Makes the objects that are there before the processes begin.
  static func prepare(_ folder: URL) throws {
    let stack = try open(folder)
    try stack.inBackground { context in
      for id in sharedOwners { try context.insert(entityNamed: "Owner")["id"] = id }
      try context.save()
    }
    try stack.close()
  }

  // MARK: - Running

  mutating func run() async throws {
    try await Self.wait(for: count, in: folder, as: number)
    for round in 0..<Self.rounds {
      let before = outcome
      while true {
        do {
          let change = self
          outcome = try context.performAndWait {
            var run = change
            for _ in 0..<30 { try run.edit() }
            try run.context.save()
            return run.outcome
          }
          break
        } catch let error as GraphError where error.code == .conflict {
          // Another process has deleted the object that this round took a partner from. The round
          // is made again.
          context.performAndWait { context.rollback() }
          outcome = before
          _ = random.next()
        }
        nextName += 1000
      }
      nextName += 1000
      _ = random.next()
      try context.performAndWait {
        try context.updateAndSave(attempts: 1000) {
          let owner = try find("Owner", .int(1), in: context)
          owner?["count"] = (owner?["count"] as? Int64 ?? 0) + 1
        }
      }
      if round % 3 == number % 3 { try await syncOwnList(round) }
    }
    try JSONEncoder().encode(outcome)
      .write(to: folder.appending(path: "outcome-\(number).json"))
    try stack.close()
  }

  /// All begin together: their processes take long to start.
  static func wait(for count: Int, in folder: URL, as number: Int) async throws {
    try Data().write(to: folder.appending(path: "here-\(number)"))
    let names = (0..<count).map { folder.appending(path: "here-\($0)").path }
    while !names.allSatisfy(FileManager.default.fileExists) { await Task.yield() }
  }

  private var ownOwner: Int64 { 100 + Int64(number) }

  // MARK: - Editing

  private func find(
    _ entity: String, _ id: Value, in context: ManagedObjectContext
  ) throws -> ManagedObject? {
    var request = Fetch<ManagedObject>(entityNamed: entity)
    request.filter = Filter("id == %@", id)
    return try context.fetch(request).first
  }

  private mutating func owner(_ id: Int64) throws -> ManagedObject {
    if let owner = try find("Owner", .int(id), in: context) { return owner }
    let owner = try context.insert(entityNamed: "Owner")
    owner["id"] = id
    outcome.lists[id] = []
    return owner
  }

  private mutating func anyOwner() throws -> ManagedObject {
    try owner(random.chance(25) ? ownOwner : random.pick(Self.sharedOwners))
  }

  private func list(_ owner: ManagedObject, _ name: String = "items") -> [ManagedObject] {
    (owner[name] as? [ManagedObject] ?? []).filter { !$0.isDeleted }
  }

  private mutating func ownItem() throws -> ManagedObject? {
    let ids = outcome.names.keys.sorted()
    guard !ids.isEmpty else { return nil }
    return try find("Item", .string(random.pick(ids)), in: context)
  }

  private mutating func edit() throws {
    switch Int.random(in: 0..<10, using: &random) {
    case 0...3: try insert()
    case 4:
      if let item = try ownItem() { try put(item, into: anyOwner()) }
    case 5, 6:
      let owner = try anyOwner()
      let members = list(owner).shuffled(using: &random)
      owner["items"] = members
      note(owner, members)
    case 7:
      guard let item = try ownItem() else { return }
      let owner = try anyOwner()
      owner["links"] = list(owner, "links").filter { $0 !== item } + [item]
      outcome.links[id(item), default: []].insert(number(owner))
    case 8:
      guard let item = try ownItem() else { return }
      item["partner"] = try anyOwner()
      item["name"] = "\(number) \(nextName)"
      outcome.names[id(item)] = "\(number) \(nextName)"
      nextName += 1
    default:
      guard let item = try ownItem() else { return }
      forget(id(item))
      outcome.deleted.insert(id(item))
      context.delete(item)
    }
  }

  private mutating func insert() throws {
    let item = try context.insert(entityNamed: "Item")
    let id = "p\(number)-\(nextName)"
    nextName += 1
    item["id"] = id
    item["name"] = id
    outcome.names[id] = id
    try put(item, into: anyOwner())
  }

  private mutating func put(_ item: ManagedObject, into owner: ManagedObject) {
    var members = list(owner).filter { $0 !== item }
    members.insert(item, at: Int.random(in: 0...members.count, using: &random))
    let id = id(item)
    outcome.lists[ownOwner]?.removeAll { $0 == id }
    owner["items"] = members
    outcome.owners[id] = number(owner)
    note(owner, members)
  }

  private mutating func note(_ owner: ManagedObject, _ members: [ManagedObject]) {
    guard number(owner) == ownOwner else { return }
    outcome.lists[ownOwner] = members.map(id)
  }

  private mutating func forget(_ id: String) {
    outcome.names[id] = nil
    outcome.owners[id] = nil
    outcome.links[id] = nil
    outcome.lists[ownOwner]?.removeAll { $0 == id }
  }

  private func id(_ item: ManagedObject) -> String { item["id"] as? String ?? "" }
  private func number(_ owner: ManagedObject) -> Int64 { owner["id"] as? Int64 ?? 0 }

  // MARK: - Syncing

  /// Brings the own list into another order, with new members.
  private mutating func syncOwnList(_ round: Int) async throws {
    var ids = (outcome.lists[ownOwner] ?? []).shuffled(using: &random)
    let new = "p\(number)-s\(round)"
    ids.insert(new, at: Int.random(in: 0...ids.count, using: &random))
    outcome.names[new] = new
    outcome.owners[new] = ownOwner
    outcome.lists[ownOwner] = ids
    let items = ids.map {
      ["id": .string($0), "name": .string(outcome.names[$0] ?? "")] as JSONValue
    }
    let payload: JSONValue = [["id": .integer(ownOwner), "items": .array(items)]]
    _ = try await stack.sync(
      payload, inEntityNamed: "Owner",
      operations: [.insert, .update, .insertRelationships, .updateRelationships])
  }
}
