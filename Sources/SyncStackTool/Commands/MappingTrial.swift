import Foundation
import SyncStack

/// Syncs documents into an empty store in memory, and keeps nothing but the reports.
struct MappingTrial {
  let model: ManagedObjectModel
  /// The entity of the items.
  let entity: String
  let path: String?
  var mapping: MappingFile?

  /// - Parameters:
  ///   - files: By name; of several, the one that cannot be read is named.
  ///   - terminal: Where it is shown how far the trial is, when it is one.
  /// - Throws: The error of a sync, for a payload that is no JSON as for a model that cannot be
  ///   mapped.
  func run(
    _ files: [(name: String, payload: SyncPayload)], on terminal: Terminal
  ) async throws -> Diagnosis {
    let entity = try model.requireEntity(named: entity)
    let stack = try DataStack(model: LenientModel.of(model), store: .inMemory)
    defer { try? stack.close() }
    try mapping?.apply(to: stack)
    var report = SyncReport()
    for (name, payload) in files {
      let sync = Sync(
        payload, inEntityNamed: entity.name, dataStack: stack, at: path.map { JSONPath($0) })
      sync.onItemError = .skip
      sync.operations = SyncOperations.all.subtracting(.delete)
      // Without a key each object is a new one, and shows all the same which values would map.
      if entity.primaryKey == nil { sync.operations.insert(.alwaysInsert) }
      let display = terminal.errorWidth.map { _ in ProgressDisplay(of: sync, on: terminal) }
      defer { display?.end() }
      do {
        report.add(try await stack.sync(sync))
      } catch {
        terminal.noteStop(at: name, of: files.count, error)
        throw error
      }
    }
    let plan = stack.mappingPlans.plan(for: try stack.model.requireEntity(named: entity.name))
    var diagnosis = Diagnosis(
      report: report, mapping: MappingDescription(plan),
      missing: try LenientModel.missingValues(in: stack.store, of: model),
      keyless: entity.primaryKey == nil ? entity.name : nil)
    diagnosis.deletionMarks = plan.nodes.compactMap { node in
      guard node.tombstone == nil, let found = report.entities[node.entity.name],
        !node.identity.isEmpty
      else { return nil }
      let filled = node.attributes.filter { !found.unfilledAttributes.contains($0.name) }
      let spellings = filled.map { rule in
        DeletionMarks.all(in: rule.spellings.compactMap { $0.steps.count == 1 ? $0.steps[0] : nil })
      }
      let unused = DeletionMarks.first(in: found.unusedKeys.keys.sorted()).map { [$0] }
      let marks = unused ?? spellings.first { !$0.isEmpty }
      return marks.map { .init(entity: node.entity.name, key: $0.joined(separator: "” or “")) }
    }
    return diagnosis
  }
}
