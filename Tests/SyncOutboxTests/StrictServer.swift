import SyncStack

/// Orders whose lines belong to them, one of which is the first; with keys that the server makes.
enum Strict {
  final class Customer: ManagedObject {
    @PrimaryKey var id: Int64?
    @Attribute var name: String?
    @ToOne var mainAddress: Address?
    @ToMany(inverse: "customer") var orders: Set<Order>
    @ToMany(inverse: "customer") var addresses: Set<Address>
  }

  /// A member, which is not deleted with its owner.
  final class Address: ManagedObject {
    @PrimaryKey var id: Int64?
    @ToOne var customer: Customer?
  }

  final class Tag: ManagedObject {
    @PrimaryKey var id: Int64?
    @Attribute var name: String?
    @ToMany(inverse: "tags", userInfo: ["sync.nonExportable": "YES"]) var orders: Set<Order>
  }

  final class Order: ManagedObject {
    @PrimaryKey var id: Int64?
    @Attribute var status: String?
    @ToOne var customer: Customer?
    @ToOne var mainLine: Line?
    @ToMany var tags: Set<Tag>
    @ToMany(inverse: "order", deleteRule: .cascade) var lines: Set<Line>
  }

  final class Line: ManagedObject {
    @PrimaryKey var id: Int64?
    @Attribute var text: String?
    @ToOne var order: Order?
  }

  /// A server with foreign keys: it refuses references to objects that it does not have, a line
  /// without its order or an address without its customer, and deletions of objects that others
  /// refer to. The main line and the main address are set to null instead.
  actor Server {
    private(set) var objects: [String: [Int64: JSONObject]] = [:]
    private(set) var log: [String] = []
    private var next: Int64 = 100
    private var fault: (@Sendable (OutboxChange) throws -> OutboxAnswer?)?

    /// Sets a fault in the place of an answer; nil is none.
    func fail(_ fault: (@Sendable (OutboxChange) throws -> OutboxAnswer?)?) { self.fault = fault }

    func forgetLog() { log = [] }

    private static let destinations = [
      "customer_id": "Customer", "main_line_id": "Line", "order_id": "Order", "tag_ids": "Tag",
      "main_address_id": "Address",
    ]
    private static let needs = ["Line": "order_id", "Address": "customer_id"]

    private func keys(_ value: JSONValue?) -> [Int64] {
      value?.arrayValue?.compactMap(\.integerValue) ?? [value?.integerValue].compactMap { $0 }
    }

    private func missing(in object: JSONObject) -> String? {
      Server.destinations.sorted { $0.key < $1.key }.lazy.compactMap { name, entity in
        self.keys(object[name]).first { self.objects[entity]?[$0] == nil }
          .map { "\(name) \($0) is not there." }
      }.first
    }

    func answer(_ change: OutboxChange) throws -> OutboxAnswer {
      log.append("\(change.kind.rawValue) \(change.entity) \(change.id)")
      if let fault, let answer = try fault(change) { return answer }
      let entity = change.entity
      switch change.kind {
      case .insert:
        var object = change.json.objectValue ?? JSONObject()
        if let reason = missing(in: object) { return .refused(reason) }
        if let need = Server.needs[entity], object[need]?.integerValue == nil {
          return .refused("It needs \(need).")
        }
        let key = object["id"]?.integerValue ?? next
        next += 1
        if objects[entity]?[key] != nil { return .refused("The key \(key) is taken.") }
        object["id"] = .integer(key)
        objects[entity, default: [:]][key] = object
        return .accepted(["id": .integer(key)])
      case .update:
        guard let key = change.key.flatMap({ Int64($0.description) }),
          var object = objects[entity]?[key]
        else { return .gone }
        for member in change.changedJSON.objectValue ?? JSONObject() {
          object[member.key] = member.value
        }
        if let reason = missing(in: object) { return .refused(reason) }
        objects[entity]?[key] = object
        return .accepted()
      case .delete:
        guard let key = change.key.flatMap({ Int64($0.description) }),
          objects[entity]?[key] != nil
        else { return .gone }
        for (other, members) in objects.sorted(by: { $0.key < $1.key }) {
          for (member, object) in members.sorted(by: { $0.key < $1.key }) {
            for (name, destination) in Server.destinations where destination == entity {
              guard keys(object[name]).contains(key) else { continue }
              guard name.hasPrefix("main_") else {
                return .refused("\(name) of \(other) \(member) leads to it.")
              }
              objects[other]?[member]?[name] = .null
            }
          }
        }
        objects[entity]?[key] = nil
        return .accepted()
      }
    }
  }

  /// A stack that sends everything to a server of its own.
  struct Shop: Sendable {
    let stack: DataStack
    let outbox: Outbox
    let server = Server()

    init(concurrency: Int = 4) throws {
      stack = try DataStack.tracking(Customer.self, Address.self, Tag.self, Order.self, Line.self)
      outbox = try Outbox(stack, name: "api")
      outbox.retry = RetryPolicy(attempts: 0, delay: 0)
      outbox.concurrency = concurrency
      for name in ["Customer", "Address", "Tag", "Order", "Line"] {
        outbox.send(with: Conventional(name)) { [server] in try await server.answer($0) }
      }
    }

    func edit(_ body: @escaping @Sendable (ManagedObjectContext) throws -> Void) async throws {
      try await stack.edit { try body($0) }
    }

    /// Sends without anything going wrong, and begins a new log.
    func prepare(_ body: @escaping @Sendable (ManagedObjectContext) throws -> Void) async throws {
      try await edit(body)
      let report = try await outbox.send()
      precondition(report.refused == 0 && report.waiting == 0, "\(report)")
      await server.forgetLog()
    }
  }
}
