import Foundation
import SyncCore

/// The document that is read in place of the given one, and the paths at which its items stood.
struct RewrittenPayload {
  /// An item that stood anywhere in the document.
  struct Resource {
    let path: String
    /// The node of the plan that reads it beside the items at the top; nil is one of these.
    var node: Int?
  }

  var json = JSONValue.array([])
  /// The rest of the way to the list in it.
  var path: JSONPath?
  /// Where each item stood; empty where most are still where they were.
  var resources: [Resource] = []
  /// The path that was followed already, and the objects of the document with their paths; where
  /// several are equal, none.
  private var prefix = "$"
  private var originals: [JSONValue: String] = [:]

  /// Whether the items are all there are.
  var isWhole = true
  /// Whether it is a page of a longer list, and the address of the next one.
  var isPage = false
  var nextPage: String?
  /// The members that were passed over.
  var remarks: [(path: String, message: String)] = []

  init() {}

  /// Lets a hook rewrite the value at a path, up to the first step that means each child.
  ///
  /// - Throws: ``JSONError`` when the path leads nowhere, and errors of the hook.
  init(
    _ document: JSONValue, at path: JSONPath?, by prepare: (JSONValue) throws -> JSONValue
  ) throws {
    let list = path?.listPath ?? JSONPath()
    guard let value = document.value(at: list) else {
      // The reader's error is the most exact.
      _ = try document.data().withUnsafeBytes { try JSONItemReader($0, at: list) }
      throw JSONError(.pathNotFound, path: "\(list)", message: "There is nothing at \(list).")
    }
    json = try prepare(value)
    self.path = path.map { JSONPath($0.elements) }
    prefix = "\(list)"
    if json != value { note(document, "$") }
  }

  private mutating func note(_ value: JSONValue, _ path: String) {
    switch value {
    case .array(let elements):
      for (index, element) in elements.enumerated() { note(element, "\(path)[\(index)]") }
    case .object(let members):
      originals[value] = originals[value] == nil ? path : ""
      for member in members { note(member.value, path + JSONPath.text(ofKey: member.key)) }
    default: break
    }
  }

  /// Where an item stood in the document: one that the hook left as it was, where it was, others
  /// where they stand now.
  ///
  /// - Parameters:
  ///   - item: Its number.
  ///   - place: Its place in the rewritten document.
  func place(of item: Int, _ place: JSONItemPlace, _ json: () -> JSONValue) -> JSONItemPlace {
    if !resources.isEmpty { return JSONItemPlace(path: resources[item].path) }
    if !originals.isEmpty, let path = originals[json()], !path.isEmpty {
      return JSONItemPlace(path: path)
    }
    return JSONItemPlace(path: prefix + place.path.dropFirst(), element: place.element)
  }

  /// The node that reads an item beside those at the top.
  func node(of item: Int) -> Int? {
    resources.indices.contains(item) ? resources[item].node : nil
  }
}

extension JSONAPIDocument {
  /// The items in terms of a plan.
  func rewritten(for plan: MappingPlan) -> RewrittenPayload {
    var result = RewrittenPayload()
    result.isWhole = isWhole
    result.isPage = isPage
    result.nextPage = nextPage
    if plan.sources != nil || !plan.rootNode.takesIncluded {
      result.resources = data.map { .init(path: $0.path) }
      result.json = .array(nested().map { .object($0) })
      return result
    }
    let nodes = nodes(in: plan)
    var items: [JSONValue] = []
    for (resource, isIncluded) in data.map({ ($0, false) }) + included.map({ ($0, true) }) {
      guard let number = nodes.number(of: resource.identity?.type, isIncluded: isIncluded) else {
        let type = resource.identity?.type ?? ""
        result.remarks.append(
          (
            resource.path,
            "No entity is known for resources of the type “\(type)”, so they were passed over."
          ))
        continue
      }
      items.append(.object(flat(resource.json, plan.nodes[number])))
      result.resources.append(
        .init(path: resource.path, node: isIncluded || number != plan.root ? number : nil))
    }
    result.json = .array(items)
    // A document without objects of the entity does not say that there are none.
    if !data.isEmpty, !result.resources.contains(where: { $0.node == nil }) {
      result.isWhole = false
    }
    return result
  }

