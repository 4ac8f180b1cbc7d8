import Foundation
import SyncStack
import TestSupport
import Testing

/// One step of a random sequence: a sync, or something else that happens to the store.
struct OracleStep: CustomStringConvertible {
  enum Scope: String {
    case entity
    /// `name == "a"`.
    case filter
    /// The first stored object of the entity at the other end of the relationship.
    case parent
  }

  enum Kind: Equatable {
    case sync
    /// A sync that is cancelled when it has passed so many checkpoints.
    case cancelledSync(after: Int)
    /// Random edits in a context, saved.
    case save(seed: UInt64)
  }

  var kind = Kind.sync
  var entity: String
  var items: [JSONValue]
  var operations: SyncOperations = .all
  var scope = Scope.entity
  /// Whether no table is scanned for keys, as if all of them were large.
  var looksKeysUp = false
  /// The parent's to-many relationship, as `User.notes`, when there is a parent.
  var parent: String?

  var description: String {
    if case .save(let seed) = kind { return "save \(seed)" }
    return (kind == .sync ? "" : "\(kind) ") + "\(entity) [\(operations)]"
      + (looksKeysUp ? " keys looked up" : "")
      + (scope == .entity ? "" : " \(scope.rawValue) \(parent ?? "")")
      + " \(JSONValue.array(items))"
  }
}

/// A way to run the syncs of a sequence that must not change the outcome.
struct OracleVariant: CustomTestStringConvertible, Sendable {
  /// In how many transactions, and with which ends between them.
  enum Form: Equatable {
    /// One.
    case whole
    /// A page session; one that is kept begins anew with each page, from the session that the store
    /// kept.
    case pages(isKept: Bool)
    /// A commit per batch; one that is stopped is run again from the beginning.
    case batches(areStopped: Bool)
  }

  let name: String
  var form = Form.whole

  /// Items of a part, page or batch; nil is all of them.
  var size: Int?

  var testDescription: String { name }

  /// As a caller without settings gets it.
  static let plain = OracleVariant(name: "plain")

  /// Worked off in parts of so many items, as payloads are that do not fit into memory.
  static func parts(of count: Int) -> OracleVariant {
    OracleVariant(name: "parts of \(count)", size: count)
  }

  /// A page session whose pages have so many items.
  static func pages(of count: Int, areKept: Bool = false) -> OracleVariant {
    OracleVariant(
      name: "\(areKept ? "kept " : "")pages of \(count)", form: .pages(isKept: areKept), size: count
    )
  }

  /// A commit for each so many items.
  static func batches(of count: Int, areStopped: Bool = false) -> OracleVariant {
    OracleVariant(
      name: "\(areStopped ? "stopped " : "")batches of \(count)",
      form: .batches(areStopped: areStopped), size: count)
  }
}

/// Runs a sequence of syncs in the engine and in the oracle, and compares after each.
struct OracleSequence {
  let model: ManagedObjectModel
  var variant = OracleVariant.plain
  /// Whether the syncs have to have the same outcome as in one piece.
  var comparesWithWhole = false

  /// The first difference, in words; nil when there is none.
  func difference(_ steps: [OracleStep]) throws -> String? {
    let stack = try DataStack(model: model, configuration: .init(.memory))
    defer { try? stack.close() }
    for (position, step) in steps.enumerated() {
      if let difference = try difference(step, stack) {
        return "Step \(position + 1): \(difference)"
      }
    }
    return try stack.store.read { try $0.checkConsistency() }.first.map { "a damaged store: \($0)" }
  }

