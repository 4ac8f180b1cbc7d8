import SyncStack
import TestSupport

/// One edit of a program.
struct RandomEdit: Sendable {
  private let mark: String
  private let kind: Int
  private let place: Int
  private let other: Int

  init(mark: String, using random: inout SeededGenerator) {
    self.mark = mark
    kind = Int.random(in: 0..<12, using: &random)
    place = Int.random(in: 0..<1000, using: &random)
    other = Int.random(in: 0..<1000, using: &random)
  }

  func apply(in context: ManagedObjectContext) throws {
    let customers = try context.fetch(Fetch<Customer>())
    let orders = try context.fetch(Fetch<Order>())
    switch kind {
    case 0, 1: Customer(context: context).name = mark
    case 2, 3:
      let order = Order(context: context)
      order.status = mark
      order.customer = customers.element(place)
      if other % 2 == 0 { Line(context: context).order = order }
    case 4: Line(context: context).order = orders.element(place)
    case 5:
      let customer = Customer(context: context)
      let order = Order(context: context)
      (order.customer, customer.favourite) = (customer, order)
    case 6, 7: orders.element(place)?.status = mark
    case 8: orders.element(place)?.customer = customers.element(other)
    case 9: customers.element(place)?.favourite = orders.element(other)
    case 10: orders.element(place).map(context.delete)
    default: customers.element(place).map(context.delete)
    }
  }
}

extension Array {
  fileprivate func element(_ place: Int) -> Element? { isEmpty ? nil : self[place % count] }
}