  /// Which node reads the resources of each type.
  private struct Nodes {
    let plan: MappingPlan
    var numbers: [String: Int] = [:]

    func number(of type: String?, isIncluded: Bool) -> Int? {
      type.flatMap { numbers[$0] } ?? (isIncluded ? nil : plan.root)
    }

    /// The node of the entity that a type names: the entity's `sync.type`, or its name, in the
    /// plural too.
    func named(_ type: String) -> Int? {
      if let said = plan.nodes.firstIndex(where: { $0.entity.userInfo["sync.type"] == type }) {
        return said
      }
      let name = Inflection.camel(type.replacing("-", with: "_")) ?? type
      let names = ([name] + Inflection.singulars(name)).map(Nodes.letters)
      return plan.nodes.firstIndex { names.contains(Nodes.letters($0.entity.name)) }
    }

    private static func letters(_ text: String) -> String {
      text.lowercased().filter { $0 != "_" && $0 != "-" }
    }
  }

  private func nodes(in plan: MappingPlan) -> Nodes {
    var nodes = Nodes(plan: plan)
    var seen: Set<Identity> = []
    var waiting: [(JSONObject, Int)] = []
    for resource in data {
      guard let identity = resource.identity else { continue }
      let number = nodes.numbers[identity.type] ?? nodes.named(identity.type) ?? plan.root
      nodes.numbers[identity.type] =
        plan.nodes[number].entity.isKind(of: plan.rootNode.entity) ? plan.root : number
      seen.insert(identity)
      waiting.append((resource.json, nodes.numbers[identity.type] ?? plan.root))
    }
    // The relationship that leads to a resource gives its entity, where its type does not.
    while let (json, number) = waiting.popLast() {
      let node = plan.nodes[number]
      for (name, linkage) in JSONAPIDocument.linkages(of: json) {
        guard let rule = node.relationship(forKey: node.key(for: name)) else { continue }
        for identity in Identity.all(in: linkage) {
          let destination = plan.nodes[rule.node].entity
          let named = nodes.named(identity.type)
          let number =
            nodes.numbers[identity.type]
            ?? named.flatMap { plan.nodes[$0].entity.isKind(of: destination) ? $0 : nil }
            ?? rule.node
          nodes.numbers[identity.type] = number
          if seen.insert(identity).inserted, let other = byIdentity[identity] {
            waiting.append((included[other].json, number))
          }
        }
      }
    }
    for resource in included {
      if let type = resource.identity?.type, nodes.numbers[type] == nil {
        nodes.numbers[type] = nodes.named(type)
      }
    }
    return nodes
  }

  /// A resource as an item of a node: members of the form that the node does not ask for are left
  /// out.
  private func flat(_ json: JSONObject, _ node: PlanNode) -> JSONObject {
    var item = JSONObject()
    for key in ["id", "type", "links", "meta"] where key == "id" || node.members.find(key) >= 0 {
      item[key] = json[key]
    }
    for member in json["attributes"]?.objectValue ?? JSONObject() {
      item[node.key(for: member.key)] = member.value
    }
    for (name, linkage) in JSONAPIDocument.linkages(of: json) {
      let keys = Identity.all(in: linkage).map { JSONValue.string($0.id) }
      item[node.key(for: name)] =
        linkage.isNull ? .null : linkage.arrayValue != nil ? .array(keys) : keys.first
    }
    return item
  }
}

extension PlanNode {
  /// The key under which the node knows a name of the document, with underscores for dashes if need
  /// be.
  fileprivate func key(for name: String) -> String {
    guard members.find(name) < 0 else { return name }
    let other = name.replacing("-", with: "_")
    return members.find(other) < 0 ? name : other
  }

  /// The relationship that a key gives.
  fileprivate func relationship(forKey key: String) -> RelationshipRule? {
    let number = members.find(key)
    guard number >= 0 else { return nil }
    return members.entries[number].targets.first { $0.kind != .attribute }
      .map { relationships[$0.rule] }
  }
}
