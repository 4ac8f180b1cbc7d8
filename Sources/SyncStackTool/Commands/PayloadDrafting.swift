import Foundation
import SyncStack

/// Draws a model from payloads, and tries whether it takes them.
struct PayloadDrafting {
  let payloads: [Data]
  let entity: String
  let path: String?

  /// The draft; what does not map all the same is in its notes.
  ///
  /// - Throws: ``JSONError`` when a payload is no JSON, ``ToolError`` when it has no objects.
  func draft() async throws -> ModelDraft {
    let root = ObjectShape()
    var others = 0
    try items { item in
      if let object = item.objectValue { root.add(object) } else { others += 1 }
    }
    guard root.count > 0 else {
      throw ToolError(
        "There is no object to draw a model from. Say with --at where the list lies in the document."
      )
    }
    let entities = EntityFinder(root, named: entity).entities
    let owners = OwnerCounts()
    try items { item in
      if let object = item.objectValue { owners.add(object, of: entities[0]) }
    }
    var draft = ModelDrafter(entities, owners: owners).draft
    if entities[0].key == nil, let advice = ListPlaces(in: root, at: path).advice {
      draft.advice.append(advice)
    }
    if others > 0 {
      draft.notes.append("\(Figures.counted(others, "item")) that are no objects were passed over.")
    }
    draft.notes += try await trial(of: draft)
    return draft
  }

  private func items(_ body: (JSONValue) -> Void) throws {
    let tape = JSONTape()
    for payload in payloads {
      try payload.withUnsafeBytes { bytes in
        var reader = try JSONItemReader(bytes, at: path.map { JSONPath($0) } ?? JSONPath())
        while try reader.next(into: tape) { body(tape.value(0)) }
      }
    }
  }

  /// What a sync of the payloads into an empty store says that does not map.
  private func trial(of draft: ModelDraft) async throws -> [String] {
    let model = try ManagedObjectModel(draft.drafts)
    let entity = try model.requireEntity(named: entity)
    guard entity.primaryKey != nil else { return [] }
    let stack = try DataStack(model: LenientModel.of(model), store: .inMemory)
    defer { try? stack.close() }
    var report = SyncReport()
    for payload in payloads {
      let sync = Sync(.data(payload), inEntityNamed: entity.name, dataStack: stack, at: path)
      sync.onItemError = .skip
      sync.operations = SyncOperations.all.subtracting(.delete)
      report.add(try await stack.sync(sync))
    }
    let diagnosis = Diagnosis(
      report: report, mapping: MappingDescription(of: entity),
      missing: try LenientModel.missingValues(in: stack.store, of: model))
    return diagnosis.isHealthy ? [] : ["Not everything maps yet:"] + diagnosis.lines
  }
}