  private func difference(_ step: OracleStep, _ stack: DataStack) throws -> String? {
    let store = try stack.store
    if case .save(let seed) = step.kind {
      try OracleEdits(seed: seed).save(in: stack)
      return try OracleGraph(store).inconsistencies.first.map { "inconsistent: \($0)" }
    }
    let entity = try model.requireEntity(named: step.entity)
    let before = try OracleGraph(store)
    let plan = MappingPlanCompiler.compile(
      entity, MappingEnvironment(transformers: TransformerRegistry()))
    var engine = SyncRequest(plan: plan, payload: .json(.array(step.items)))
    engine.settings.operations = step.operations
    if step.looksKeysUp { engine.tuning.scannedRowsPerKey = 0 }
    var request = OracleRequest(entity: entity, items: step.items, operations: step.operations)
    switch step.scope {
    case .entity: break
    case .filter:
      engine.settings.filter = Filter(#"name == "a""#)
      request.scope = .filter { $0.attributes["name"] == .string("a") }
    case .parent:
      guard let path = step.parent?.split(separator: "."), path.count == 2 else { return nil }
      let owner = try model.requireEntity(named: String(path[0]))
      guard let relationship = owner.relationship(named: String(path[1])),
        let id = before.all(owner).first
      else { return nil }
      engine.setup.parent = ManagedObjectID(entity: before[id].entity, row: id.row)
      engine.setup.parentRelationship = relationship.name
      request.scope = .parent(id, relationship)
    }
    var form = variant.form
    // A session has no parent.
    if step.scope == .parent, case .pages = form { form = .whole }
    if !comparesWithWhole {
      request.partItems = variant.size
      if case .pages = form { request.isSession = true }
    }
    guard form == .whole else {
      return try differenceInSteps(form, engine, request, before, store)
    }
    engine.tuning.partItems = variant.size
    if case .cancelledSync(let count) = step.kind {
      try cancel(engine, after: count, store)
      return try OracleGraph(store).lines(since: before) == before.lines(since: before)
        ? nil : "a cancelled sync left traces"
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
    let comparison = Comparison(before: before, expected: expected, after: after)
    // A value that one part changed and another changed back was changed.
    guard variant.size == nil else { return comparison.difference }
    return comparison.difference ?? comparison.difference(report, changes)
  }

  // MARK: - Several transactions

  /// The first difference after a sync that takes several transactions: only the graph can be
  /// compared.
  private func differenceInSteps(
    _ form: OracleVariant.Form, _ engine: SyncRequest, _ request: OracleRequest,
    _ before: OracleGraph, _ store: Store
  ) throws -> String? {
    let expected = Oracle.reconcile(before, request)
    do {
      if case .pages(let isKept) = form {
        try runPages(engine, request, isKept: isKept, store)
      } else {
        try runBatches(engine, areStopped: form != .batches(areStopped: false), store)
      }
    } catch {
      return expected == nil ? nil : "the engine threw \(error)"
    }
    guard let expected else { return "the engine did not refuse the sync" }
    let after = try OracleGraph(store)
    if let first = after.inconsistencies.first { return "inconsistent: \(first)" }
    return Comparison(before: before, expected: expected, after: after).difference
  }

  private func runPages(
    _ engine: SyncRequest, _ request: OracleRequest, isKept: Bool, _ store: Store
  ) throws {
    var state = SessionState(entity: request.entity, name: isKept ? "oracle" : nil)
    let size = max(variant.size ?? 1, 1)
    for start in stride(from: 0, to: max(request.items.count, 1), by: size) {
      if isKept {
        state = SessionState(entity: request.entity, name: "oracle")
      }
      var page = engine
      page.payload = .json(
        .array(Array(request.items[start..<min(start + size, request.items.count)])))
      do {
        _ = try PagesRun(
          [page], of: state, ends: false, lists: { [page] }, store: store, control: SyncControl()
        ).run()
      } catch {
        try store.write { try state.forget(in: $0) }
        throw error
      }
    }
    _ = try SyncBench(store: store).end(state, engine)
  }

  /// Runs a sync that commits per batch; one that is stopped is stopped after each batch it gets
  /// done.
  private func runBatches(_ engine: SyncRequest, areStopped: Bool, _ store: Store) throws {
    var engine = engine
    engine.setup.transaction = .perBatch(variant.size ?? 1)
    for checkpoints in stride(from: 6, to: areStopped ? 60 : 0, by: 9) {
      do {
        _ = try SyncRun(engine, store: store, control: .cancelled(after: checkpoints)).run()
        return
      } catch is CancellationError {
      }
    }
    _ = try SyncRun(engine, store: store, control: SyncControl()).run()
  }

  /// Runs a sync that is cancelled, the last checkpoint being the one before the commit.
  private func cancel(_ request: SyncRequest, after count: Int, _ store: Store) throws {
    var request = request
    // One that is over before it would be cancelled stores nothing either.
    request.setup.isDryRun = try !isLonger(request, than: count, store)
    do {
      _ = try SyncRun(request, store: store, control: .cancelled(after: count)).run()
    } catch is CancellationError {
    } catch is SyncError {
    }
  }

  /// Whether a sync passes more checkpoints than so many.
  private func isLonger(_ request: SyncRequest, than count: Int, _ store: Store) throws -> Bool {
    var request = request
    request.setup.isDryRun = true
    let passed = Locked(0)
    let control = SyncControl { _ in passed.withLock { $0 += 1 } }
    do {
      _ = try SyncRun(request, store: store, control: control).run()
    } catch is SyncError {
    }
    return passed.withLock { $0 } > count
  }

  private struct Comparison {
    let before: OracleGraph
    let expected: OracleGraph
    let after: OracleGraph

    /// How the graphs differ.
    var difference: String? {
      let (wanted, got) = (expected.lines(since: before), after.lines(since: before))
      guard wanted != got else { return nil }
      let missing = wanted.filter { !got.contains($0) }
      let extra = got.filter { !wanted.contains($0) }
      return "\n  before \(before.lines(since: before))\n  oracle \(missing)\n  engine \(extra)"
    }

    /// How the report and the change set differ from the changes.
    func difference(_ report: SyncReport, _ changes: ChangeSet) -> String? {
      let exact = after.changes(since: before)
      let recorded = OracleChanges(changes)
      if exact != recorded { return "changed \(exact)\n  recorded \(recorded)" }
      let counts = report.entities.mapValues { [$0.inserted, $0.updated, $0.deleted] }
        .filter { $0.value != [0, 0, 0] }
      if counts != exact.counts {
        return "counts \(exact.counts)\n  reported \(counts)"
      }
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
