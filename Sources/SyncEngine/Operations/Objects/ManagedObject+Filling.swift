import Foundation
import SyncCore
public import SyncGraph

extension ManagedObject {
  /// Sets attributes from a JSON object, as a sync would: the same keys, conversions and
  /// transformers. Relationships are left alone, and nothing is saved.
  ///
  /// - Parameter item: One JSON object. Properties that it does not mention stay; null clears.
  /// - Returns: The findings about values that could not be taken as they stood; the old values are
  ///   still there.
  /// - Throws: ``SyncError`` with ``SyncError/Code/invalidItem`` when it is no JSON object, with
  ///   ``SyncError/Code/invalidRequest`` when the object was deleted, has lost its context, or is
  ///   used on another queue than its own.
  @discardableResult
  public final func fill(with item: some SyncPayloadConvertible) throws -> [SyncReport.Finding] {
    guard let context = managedObjectContext, !isDeleted else {
      throw SyncError(
        .invalidRequest, entity: entity.name, key: objectID.description,
        message: "\(self) cannot be filled: it was deleted, or its context is gone.")
    }
    try context.requireCurrent()
    let item = try item.syncPayload.singleObject()
    let filled = try ItemValues(item, plan: context.mappingPlans.plan(for: entity))
    for (slot, value) in filled.values { setStoredValue(value, at: slot) }
    return filled.findings
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

  /// - Parameter node: The node of the plan that the item belongs to; nil is the root.
  /// - Throws: ``SyncError`` when a rule of the plan says that the item cannot be used.
  init(_ item: JSONValue, plan: MappingPlan, node number: Int? = nil) throws {
    let stager = Stager(StagingRequest(plan: plan, operations: .all, onItemError: .fail))
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
  }

  /// The value of a slot; nil when the JSON does not mention it.
  subscript(slot: Int) -> Value? {
    values.first { $0.slot == slot }?.value
  }
}
