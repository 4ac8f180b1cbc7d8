import SyncStack

/// The objects of the random program of the dialects: deals of buyers, with items that belong to
/// them and marks that several have. Every object has a label that no other one ever has, by which
/// it is known here, on the server and in the expected graph, whatever its key.
final class Buyer: ManagedObject {
  @PrimaryKey var id: String?
  @Attribute var label: String?
  @Attribute var state: String?
  @ToOne var favourite: Deal?
  @ToMany(inverse: "buyer") var deals: Set<Deal>
}

final class Deal: ManagedObject {
  @PrimaryKey var id: String?
  @Attribute var label: String?
  @Attribute var state: String?
  /// Edited by others alone.
  @Attribute var note: String?
  /// Counted by the server.
  @Attribute var version: Int64?
  @ToOne var buyer: Buyer?
  @ToMany(inverse: "favourite", userInfo: ["sync.nonExportable": "YES"]) var favourites: Set<Buyer>
  @ToMany(inverse: "deal", deleteRule: .cascade) var items: Set<Item>
  @ToMany(inverse: "deals") var marks: Set<Mark>
}

final class Item: ManagedObject {
  @PrimaryKey var id: String?
  @Attribute var label: String?
  @Attribute var state: String?
  @ToOne var deal: Deal?
}

final class Mark: ManagedObject {
  @PrimaryKey var id: String?
  @Attribute var label: String?
  @Attribute var state: String?
  @ToMany(inverse: "marks", userInfo: ["sync.nonExportable": "YES"]) var deals: Set<Deal>
}

/// Objects by their labels, as they are here, on the server, or as they have to be in the end.
struct DialectGraph: Equatable {
  struct Node: Equatable {
    var entity: String
    var state: String?
    var note: String?
    /// Labels of the objects that its relationships lead to.
    var links: [String: Set<String>] = [:]
  }

  var nodes: [String: Node] = [:]
  /// Labels that two objects have.
  var doubles: [String] = []

  mutating func add(_ label: String, _ node: Node) {
    if nodes.updateValue(node, forKey: label) != nil { doubles.append(label) }
  }

  /// Takes an object out, and every link to it.
  mutating func remove(_ label: String) {
    nodes[label] = nil
    for (other, node) in nodes {
      for name in node.links.keys { nodes[other]?.links[name]?.remove(label) }
    }
  }

  /// The differences from another graph, in one line each.
  func differences(from other: DialectGraph, _ names: (String, String)) -> [String] {
    var lines = (doubles + other.doubles).map { "\($0) is there twice" }
    for label in Set(nodes.keys).union(other.nodes.keys).sorted() {
      let (here, there) = (nodes[label], other.nodes[label])
      guard here != there else { continue }
      lines.append("\(label): \(Self.text(here)) \(names.0), \(Self.text(there)) \(names.1)")
    }
    return lines
  }

  private static func text(_ node: Node?) -> String {
    guard let node else { return "nothing" }
    let links = node.links.sorted { $0.key < $1.key }
      .map { "\($0.key)=\($0.value.sorted().joined(separator: ","))" }
    return "[\(node.state ?? "-") \(node.note ?? "-") \(links.joined(separator: " "))]"
  }
}

extension DialectGraph {
  /// The graph of a context.
  init(_ context: ManagedObjectContext) throws {
    for buyer in try context.fetch(Fetch<Buyer>()) {
      let links = Set([buyer.favourite?.label].compactMap(\.self))
      add(
        buyer.label ?? "?",
        Node(entity: "Buyer", state: buyer.state, links: ["favourite": links]))
    }
    for deal in try context.fetch(Fetch<Deal>()) {
      add(
        deal.label ?? "?",
        Node(
          entity: "Deal", state: deal.state, note: deal.note,
          links: [
            "buyer": Set([deal.buyer?.label].compactMap(\.self)),
            "marks": Set(deal.marks.compactMap(\.label)),
          ]))
    }
    for item in try context.fetch(Fetch<Item>()) {
      let links = Set([item.deal?.label].compactMap(\.self))
      add(item.label ?? "?", Node(entity: "Item", state: item.state, links: ["deal": links]))
    }
    for mark in try context.fetch(Fetch<Mark>()) {
      add(mark.label ?? "?", Node(entity: "Mark", state: mark.state))
    }
  }
}
