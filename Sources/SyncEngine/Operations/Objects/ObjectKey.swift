import Foundation
import SyncCore

/// The attribute that tells the objects of an entity apart, for keys as a program gives them.
struct ObjectKey {
  private let node: PlanNode
  private let rule: AttributeRule

  /// - Throws: ``SyncError`` when no attribute alone tells the objects apart.
  init(_ plan: MappingPlan) throws {
    node = plan.rootNode
    guard let rule = node.keyRule else {
      guard node.identity.count > 1 else { throw SyncError.noPrimaryKey(node.entity.name) }
      throw SyncError(
        .noPrimaryKey, entity: node.entity.name, property: node.identityName,
        message: """
          Objects of “\(node.entity.name)” are told apart by “\(node.identityName)” together, so a key alone \
          names none of them. Use sync without .delete in its operations.
          """)
    }
    self.rule = rule
  }

  var name: String { rule.name }

  /// The form in which the store keeps a key; nil when no object can have it.
  ///
  /// - Parameter id: a number, a text, a date or another value that the key attribute holds, or a
  ///   form of it that JSON may give: `"6"` for 6.
  /// - Throws: ``SyncError`` when the value is of a type that no key has.
  func value(of id: Any) throws -> Value? {
    let arena = CellArena()
    // A transformer turns JSON into keys; the given value is a key already.
    guard let given = try given(id),
      case .cell(let cell) = ValueConverter(rule.type).cell(for: given, arena: arena),
      !cell.isEmpty
    else { return nil }
    return withExtendedLifetime(arena) { cell.value(as: rule.type) }
  }

  private func given(_ id: Any) throws -> Value? {
    if let value = id as? Value { return value }
    if let value = id as? JSONValue { return Value(json: value) }
    // Boxed numbers and the like are told apart by the reader of JSON trees.
    if !(type(of: id) is AnyClass), !(id is any CodableValue),
      let value = id as? any ValueConvertible
    {
      return value.storedValue
    }
    switch try? JSONValue(id) {
    case .array?, .object?, nil:
      throw SyncError(
        .typeMismatch, entity: node.entity.name, property: node.identityName,
        message: """
          A value of the type \(type(of: id)) cannot be a key of “\(node.entity.name)”. Give a number, \
          a text, or a value of the key attribute's type.
          """)
    case let json?: return json.isNull ? nil : Value(json: json)
    }
  }
}

/// The values that one JSON object has for the attributes of an object, by the mapping plan: keys,
/// coercion and transformers as in every sync.
struct ItemValues {
  /// The values by slot, null for those that the JSON clears; attributes that it does not mention
  /// are not there.
  let values: [(slot: Int, value: Value)]

  /// The findings about values that could not be taken as they stood.
  let findings: [SyncReport.Finding]

  /// The slot of the attribute that alone tells objects apart.
  private let keySlot: Int?

  /// - Parameters:
  ///   - node: The node of the plan that the item belongs to; nil is the root.
  ///   - onError: Whether values that the plan refuses are errors, or passed over.
  /// - Throws: ``SyncError`` when a rule of the plan says that the item cannot be used.
  init(
    _ item: JSONValue, plan: MappingPlan, node number: Int? = nil,
    onError: ItemErrorPolicy = .fail
  ) throws {
    let stager = Stager(StagingRequest(plan: plan, operations: .all, onItemError: onError))
    let number = number ?? plan.root
    let node = plan.nodes[number]
    let tape = JSONTape()
    values = try item.data().withUnsafeBytes { bytes in
      var scanner = JSONScanner(bytes)
      try scanner.scanValue(into: tape)
      let block = RowBlock(width: node.entity.properties.count, capacity: 1)
      let cells = block[block.append()]
      let source = ItemSource(tape: tape, base: UInt(bitPattern: bytes.baseAddress))
      try stager.fill(cells, from: 0, of: source, node: stager.reader(number))
      return node.attributes.compactMap { rule in
        cells[rule.slot].isAbsent ? nil : (rule.slot, cells[rule.slot].value(as: rule.type))
      }
    }
    findings = stager.report.report.findings
    keySlot = node.keyRule?.slot
  }

  /// The key of the object; nil when the JSON has none that can be read, or no attribute alone is
  /// one.
  var key: (slot: Int, value: Value)? {
    values.first { $0.slot == keySlot && !$0.value.isNull }
  }
}
