import Foundation
import Loopback
import SyncStack

/// A salesman's orders: synced from a server, made, edited and deleted while there is no network,
/// and sent when there is one again, although the answer to a new order is lost and one edit is
/// refused.
///
///     swift run OfflineOrders
@main
struct OfflineOrders {
  final class Order: ManagedObject {
    @PrimaryKey var id: Int64?  // none until the server has made it
    @Attribute var customer: String?
    @Attribute var status: String?
    @ToMany(inverse: "order", deleteRule: .cascade) var lines: Set<Line>
  }

  final class Line: ManagedObject {
    @PrimaryKey var id: Int64?
    @Attribute var item: String?
    @Attribute var quantity: Int64 = 1
    @ToOne(inverse: "lines") var order: Order?
  }

  static func main() async throws {
    let shop = Shop()
    let server = try LoopbackServer { shop.answer($0) }
    guard let url = server.url("/") else { return }
    let api = API(url: url)
    let stack = try DataStack(
      model: ManagedObjectModel(Order.self, Line.self), store: .inMemory, tracksChanges: true)
    let outbox = try Outbox(stack, name: "api")
    outbox.send(Order.self) { change in try await api.send(change) }
    outbox.send(Line.self) { change in try await api.send(change) }
    outbox.retry = RetryPolicy(attempts: 1, delay: 0.1)
    outbox.concurrency = 1  // so that the requests below come in one order

    print("The orders of the server are synced:")
    try await stack.sync(try await api.orders(), inEntityNamed: "Order")
    try show(stack)

    shop.setNetwork(.gone)
    print("\nThe network is gone. An order is made, two are edited, one is deleted:")
    try await stack.performBackgroundTask { context in
      let order = Order(context: context)
      (order.customer, order.status) = ("Dora", "open")
      for (item, quantity) in [("tea", 2), ("sugar", 1)] {
        let line = Line(context: context)
        (line.item, line.quantity, line.order) = (item, Int64(quantity), order)
      }
      for order in try context.fetch(Fetch<Order>()) {
        switch order.customer {
        case "Ann": order.status = "paid"
        case "Bob": order.status = "cancelled"
        case "Cleo": context.delete(order)
        default: break
        }
      }
      try context.save()
    }
    try show(stack)
    print("sent: \(try await outbox.send().accepted) of \(try outbox.status.waiting)")
    for item in try outbox.pending { print("  \(item)") }

    shop.setNetwork(.losesAnswer)
    print(
      "\nThe network is back, but loses an answer. Edits go first, then the orders are synced again:"
    )
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: file) }
    let send = SendOperation(outbox)
    let download = AsynchronousOperation { try await api.orders().write(to: file) }
    let pull = Sync(.file(file), inEntityNamed: "Order", dataStack: stack)
    download.addDependency(send)
    pull.addDependency(download)
    let queue = OperationQueue()
    queue.addOperation(send)
    queue.addOperation(download)
    try await stack.sync(pull)
    if let report = try send.result?.get() { print(report) }

    print("\nEdits that the server did not take are here, with the reason, until a person decides:")
    for item in try outbox.refused {
      print("  \(item)")
      try outbox.revert(item)  // or retry(item), or discard(item)
    }
    print("\nIn the end the server has:")
    let there = lines(of: try JSONValue(parsing: await api.orders()))
    for line in there { print("  \(line)") }
    print(try lines(of: orders(in: stack)) == there ? "So has the store." : "The store has not!")
    server.stop()
  }

  static func orders(in stack: DataStack) throws -> JSONValue {
    try stack.export("Order", using: ExportOptions(relationshipType: .array))
  }

  static func show(_ stack: DataStack) throws {
    for line in try lines(of: orders(in: stack)) { print("  \(line)") }
  }

  /// An order a line: `4 of Dora, open: 2 tea, 1 sugar`.
  static func lines(of orders: JSONValue) -> [String] {
    (orders.arrayValue ?? []).map { order in
      let lines = (order["lines"]?.arrayValue ?? []).map {
        "\($0["quantity"]?.integerValue ?? 0) \($0["item"]?.stringValue ?? "")"
      }
      return
        "\(order["id"]?.integerValue.map { "\($0)" } ?? "new") of \(order["customer"]?.stringValue ?? ""), "
        + "\(order["status"]?.stringValue ?? ""): \(lines.sorted().joined(separator: ", "))"
    }.sorted()
  }
}
