import SyncStack
import TestSupport

/// One edit of the program of the dialects, here and in the expected graph.
struct DialectEdit: Sendable {
  private let label: String
  private let kind: Int
  private let place: Int
  private let other: Int

  init(_ label: String, using random: inout SeededGenerator) {
    self.label = label
    kind = Int.random(in: 0..<22, using: &random)
    place = Int.random(in: 0..<1000, using: &random)
    other = Int.random(in: 0..<1000, using: &random)
  }

  /// Makes the edit.
  ///
  /// - Returns: The edit in words, and the same on the expected graph.
  func apply(
    in context: ManagedObjectContext, _ dialect: Dialect
  ) throws -> (text: String, expect: @Sendable (inout DialectGraph) -> Void) {
    let label = label
    let key = dialect.keys == .client ? "c\(label)" : nil
    // A copy that a sync has brought before the answer came becomes one with the object later. Which
    // of two a person means is not to be known.
    func all<T: ManagedObject>(_ type: T.Type) throws -> [T] {
      let objects = try context.fetch(Fetch<T>())
      let labels = Dictionary(grouping: objects, by: \.labelText).mapValues(\.count)
      return objects.filter { labels[$0.labelText] == 1 }
    }
    switch kind {
    case 0:
      let buyer = Buyer(context: context)
      (buyer.id, buyer.label) = (key, label)
      return (
        "new buyer \(label)", { $0.add(label, .init(entity: "Buyer", links: ["favourite": []])) }
      )
    case 1:
      let mark = Mark(context: context)
      (mark.id, mark.label) = (key, label)
      return ("new mark \(label)", { $0.add(label, .init(entity: "Mark")) })
    case 2, 3, 4:
      let deal = Deal(context: context)
      (deal.id, deal.label) = (key, label)
      deal.buyer = try all(Buyer.self).element(place)
      if let mark = try all(Mark.self).element(other) { deal.marks = [mark] }
      let (buyer, marks) = (deal.buyer?.label, deal.marks.compactMap(\.label))
      var items: [String] = []
      for number in 0..<other % 3 {
        let item = Item(context: context)
        let name = "\(label).\(number)"
        (item.id, item.label, item.deal) = (key.map { "\($0).\(number)" }, name, deal)
        items.append(name)
      }
      let names = items
      return (
        "new deal \(label) of \(buyer ?? "nobody"), marks \(marks), items \(names)",
        {
          $0.add(
            label,
            .init(
              entity: "Deal",
              links: ["buyer": Set([buyer].compactMap(\.self)), "marks": Set(marks)]))
          for name in names { $0.add(name, .init(entity: "Item", links: ["deal": [label]])) }
        }
      )
    case 5, 6:
      guard let deal = try all(Deal.self).element(place), let owner = deal.label else { break }
      let item = Item(context: context)
      (item.id, item.label, item.deal) = (key, label, deal)
      return (
        "new item \(label) of \(owner)",
        { $0.add(label, .init(entity: "Item", links: ["deal": [owner]])) }
      )
    case 7, 8: return try state(of: all(Deal.self).element(place)) { $0.state = label }
    case 9: return try state(of: all(Item.self).element(place)) { $0.state = label }
    case 10: return try state(of: all(Buyer.self).element(place)) { $0.state = label }
    case 11: return try state(of: all(Mark.self).element(place)) { $0.state = label }
    case 12:
      guard let deal = try all(Deal.self).element(place), let name = deal.label else { break }
      deal.buyer = try other % 4 == 0 ? nil : all(Buyer.self).element(other)
      return link(name, "buyer", to: deal.buyer?.label)
    case 13:
      guard let buyer = try all(Buyer.self).element(place), let name = buyer.label else { break }
      buyer.favourite = try other % 4 == 0 ? nil : all(Deal.self).element(other)
      return link(name, "favourite", to: buyer.favourite?.label)
    case 14, 15, 16:
      guard let deal = try all(Deal.self).element(place), let name = deal.label,
        let mark = try all(Mark.self).element(other), let label = mark.label
      else { break }
      if deal.marks.remove(mark) != nil {
        return ("\(name) without \(label)", { $0.nodes[name]?.links["marks"]?.remove(label) })
      }
      deal.marks.insert(mark)
      return ("\(name) with \(label)", { $0.nodes[name]?.links["marks"]?.insert(label) })
    case 17:
      // In another one's list a server with nested items does not know it.
      guard dialect.links != .nested, let item = try all(Item.self).element(place),
        let name = item.label
      else { break }
      item.deal = try all(Deal.self).element(other)
      return link(name, "deal", to: item.deal?.label)
    case 18: return try remove(all(Deal.self).element(place), context)
    case 19: return try remove(all(Item.self).element(place), context)
    case 20: return try remove(all(Buyer.self).element(place), context)
    default: return try remove(all(Mark.self).element(place), context)
    }
    return ("nothing", { _ in })
  }

  private typealias Outcome = (text: String, expect: @Sendable (inout DialectGraph) -> Void)

  private func state<T: ManagedObject>(of object: T?, _ body: (T) -> Void) -> Outcome {
    guard let object, let name = object.labelText else { return ("nothing", { _ in }) }
    body(object)
    let state = label
    return ("state of \(name)", { $0.nodes[name]?.state = state })
  }

  private func link(_ name: String, _ link: String, to label: String?) -> Outcome {
    (
      "\(link) of \(name): \(label ?? "nothing")",
      { $0.nodes[name]?.links[link] = Set([label].compactMap(\.self)) }
    )
  }

  private func remove<T: ManagedObject>(_ object: T?, _ context: ManagedObjectContext) -> Outcome {
    guard let object, let name = object.labelText else { return ("nothing", { _ in }) }
    context.delete(object)
    return (
      "delete \(name)",
      { graph in
        for (label, node) in graph.nodes where node.links["deal"] == [name] { graph.remove(label) }
        graph.remove(name)
      }
    )
  }
}

extension ManagedObject {
  fileprivate var labelText: String? { self["label"] as? String }
}

extension Array {
  fileprivate func element(_ place: Int) -> Element? { isEmpty ? nil : self[place % count] }
}
