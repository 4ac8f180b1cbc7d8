package import SyncCore
package import SyncGraph
package import SyncStore

/// Fills one stored row from a server's JSON of it, as a sync of that item would, inside a
/// transaction that the caller has begun. Edits made here and not sent stay.
package struct RowFill {
  let plan: MappingPlan

  /// - Throws: ``MappingError`` when the source does not fit the model.
  package init(_ source: any PlanSource, _ stack: DataStack) throws {
    plan = try stack.mappingPlans.plan(for: source, in: stack.model)
  }

  /// Where the JSON of an object has its key; nil when objects are not identified by one attribute.
  package var keyName: String? {
    plan.rootNode.keyRule?.remoteKey.steps.joined(separator: ".")
  }

  /// JSON of an object that says its key alone; nil when that is not one value at one place.
  package func item(ofKey key: JSONValue) -> JSONValue? {
    plan.rootNode.keyRule?.remoteKey.steps.reversed().reduce(key) { .object([$1: $0]) }
  }

  /// The key that the JSON gives; nil when it has none that can be read.
  /// Other values of it may be unfit.
  package func key(in item: JSONValue) -> (slot: Int, value: Value)? {
    validated(item).flatMap { try? ItemValues($0, plan: plan, onError: .skip).key }
  }

  /// The item as the validators of the source want it; nil when they drop or refuse it.
  func validated(_ item: JSONValue) -> JSONValue? {
    plan.rootNode.validators.reduce(item) { item, validator in
      item.flatMap { try? validator($0) }
    }
  }

  /// The item in a JSON:API document, or of a resource of one; nil when it has none. Other JSON
  /// stays as it is.
  package func item(ofDocument json: JSONValue) throws -> JSONValue? {
    let isResource = json["type"] != nil && json["attributes"] ?? json["relationships"] != nil
    guard isResource || json["data"] != nil else { return json }
    let document = try JSONAPIDocument(isResource ? .object(["data": json]) : json)
    let rewritten = document.rewritten(for: plan)
    let items = rewritten.json.arrayValue ?? []
    return items.indices.first { rewritten.node(of: $0) == nil }.map { items[$0] }
  }

  /// The attributes that the JSON mentions, null for those that it clears.
  ///
  /// - Throws: ``SyncError`` when the item cannot be used.
  package func attributes(in item: JSONValue) throws -> [(slot: Int, value: Value)] {
    try validated(item).map { try ItemValues($0, plan: plan).values } ?? []
  }

  /// Takes over the values of the JSON, a new key among them, with all nested objects.
  ///
  /// - Parameter isGuarded: Whether many nested objects that it leaves out are a mistake.
  /// - Throws: ``SyncError`` when the item cannot be used. The transaction has to end then.
  package func fill(
    _ row: Int64, from item: JSONValue, isGuarded: Bool = true, in transaction: StoreTransaction
  ) throws {
    var request = SyncRequest(object: item, plan: plan, rows: [row])
    if !isGuarded { request.settings.deletionGuard = .off }
    try request.payload.withBytes { bytes in
      let pass = try SyncPass(request, bytes: bytes, control: SyncControl())
      defer { pass.reader.stop() }
      try pass.work(in: transaction) { try pass.workOff(in: $0) }
    }
  }
}
