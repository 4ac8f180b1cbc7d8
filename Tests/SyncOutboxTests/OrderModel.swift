import Foundation
import SyncCore
import SyncEngine
import SyncGraph
import SyncOutbox

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

/// A stack with an outbox that sends everything to a server of its own.
struct Shop {
  let stack: DataStack
  let outbox: Outbox
  let server: FakeServer

  init(server: FakeServer = FakeServer(), store: DataStack.Location = .inMemory) throws {
    let model = try ManagedObjectModel(Customer.self, Order.self, Line.self, Label.self)
    stack = try DataStack(model: model, store: store, tracksChanges: true)
    outbox = try Outbox(stack, name: "api")
    outbox.retry = RetryPolicy(attempts: 3, delay: 0, longestDelay: 1)
    self.server = server
    for name in ["Customer", "Order", "Line", "Label"] {
      outbox.send(with: Conventional(name)) { [server] in try await server.answer($0) }
    }
  }

  /// Edits in a background context, and saves.
  func edit<T: Sendable>(
    _ body: @escaping @Sendable (ManagedObjectContext) throws -> T
  ) async throws -> T {
    try await stack.performBackgroundTask { context in
      let result = try body(context)
      try context.save()
      return result
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
}
