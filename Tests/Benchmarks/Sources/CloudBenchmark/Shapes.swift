import Foundation
import Measuring
import SyncCloud
import SyncStack

/// How the time of other shapes of use grows: each is measured with so many objects and with a
/// quarter of them, in processor time; an exponent of 1 is linear.
struct Shapes {
  let objects: Int

  func run() async throws {
    try await compare("children of one owner, first push", "the same in a first pull") {
      here, _, count in
      try await here.owner(of: count, "members")
    }
    try await compare("children in an ordered list, first push", "the same in a first pull") {
      here, _, count in
      try await here.owner(of: count, "steps")
    }
    try await compare(
      "keys of text that are identities, first push",
      "the same on both machines, merged by a pull"
    ) { here, there, count in
      try await here.keyed(count)
      try await there.keyed(count)
    }
    try await compare("a field of every object edited, push", "the same in a pull") {
      here, there, count in
      try await here.keyed(count)
      try await here.cloud.push()
      try await there.cloud.pull()
      try await here.keyed(count, name: "Edited")
    }
    try await compare("every object deleted, push", "the same in a pull") { here, there, count in
      there.cloud.deletionGuard = .off
      try await here.keyed(count)
      try await here.cloud.push()
      try await there.cloud.pull()
      try await here.deleteAll()
    }
    try await compare("first pull by pages of one record", objects / 10, pagesOfOne)
    try await compare("first push by batches of one record", objects / 10, batchesOfOne)
  }

  /// Measures a push, and the pull of another machine that follows it.
  private func compare(
    _ push: String, _ pull: String,
    _ prepare: (_ here: ShapeMachine, _ there: ShapeMachine, _ count: Int) async throws -> Void
  ) async throws {
    try await compare(push, objects) { count in
      try await pair { here, there in
        try await prepare(here, there, count)
        return try await measure { try await here.cloud.push() }.processor
      }
    }
    try await compare(pull, objects) { count in
      try await pair { here, there in
        try await prepare(here, there, count)
        try await here.cloud.push()
        return try await measure { try await there.cloud.pull() }.processor
      }
    }
  }

  private func compare(
    _ name: String, _ count: Int, _ body: (Int) async throws -> Double
  ) async throws {
    let (small, large) = (try await body(count / 4), try await body(count))
    say(
      "\(name): \(count) in \(rounded(large)) s, \(Int(Double(count) / large))/s, "
        + "exponent \(rounded(log(large / small) / log(4), 2))")
  }

  private func server(_ limit: Int = 1000) -> MemoryTransport {
    MemoryTransport(limits: CloudLimits(batch: limit, page: limit))
  }

  /// Two machines with one server.
  private func pair(
    _ limit: Int = 1000, _ body: (ShapeMachine, ShapeMachine) async throws -> Double
  ) async throws -> Double {
    try await withFolder { folder in
      let server = server(limit)
      return try await body(
        ShapeMachine(folder, "here", server), ShapeMachine(folder, "there", server))
    }
  }

  private func pagesOfOne(_ count: Int) async throws -> Double {
    try await withFolder { folder in
      let server = server()
      let here = try ShapeMachine(folder, "here", server)
      try await here.keyed(count)
      try await here.cloud.push()
      server.setLimits(CloudLimits(batch: 1, page: 1))
      let there = try ShapeMachine(folder, "there", server)
      return try await measure { try await there.cloud.pull() }.processor
    }
  }

  private func batchesOfOne(_ count: Int) async throws -> Double {
    try await pair(1) { here, _ in
      try await here.keyed(count)
      return try await measure { try await here.cloud.push() }.processor
    }
  }
}

final class Owner: ManagedObject {
  @PrimaryKey var id: Int64
  @ToMany(inverse: "owner") var members: Set<Member>
}

final class Member: ManagedObject {
  @PrimaryKey var id: Int64
  @Attribute var name: String?
  @ToOne(inverse: "members") var owner: Owner?
}

final class Recipe: ManagedObject {
  @PrimaryKey var id: Int64
  @OrderedToMany(inverse: "recipe") var steps: [Step]
}

final class Step: ManagedObject {
  @PrimaryKey var id: Int64
  @Attribute var name: String?
  @ToOne(inverse: "steps") var recipe: Recipe?
}

final class Keyed: ManagedObject {
  override class var entityUserInfo: [String: String] { ["cloud.identity": "primaryKey"] }
  @PrimaryKey var key: String
  @Attribute var name: String?
}

private struct ShapeMachine {
  let stack: DataStack
  let cloud: CloudEngine

  init(_ folder: URL, _ name: String, _ server: any CloudTransport) throws {
    stack = try DataStack(
      model: ManagedObjectModel(Owner.self, Member.self, Recipe.self, Step.self, Keyed.self),
      store: .sqlite(folder.appending(path: "\(name).sqlite")), tracksChanges: true)
    cloud = try CloudEngine(stack, transport: server)
  }

  private func sync(_ json: String, _ entity: String) async throws {
    _ = try await stack.sync(Data(json.utf8), inEntityNamed: entity)
  }

  /// One owner whose list has so many members.
  func owner(of count: Int, _ list: String) async throws {
    let members = (1...count).map { #"{"id":\#($0),"name":"Member \#($0)"}"# }
    try await sync(
      #"[{"id":1,"\#(list)":[\#(members.joined(separator: ","))]}]"#,
      list == "steps" ? "Recipe" : "Owner")
  }

  func keyed(_ count: Int, name: String = "Name") async throws {
    let items = (1...count).map {
      #"{"key":"item-\#($0 * 7919 % 1_000_003)","name":"\#(name) \#($0)"}"#
    }
    try await sync("[\(items.joined(separator: ","))]", "Keyed")
  }

  func deleteAll() async throws {
    let context = stack.newBackgroundContext()
    try await context.perform {
      for object in try context.fetch(Fetch<Keyed>()) { context.delete(object) }
      try context.save()
    }
  }
}
