import SyncStack

/// Syncs that the engine and the oracle do, and a comparison after each.
struct OracleSequence {
  let model: ManagedObjectModel
  let form: SyncForm
  /// Whether the syncs have to have the same outcome as in one piece.
  var comparesWithWhole = false

  /// The first difference, in words; nil when there is none.
  func difference(_ steps: [OracleStep]) throws -> String? {
    let stack = try DataStack(model: model, configuration: .init(.memory))
    defer { try? stack.close() }
    if let difference = try steps.firstDifference({ try difference($0, stack) }) {
      return difference
    }
    return try stack.store.read { try $0.checkConsistency() }.first.map { "a damaged store: \($0)" }
  }

  private func difference(_ step: OracleStep, _ stack: DataStack) throws -> String? {
    let store = try stack.store
    let before = try OracleGraph(store)
    if case .edits(let seed) = step.kind {
      // Keys that several objects have are another test's.
      try RandomEdits.save(in: stack, seed: seed, keysAreFree: true)
      return try OracleGraph(store).inconsistencies.first.map { "inconsistent: \($0)" }
    }
    guard let payload = step.lists.first,
      !payload.scope.isList || payload.parentPlace(in: before) != nil
    else { return nil }
    let form = form.form(of: payload)
    var oracle = Oracle(before, payload, comparesWithWhole ? .whole : form)
    let expected = oracle.reconcile()
    var control = SyncControl()
    if case .cancelled(let count) = step.kind, form.isOneTransaction {
      control = .cancelled(after: count)
    }
    let outcomes: [SyncForm.Outcome]
    do {
      outcomes = try form.run([payload], in: store, control)
    } catch {
      let isUntouched = try OracleGraph(store).lines(since: before) == before.lines(since: before)
      if form.isOneTransaction, !isUntouched { return "a sync that failed left traces: \(error)" }
      return expected == nil || error is CancellationError ? nil : "the engine threw \(error)"
    }
    guard let expected else { return "the engine did not refuse the sync" }
    let after = try OracleGraph(store)
    if let first = after.inconsistencies.first { return "inconsistent: \(first)" }
    let (wanted, got) = (expected.lines(since: before), after.lines(since: before))
    if wanted != got {
      let (missing, extra) = (
        wanted.filter { !got.contains($0) }, got.filter { !wanted.contains($0) }
      )
      return "\n  before \(before.lines(since: before))\n  oracle \(missing)\n  engine \(extra)"
    }
    // A value that one part changed and another changed back was changed.
    guard form == .whole else { return nil }
    return outcomes.lazy.compactMap { difference($0, after.changes(since: before)) }.first
  }

  /// How the change set and the report differ from the changes.
  private func difference(_ outcome: SyncForm.Outcome, _ changes: [String]) -> String? {
    let recorded = outcome.changes.lines
    if changes != recorded { return "changed \(changes)\n  recorded \(recorded)" }
    let counts = Dictionary(grouping: changes) { line in
      line.split(separator: " ").prefix(2).joined(separator: " ")
    }.mapValues(\.count)
    let reported = outcome.report.lineCounts
    return counts == reported ? nil : "counts \(counts)\n  reported \(reported)"
  }
}
