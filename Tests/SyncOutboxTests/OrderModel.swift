import SyncStack
import Testing

/// Orders of customers, whose keys the server makes.
final class Customer: ManagedObject {
  @PrimaryKey var id: Int64?
  @Attribute var name: String?
  @ToOne var favourite: Order?
  @ToMany(inverse: "customer", deleteRule: .cascade) var orders: Set<Order>
}

final class Order: ManagedObject {
  @PrimaryKey var id: Int64?
  @Attribute var status: String?
  @Attribute var amount: Double?
  @ToOne var customer: Customer?
  @ToMany(inverse: "order", deleteRule: .cascade) var lines: Set<Line>
  @ToMany(inverse: "orders") var labels: Set<Label>
}

final class Line: ManagedObject {
  @PrimaryKey var id: Int64?
  @Attribute var text: String?
  @ToOne var order: Order?
}

final class Label: ManagedObject {
  @PrimaryKey var id: Int64?
  @Attribute var name: String?
  @ToMany(inverse: "labels") var orders: Set<Order>
}

extension DataStack {
  /// A stack of classes that keeps what is to be sent.
  static func tracking(
    _ classes: ManagedObject.Type..., in store: Location = .inMemory
  ) throws -> DataStack {
    try DataStack(model: ManagedObjectModel(classes: classes), store: store, tracksChanges: true)
  }

  /// Edits in a background context, and saves.
  @discardableResult
  func edit<T: Sendable>(_ body: @Sendable (ManagedObjectContext) throws -> T) async throws -> T {
    try await performBackgroundTask { context in
      let result = try body(context)
      try context.save()
      return result
    }
  }
}

extension Outbox {
  /// Sends, and expects that nothing is left, refused or not.
  @discardableResult
  func sendAll(_ location: SourceLocation = #_sourceLocation) async throws -> OutboxReport {
    let report = try await send()
    #expect(report.refused == 0 && report.waiting == 0, "\(report)", sourceLocation: location)
    #expect(try pending.isEmpty, "\(report)", sourceLocation: location)
    return report
  }
}

/// A stack with an outbox that sends everything to a server of its own.
struct Shop {
  let stack: DataStack
  let outbox: Outbox
  let server: FakeServer

  /// - Parameter send: How changes reach the server; nil is a call.
  init(
    server: FakeServer = FakeServer(), store: DataStack.Location = .inMemory,
    history: HistoryContent = .changes,
    send: (@Sendable (OutboxChange) async throws -> OutboxAnswer)? = nil
  ) throws {
    let model = try ManagedObjectModel(Customer.self, Order.self, Line.self, Label.self)
    stack = try DataStack(model: model, store: store, history: history)
    outbox = try Outbox(stack, name: "api")
    outbox.retry = RetryPolicy(attempts: 3, delay: 0, longestDelay: 1)
    self.server = server
    for name in ["Customer", "Order", "Line", "Label"] {
      outbox.send(with: Conventional(name)) { [server] change in
        if let send { return try await send(change) }
        return try await server.answer(change)
      }
    }
  }

  @discardableResult
  func edit<T: Sendable>(_ body: @Sendable (ManagedObjectContext) throws -> T) async throws -> T {
    try await stack.edit(body)
  }

  /// Makes an object, and gives the identifier under which it is stored.
  func make<Object: ManagedObject>(
    _ type: Object.Type, _ fill: @Sendable (Object) -> Void = { _ in }
  ) async throws -> ManagedObjectID {
    try await stack.performBackgroundTask { context in
      let object = context.insert(type)
      fill(object)
      try context.save()
      return object.objectID
    }
  }

  /// Everything that is stored of an entity, as the server would say it, by key.
  func stored(_ entity: String) throws -> [Int64: JSONValue] {
    let options = ExportOptions(relationshipType: .keys)
    let list = try stack.export(entity, using: options).arrayValue ?? []
    return Dictionary(
      list.map { ($0.objectValue?["id"]?.integerValue ?? -1, $0) }
    ) { first, _ in first }
  }

  /// The objects of a server that differ here, or were made twice; nothing when all are equal.
  func differences(from objects: [String: [Int64: JSONObject]]) throws -> [String] {
    var lines: [String] = []
    for entity in ["Customer", "Order", "Line", "Label"] {
      let here = try stored(entity)
      let there = objects[entity, default: [:]]
      if here.keys.sorted() != there.keys.sorted() {
        lines.append("\(entity): \(here.keys.sorted()) here, \(there.keys.sorted()) there")
      }
      if try stack.export(entity).arrayValue?.count != here.count {
        lines.append("\(entity): two of one key here")
      }
      for (key, object) in there {
        for member in object
        where member.key != "label_ids" && here[key]?[member.key] != member.value {
          lines.append(
            "\(entity) \(key): \(here[key] ?? .null) here, \(JSONValue.object(object)) there")
        }
      }
      let marks = there.values.compactMap { ($0["status"] ?? $0["name"])?.stringValue }
      if Set(marks).count != marks.count { lines.append("\(entity): made twice there") }
    }
    return lines
  }
}
