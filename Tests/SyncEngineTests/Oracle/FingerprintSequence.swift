import Foundation
import SyncStack
import TestSupport
import Testing

/// A random sequence of syncs whose items mostly came before, with other writes to the store in
/// between, run twice: with fingerprints and without.
struct FingerprintSequence: Sendable {
  /// The forms of the syncs, by turns.
  var forms = [SyncForm.whole]
  /// Whether there are edits that wait to be sent.
  var tracksEdits = false
  /// Whether the payloads come as several lists of one sync, mostly.
  var hasLists = false
  /// Whether the sync with fingerprints scans no table for keys, as if all of them were large.
  var looksKeysUp = false

  // MARK: - Steps

  /// Steps that repeat items of a few payloads.
  func steps(_ payloads: OraclePayloads, of entities: [String], length: Int) throws -> [OracleStep]
  {
    var payloads = payloads
    let pool = try payloads.sequence(of: entities, length: 3)
    var current = pool
    var random = payloads.generator
    return (0..<length).map { _ in
      if tracksEdits, random.chance(25) {
        if random.chance(25) { return OracleStep(kind: .acknowledge) }
        return OracleStep(kind: .edits(seed: UInt64.random(in: 0...9_999, using: &random)))
      }
      if random.chance(25) {
        let write = ForeignWrite(
          kind: random.pick(ForeignWrite.Kind.allCases),
          entity: random.pick(payloads.model.entities.map(\.name)),
          position: Int.random(in: 0..<6, using: &random),
          number: Int64.random(in: 1...4, using: &random))
        return OracleStep(kind: .write(write))
      }
      let index = Int.random(in: 0..<pool.count, using: &random)
      current[index] = changed(current[index], pool, &random)
      var step = OracleStep(lists: [current[index]])
      let lists = current.filter { !$0.scope.isList }
      if random.chance(8) {
        step.kind = .dryRun
      } else if forms.allSatisfy(\.isOneTransaction), random.chance(8) {
        // Pages and batches that were committed before a cancel stay.
        step.kind = .cancelled(after: Int.random(in: 0..<12, using: &random))
      } else if hasLists, random.chance(80), !lists.isEmpty {
        step.lists = lists
      }
      return step
    }
  }

  /// The same payload, now and then with another item, one less, one twice, or other options.
  private func changed(
    _ payload: OraclePayload, _ pool: [OraclePayload], _ random: inout SeededGenerator
  ) -> OraclePayload {
    var payload = payload
    switch Int.random(in: 0..<10, using: &random) {
    case 0 where !payload.items.isEmpty:
      payload.items.remove(at: Int.random(in: 0..<payload.items.count, using: &random))
    case 1:
      let others = pool.filter { $0.entity == payload.entity }.flatMap(\.items)
      if !others.isEmpty { payload.items.append(random.pick(others)) }
    case 2 where !payload.items.isEmpty:
      let index = Int.random(in: 0..<payload.items.count, using: &random)
      if var item = payload.items[index].objectValue {
        item["name"] = random.pick(["a", "b", "c", .null])
        payload.items[index] = .object(item)
      }
    case 3:
      payload.items.shuffle(using: &random)
    case 4 where random.chance(30):
      payload.operations = random.pick([
        .all, [.insert, .update], .all.subtracting(.delete), .all.subtracting(.deleteRelationships),
      ])
    default:
      break
    }
    return payload
  }

  // MARK: - Running

  /// The first difference, in words; nil when there is none.
  func difference(_ steps: [OracleStep], _ model: ManagedObjectModel) throws -> String? {
    let stacks = try (0..<2).map { _ in
      try DataStack(model: model, store: .inMemory, tracksChanges: tracksEdits)
    }
    defer { for stack in stacks { try? stack.close() } }
    return try steps.firstDifference { try difference($0, stacks) }
  }

  private func difference(_ step: OracleStep, _ stacks: [DataStack]) throws -> String? {
    var outcomes: [[String]] = []
    for stack in stacks {
      let before = try OracleGraph(stack.store).lines(since: OracleGraph())
      var outcome: [String] = []
      do {
        outcome = try run(step, stack, isFirst: outcomes.isEmpty)
      } catch is CancellationError {
        let after = try OracleGraph(stack.store).lines(since: OracleGraph())
        return after == before ? nil : "a cancel left traces"
      } catch {
        outcome = ["\(error)"]
      }
      if tracksEdits { outcome.append("\(try stack.pendingChanges(for: "server").changes)") }
      outcomes.append(outcome + (try OracleGraph(stack.store).lines(since: OracleGraph())))
    }
    guard outcomes[0] != outcomes[1] else { return nil }
    let texts = outcomes.map { $0.joined(separator: "\n    ") }
    return "\n  with\n    \(texts[0])\n  without\n    \(texts[1])"
  }

  /// Takes a step in one of the stacks; the first one has fingerprints and is the one to be
  /// cancelled.
  ///
  /// - Returns: Everything that a sync says.
  private func run(_ step: OracleStep, _ stack: DataStack, isFirst: Bool) throws -> [String] {
    let store = try stack.store
    var control = SyncControl()
    var isDryRun = false
    switch step.kind {
    case .sync: break
    case .dryRun: isDryRun = true
    case .cancelled(let count): if isFirst { control = .cancelled(after: count) }
    case .edits(let seed): try RandomEdits.save(in: stack, seed: seed)
    case .write(let write): try write.apply(to: store)
    case .acknowledge: try stack.acknowledge(through: stack.latestHistoryToken(), for: "server")
    }
    guard let items = step.lists.first?.items else { return [] }
    let form = forms[items.count % forms.count]
    return try form.run(step.lists, in: store, control) {
      $0.setup.usesFingerprints = isFirst
      $0.setup.isDryRun = isDryRun
      if looksKeysUp, isFirst { $0.tuning.scannedRowsPerKey = 0 }
    }.flatMap { try describe($0.report, $0.changes) }
  }

  private func describe(_ report: SyncReport, _ changes: ChangeSet) throws -> [String] {
    var report = report
    report.phaseDurations = [:]
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let text = String(decoding: try encoder.encode(report), as: UTF8.self)
    return [text]
      + changes.entities.map { changes in
        "\(changes.entity): \(changes.insertedKeys) \(changes.updatedKeys) "
          + "\(changes.updated.map { Array($0.slots) }) \(changes.deletedKeys)"
      }
  }
}
