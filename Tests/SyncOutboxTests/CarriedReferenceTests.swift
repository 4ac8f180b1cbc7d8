import SyncStack
import Testing

/// References from and to objects that travel inside others.
@Suite struct CarriedReferenceTests {
  final class Order: ManagedObject {
    @PrimaryKey var id: Int64?
    @ToMany(inverse: "order", deleteRule: .cascade) var lines: Set<Line>
  }

  final class Line: ManagedObject {
    @PrimaryKey var id: String?
    @ToOne var order: Order?
    @ToOne var product: Product?
  }

  final class Product: ManagedObject {
    @PrimaryKey var id: Int64?
    @Attribute var name: String?
    @ToMany(inverse: "product", userInfo: ["sync.nonExportable": "YES"]) var lines: Set<Line>
  }

  final class Note: ManagedObject {
    @PrimaryKey var id: Int64?
    @ToOne var line: Line?
  }

  private final class Log: Sendable {
    let changes = Locked<[OutboxChange]>([])
    let isDown = Locked(false)
    var texts: [String] {
      changes.withLock { $0.map { "\($0.kind.rawValue) \($0.entity)" } }
    }
  }

  private let stack: DataStack
  private let outbox: Outbox
  private let log = Log()

  init() throws {
    stack = try DataStack.tracking(Order.self, Line.self, Product.self, Note.self)
    outbox = try Outbox(stack, name: "api")
    outbox.retry = RetryPolicy(attempts: 0, delay: 0)
    let handler: Outbox.Handler = { [log] change in
      log.changes.withLock { $0.append(change) }
      if change.entity == "Order", log.isDown.withLock({ $0 }) { throw FakeDesk.Lost() }
      return change.kind == .insert ? .accepted(["id": 7]) : .accepted()
    }
    outbox.send(
      Order.self, using: ExportOptions(relationshipType: .keys, nesting: ["lines"]), handler)
    outbox.send(Product.self, handler)
    outbox.send(Note.self, handler)
  }

  private func makeOrder() async throws {
    try await stack.edit { context in
      let note = Note(context: context)
      let line = Line(context: context)
      (line.id, line.order, line.product) = (
        "l", Order(context: context), Product(context: context)
      )
      note.line = line
    }
  }

  @Test func newObjectsGoBeforeWhatCarriesAReferenceToThem() async throws {
    try await makeOrder()
    let report = try await outbox.send()
    #expect(report.waiting == 0 && report.refused == 0, "\(report)")
    #expect(log.texts == ["insert Product", "insert Order", "insert Note"])
    let order = log.changes.withLock { $0[1].json }
    #expect(order["lines"]?.arrayValue?.first?["product_id"] == 7, "\(order)")
    #expect(log.changes.withLock { $0[2].json["line_id"] } == "l")
  }

  @Test func whatRefersToACarriedObjectWaitsForWhatCarriesIt() async throws {
    log.isDown.withLock { $0 = true }
    try await makeOrder()
    for _ in 0..<2 { #expect(try await outbox.send()["Note"].waiting.count == 1) }
    #expect(!log.texts.contains("insert Note"))
    log.isDown.withLock { $0 = false }
    #expect(try await outbox.send().waiting == 0)
    #expect(log.texts.last == "insert Note")
  }

  @Test func aDeletionWaitsForWhatCarriesTheReference() async throws {
    try await makeOrder()
    try await outbox.send()
    log.isDown.withLock { $0 = true }
    log.changes.withLock { $0 = [] }
    try await stack.edit { for product in try $0.fetch(Fetch<Product>()) { $0.delete(product) } }
    for _ in 0..<2 { #expect(try await outbox.send()["Product"].waiting.count == 1) }
    #expect(Set(log.texts) == ["update Order"])
    log.isDown.withLock { $0 = false }
    #expect(try await outbox.send().waiting == 0)
    #expect(log.texts.suffix(2) == ["update Order", "delete Product"])
    #expect(try outbox.pending.isEmpty)
  }
}
