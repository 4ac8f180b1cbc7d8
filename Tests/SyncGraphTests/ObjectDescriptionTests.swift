import SyncCore
import SyncGraph
import TestSupport
import Testing

/// The output of `print(object)`.
@Suite struct ObjectDescriptionTests {
  @Test func anObjectIsPrintedWithItsKeyAndValues() throws {
    let model = try ManagedObjectModel(["Order: note, id, total double"])
    let stack = try DataStack(model: model, store: .inMemory)
    try stack.inBackground { context in
      let order = try context.insert(entityNamed: "Order")
      #expect(order.description.hasSuffix(" inserted>"))
      order["id"] = 7
      order["total"] = 12.5
      #expect(order.description.hasSuffix(" inserted id: 7, total: 12.5>"), "\(order)")
      try context.save()
      #expect(order.description.hasSuffix(" id: 7, total: 12.5>"), "\(order)")
      // Printing reads nothing.
      context.refresh(order, mergeChanges: false)
      #expect(order.isFault && order.description.hasSuffix(" fault>"), "\(order)")
      #expect(order.isFault)
    }
  }
}
