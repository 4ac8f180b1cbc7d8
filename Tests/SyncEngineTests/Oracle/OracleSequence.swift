import Foundation
import SyncCore
import SyncEngine
import SyncStore
import TestSupport

/// One sync of a random sequence.
struct OracleStep: CustomStringConvertible {
  enum Scope: String {
    case entity
    /// `name == "a"`.
    case filter
    /// The first stored object of the entity at the other end of the relationship.
    case parent
  }

  var entity: String
  var items: [JSONValue]
  var operations: SyncOperations = .all
  var scope = Scope.entity
  /// The parent's to-many relationship, as `User.notes`, when there is a parent.
  var parent: String?

  var description: String {
    "\(entity) [\(operations)]"
      + (scope == .entity ? "" : " \(scope.rawValue) \(parent ?? "")")
      + " \(JSONValue.array(items))"
  }
}

/// Runs a sequence of syncs in the engine and in the oracle, and compares after each.
struct OracleSequence {
  let model: ManagedObjectModel

  /// What first differs, in words; nil when nothing does.
  func difference(_ steps: [OracleStep]) throws -> String? {
    let store = try Store(model: model, configuration: .init(.memory))
    defer { try? store.close() }
    for (position, step) in steps.enumerated() {
      if let difference = try difference(step, store) {
        return "Step \(position + 1): \(difference)"
      }
    }
    return nil
  }

  private func difference(_ step: OracleStep, _ store: Store) throws -> String? {
    let entity = try model.requireEntity(named: step.entity)
    let before = try OracleGraph(store)
    let plan = MappingPlanCompiler.compile(entity, transformers: TransformerRegistry())
    var engine = SyncRequest(plan: plan, payload: .json(.array(step.items)))
    engine.operations = step.operations
    var request = OracleRequest(entity: entity, items: step.items, operations: step.operations)
    switch step.scope {
    case .entity: break
    case .filter:
      engine.filter = Filter(#"name == "a""#)
      request.scope = .filter { $0.attributes["name"] == .string("a") }
    case .parent:
      guard let path = step.parent?.split(separator: "."), path.count == 2 else { return nil }
      let owner = try model.requireEntity(named: String(path[0]))
      guard let relationship = owner.relationship(named: String(path[1])),
        let id = before.all(owner).first
      else { return nil }
      engine.parent = ManagedObjectID(entity: before[id].entity, row: id.row)
      engine.parentRelationship = relationship.name
      request.scope = .parent(id, relationship)
    }
    let expected = Oracle.reconcile(before, request)
    let report: SyncReport
    let changes: ChangeSet
    do {
      (report, changes) = try SyncRun(engine, store: store, control: SyncControl()).run()
    } catch {
      if expected == nil {
        return try OracleGraph(store).lines(since: before) == before.lines(since: before)
          ? nil : "a refused sync left traces"
      }
      return "the engine threw \(error)"
    }
    guard let expected else { return "the engine did not refuse the sync" }
    let after = try OracleGraph(store)
    if let first = after.inconsistencies.first { return "inconsistent: \(first)" }
    return Comparison(before: before, expected: expected, after: after).difference(report, changes)
  }

  private struct Comparison {
    let before: OracleGraph
    let expected: OracleGraph
    let after: OracleGraph

    func difference(_ report: SyncReport, _ changes: ChangeSet) -> String? {
      let (wanted, got) = (expected.lines(since: before), after.lines(since: before))
      if wanted != got {
        let missing = wanted.filter { !got.contains($0) }
        let extra = got.filter { !wanted.contains($0) }
        return "\n  before \(before.lines(since: before))\n  oracle \(missing)\n  engine \(extra)"
      }
      let exact = after.changes(since: before)
      let recorded = OracleChanges(changes)
      if exact != recorded { return "changed \(exact)\n  recorded \(recorded)" }
      let counts = report.entities.mapValues { [$0.inserted, $0.updated, $0.deleted] }
        .filter { $0.value != [0, 0, 0] }
      if counts != exact.counts { return "counts \(exact.counts)\n  reported \(counts)" }
      return nil
    }
  }

  // MARK: - Minimising

  /// The shortest sequence found that still differs.
  func minimised(_ steps: [OracleStep]) throws -> [OracleStep] {
    var best = steps
    var attempts = 0
    var progress = true
    while progress && attempts < 600 {
      progress = false
      for candidate in smaller(best) {
        attempts += 1
        if try difference(candidate) != nil {
          best = candidate
          progress = true
          break
        }
      }
    }
    return best
  }

  private func smaller(_ steps: [OracleStep]) -> [[OracleStep]] {
    var result: [[OracleStep]] = []
    for position in steps.indices {
      var fewer = steps
      fewer.remove(at: position)
      result.append(fewer)
      for items in smaller(.array(steps[position].items)) {
        var changed = steps
        changed[position].items = items.arrayValue ?? []
        result.append(changed)
      }
      if steps[position].operations != .all {
        var changed = steps
        changed[position].operations = .all
        result.append(changed)
      }
    }
    return result
  }

  private func smaller(_ value: JSONValue) -> [JSONValue] {
    switch value {
    case .array(let elements):
      return elements.indices.flatMap { position -> [JSONValue] in
        var fewer = elements
        fewer.remove(at: position)
        return [.array(fewer)]
          + smaller(elements[position]).map {
            var changed = elements
            changed[position] = $0
            return .array(changed)
          }
      }
    case .object(let object):
      return object.flatMap { member -> [JSONValue] in
        var fewer = object
        fewer[member.key] = nil
        return (member.key == "id" ? [] : [.object(fewer)])
          + smaller(member.value).map {
            var changed = object
            changed[member.key] = $0
            return .object(changed)
          }
      }
    default:
      return []
    }
  }
}
