import SyncStack
import TestSupport

/// A random sequence of syncs whose items mostly came before, with other writes to the store in
/// between, run twice: with fingerprints and without.
struct FingerprintSequence {
  enum Step: CustomStringConvertible {
    case sync(OracleStep)
    /// Several lists in one sync.
    case lists([OracleStep])
    case dryRun(OracleStep)
    /// A sync that is cancelled after so many steps.
    case cancelled(OracleStep, Int)
    case edit(Edit)
    /// Edits that are to be sent.
    case unsent(UInt64)
    /// All edits up to now were sent.
    case acknowledge

    var description: String {
      switch self {
      case .sync(let step): "sync \(step)"
      case .lists(let steps): "lists \(steps)"
      case .dryRun(let step): "dry run \(step)"
      case .cancelled(let step, let count): "cancelled after \(count) \(step)"
      case .edit(let edit): "edit \(edit)"
      case .unsent(let seed): "unsent edits \(seed)"
      case .acknowledge: "acknowledge"
      }
    }
  }

  /// A write of another program.
  struct Edit {
    enum Kind: String, CaseIterable {
      case update
      case rekey
      case delete
      case insert
      case unlink
      case rename
    }

    let kind: Kind
    let entity: String
    /// Which object, in the order of the rows.
    let position: Int
    let number: Int64
  }

  /// In how many transactions a sync runs: one, a session with pages of so many items, or batches.
  enum Form: Sendable {
    case whole
    case pages(of: Int)
    case batches(of: Int)

    var isWhole: Bool { if case .whole = self { true } else { false } }
  }

  let model: ManagedObjectModel
  var form = Form.whole
  /// Whether the sync with fingerprints scans no table for keys, as if all of them were large.
  var looksKeysUp = false
  /// Whether there are edits that wait to be sent.
  var tracksEdits = false
  /// Items of the parts in which payloads are worked off, by turns; nil is as a whole.
  var partItems: [Int?] = [nil]
  /// Whether the payloads come as several lists of one sync, mostly.
  var hasLists = false

  /// Steps that repeat items of a few payloads.
  func steps(
    _ payloads: inout OraclePayloads, of entities: [String], length: Int
  ) throws -> [Step] {
    let pool = try payloads.sequence(of: entities, length: 3)
    var current = pool
    return (0..<length).map { _ in
      if tracksEdits, payloads.generator.chance(25) {
        return payloads.generator.chance(25)
          ? .acknowledge : .unsent(UInt64.random(in: 0...9_999, using: &payloads.generator))
      }
      if payloads.generator.chance(25) {
        return .edit(
          Edit(
            kind: payloads.generator.pick(Edit.Kind.allCases),
            entity: payloads.generator.pick(model.entities.map(\.name)),
            position: Int.random(in: 0..<6, using: &payloads.generator),
            number: Int64.random(in: 1...4, using: &payloads.generator)))
      }
      let index = Int.random(in: 0..<pool.count, using: &payloads.generator)
      current[index] = changed(current[index], pool, &payloads.generator)
      if payloads.generator.chance(8) { return .dryRun(current[index]) }
      // Pages and batches that were committed before a cancel stay.
      if form.isWhole, payloads.generator.chance(8) {
        return .cancelled(current[index], Int.random(in: 0..<12, using: &payloads.generator))
      }
      if hasLists, payloads.generator.chance(80) {
        let lists = current.filter { $0.scope != .parent }
        if !lists.isEmpty { return .lists(lists) }
      }
      return .sync(current[index])
    }
  }

  /// The same payload, now and then with another item, one less, one twice, or other options.
  private func changed(
    _ step: OracleStep, _ pool: [OracleStep], _ generator: inout SeededGenerator
  ) -> OracleStep {
    var step = step
    switch Int.random(in: 0..<10, using: &generator) {
    case 0 where !step.items.isEmpty:
      step.items.remove(at: Int.random(in: 0..<step.items.count, using: &generator))
    case 1:
      let others = pool.filter { $0.entity == step.entity }.flatMap(\.items)
      if !others.isEmpty { step.items.append(generator.pick(others)) }
    case 2 where !step.items.isEmpty:
      let index = Int.random(in: 0..<step.items.count, using: &generator)
      if var item = step.items[index].objectValue {
        item["name"] = generator.pick(["a", "b", "c", .null])
        step.items[index] = .object(item)
      }
    case 3:
      step.items.shuffle(using: &generator)
    case 4 where generator.chance(30):
      step.operations = generator.pick([
        .all, [.insert, .update], .all.subtracting(.delete), .all.subtracting(.deleteRelationships),
      ])
    default:
      break
    }
    return step
  }

  // MARK: - Running

  /// The first difference, in words; nil when there is none. Counts the items that were passed
  /// over.
  func difference(_ steps: [Step]) throws -> String? {
    let stacks = try (0..<2).map { _ in
      try DataStack(model: model, store: .inMemory, tracksChanges: tracksEdits)
    }
    defer { for stack in stacks { try? stack.close() } }
    for (position, step) in steps.enumerated() {
      if let difference = try difference(step, stacks) {
        return "Step \(position + 1): \(difference)"
      }
    }
    return nil
  }

  private func difference(_ step: Step, _ stacks: [DataStack]) throws -> String? {
    let (on, off) = try (stacks[0].store, stacks[1].store)
    var outcomes: [String] = []
    switch step {
    case .sync(let sync):
      outcomes = try [run([sync], on, true), run([sync], off, false)]
    case .lists(let lists):
      outcomes = try [run(lists, on, true), run(lists, off, false)]
    case .dryRun(let sync):
      outcomes = try [
        run([sync], on, true, isDryRun: true), run([sync], off, false, isDryRun: true),
      ]
    case .cancelled(let sync, let count):
      let before = try OracleGraph(on).lines(since: OracleGraph())
      // One that ends before it is cancelled is done to both.
      outcomes = try [run([sync], on, true, cancelledAfter: count)]
      if outcomes[0] != "cancelled" {
        return outcomes[0] == (try run([sync], off, false)) ? nil : "a late cancel"
      }
      if try OracleGraph(on).lines(since: OracleGraph()) != before { return "a cancel left traces" }
    case .edit(let edit):
      outcomes = try [apply(edit, to: on), apply(edit, to: off)]
    case .unsent(let seed):
      for stack in stacks {
        let context = stack.newBackgroundContext()
        try context.performAndWait {
          var edits = RandomEdits(context: context, generator: SeededGenerator(seed: seed))
          try edits.run()
        }
      }
    case .acknowledge:
      for stack in stacks {
        try stack.acknowledge(through: stack.latestHistoryToken(), for: "server")
      }
    }
    if tracksEdits {
      let pending = try stacks.map { "\(try $0.pendingChanges(for: "server").changes)" }
      for (number, text) in pending.enumerated() where number < outcomes.count {
        outcomes[number] += "\n    \(text)"
      }
    }
    if Set(outcomes).count > 1 {
      return "\n  with    \(outcomes[0])\n  without \(outcomes[1])"
    }
    let graphs = try [on, off].map { try OracleGraph($0).lines(since: OracleGraph()) }
    return graphs[0] == graphs[1] ? nil : "\n  with    \(graphs[0])\n  without \(graphs[1])"
  }

  /// - Returns: Nil when the parent of the step is not there.
  private func request(
    _ step: OracleStep, _ store: Store, _ usesFingerprints: Bool, isDryRun: Bool
  ) throws -> SyncRequest? {
    let entity = try model.requireEntity(named: step.entity)
    let plan = MappingPlanCompiler.compile(
      entity, MappingEnvironment(transformers: TransformerRegistry()))
    var request = SyncRequest(plan: plan, payload: .json(.array(step.items)))
    request.settings.operations = step.operations
    request.setup.usesFingerprints = usesFingerprints
    request.tuning.partItems = partItems[step.items.count % partItems.count]
    if looksKeysUp, usesFingerprints { request.tuning.scannedRowsPerKey = 0 }
    request.setup.isDryRun = isDryRun
    switch step.scope {
    case .entity: break
    case .filter: request.settings.filter = Filter(#"name == "a""#)
    case .parent:
      let graph = try OracleGraph(store)
      guard let path = step.parent?.split(separator: "."), path.count == 2 else { return nil }
      let owner = try model.requireEntity(named: String(path[0]))
      guard let id = graph.all(owner).first else { return nil }
      request.setup.parent = ManagedObjectID(entity: graph[id].entity, row: id.row)
      request.setup.parentRelationship = String(path[1])
    }
    return request
  }

  /// Everything that a sync says, as text.
  private func run(
    _ steps: [OracleStep], _ store: Store, _ usesFingerprints: Bool, isDryRun: Bool = false,
    cancelledAfter limit: Int? = nil
  ) throws -> String {
    var requests = try steps.compactMap {
      try request($0, store, usesFingerprints, isDryRun: isDryRun)
    }
    guard let first = requests.first else { return "" }
    let control = SyncControl()
    let passed = Locked(0)
    control.observe { [unowned control] _ in
      let count = passed.withLock { count in
        count += 1
        return count
      }
      if let limit, count > limit { control.cancel() }
    }
    do {
      for list in requests.indices where requests.count > 1 {
        requests[list].place = PlaceOfPage(list: list)
      }
      switch form {
      case .pages(let size) where first.setup.parent == nil && !isDryRun:
        return try runPages(of: size, requests, steps, store)
      case .batches(let size) where requests.count == 1:
        requests[0].setup.transaction = .perBatch(size)
      default: break
      }
      let (report, changes) =
        requests.count > 1
        ? try PagesRun(
          requests, ends: true, lists: { [requests] in requests }, store: store, control: control
        ).run() : try SyncRun(requests[0], store: store, control: control).run()
      return describe(report, changes)
    } catch is CancellationError {
      return "cancelled"
    } catch {
      return "\(error)"
    }
  }

  /// A session whose lists have pages of so many items, each list after the other.
  private func runPages(
    of size: Int, _ lists: [SyncRequest], _ steps: [OracleStep], _ store: Store
  ) throws -> String {
    let session = SessionState(
      lists.enumerated().map { .init(name: "\($0)", entity: $1.plan.rootNode.entity) }, of: model,
      name: nil)
    var requests = lists
    for list in requests.indices {
      requests[list].place = PlaceOfPage(list: list)
      requests[list].payload = .json([])
    }
    let knownPages = KnownPages()
    var outcome = ""
    func run(_ pages: [SyncRequest], ends: Bool) throws {
      let (report, changes) = try PagesRun(
        pages, of: session, ends: ends, knownPages: knownPages, lists: { requests }, store: store,
        control: SyncControl()
      ).run()
      outcome += describe(report, changes)
    }
    for (list, step) in steps.enumerated() {
      for start in stride(from: 0, to: max(step.items.count, 1), by: size) {
        var page = requests[list]
        page.payload = .json(
          .array(Array(step.items[start..<min(start + size, step.items.count)])))
        try run([page], ends: false)
      }
    }
    try run([], ends: true)
    return outcome
  }

  private func describe(_ report: SyncReport, _ changes: ChangeSet) -> String {
    let entities = report.entities.sorted { $0.key < $1.key }.map { name, entity in
      "\(name): \(entity.inserted) \(entity.updated) \(entity.deleted) \(entity.unchanged) "
        + "\(entity.skipped) \(entity.updatedProperties.sorted { $0.key < $1.key }) "
        + "\(entity.unusedKeys.sorted { $0.key < $1.key }) \(entity.unfilledAttributes.sorted())"
    }
    let changed = changes.entities.map { changes in
      "\(changes.entity): \(changes.insertedKeys) \(changes.updatedKeys) "
        + "\(changes.updated.map { $0.slots.map { $0 } }) \(changes.deletedKeys)"
    }
    let findings = report.findings.map { "\($0.kind) \($0.path ?? "") \($0.message)" }
    return "\(entities)\n    \(findings) \(report.findingCounts.sorted { $0.key < $1.key })"
      + " \(report.itemCount)\n    \(changed)"
  }

  // MARK: - Edits

  private func apply(_ edit: Edit, to store: Store) throws -> String {
    let entity = try model.requireEntity(named: edit.entity)
    guard !entity.isAbstract else { return "" }
    return try store.write(TransactionInfo(source: .import)) { transaction in
      var rows: [StoredRow] = []
      try transaction.scan(entity, .all) { rows.append(try $0.storedRow()) }
      let arena = CellArena()
      let block = RowBlock(width: entity.properties.count, capacity: 1)
      let index = block.append()
      let key = arena.cell(
        entity.primaryKey?.type == .string ? .string("\(edit.number)") : .int(edit.number))
      if edit.kind == .insert {
        if let slot = entity.primaryKey?.slot { block[index][slot] = key }
        let row = try transaction.reserveRows(1, in: entity)
        try transaction.insert(block, of: entity, indexes: [0], rows: [row])
        return "inserted"
      }
      guard edit.position < rows.count else { return "none" }
      let stored = rows[edit.position]
      switch edit.kind {
      case .delete:
        return "\((try? transaction.delete([stored.row], of: stored.entity))?.count ?? -1) deleted"
      case .rekey:
        guard let slot = stored.entity.primaryKey?.slot else { return "no key" }
        block[index][slot] = key
        try transaction.update(
          block, index: index, row: stored.row, of: stored.entity, slots: [slot])
      case .unlink:
        guard
          let relationship = entity.relationships.first(where: {
            !$0.isToMany && ($0.inverseSlot == nil || $0.isInverseToMany)
          }), !stored.values[relationship.slot].isNull
        else { return "no owner" }
        try transaction.lead(relationship, of: stored.entity, row: stored.row, to: nil)
      case .update, .rename, .insert:
        guard
          let slot = entity.attributes.first(where: { $0.type == .string && $0.name != "id" })?
            .slot
        else { return "no text" }
        block[index][slot] = arena.cell(.string(edit.kind == .update ? "edited" : "a"))
        try transaction.update(
          block, index: index, row: stored.row, of: stored.entity, slots: [slot])
      }
      return withExtendedLifetime(arena) { "changed" }
    }.0
  }

  // MARK: - Minimising

  /// The shortest sequence found that still differs.
  func minimised(_ steps: [Step]) throws -> [Step] {
    var best = steps
    var isShorter = true
    while isShorter {
      isShorter = false
      for candidate in smaller(best) where try difference(candidate) != nil {
        best = candidate
        isShorter = true
        break
      }
    }
    return best
  }

  private func smaller(_ steps: [Step]) -> [[Step]] {
    steps.indices.flatMap { position -> [[Step]] in
      var fewer = steps
      fewer.remove(at: position)
      var result = [fewer]
      if case .lists(let lists) = steps[position] {
        for list in lists.indices {
          var less = lists
          less.remove(at: list)
          if !less.isEmpty { result.append(steps.replacing(position, .lists(less))) }
          for item in lists[list].items.indices {
            less = lists
            less[list].items.remove(at: item)
            result.append(steps.replacing(position, .lists(less)))
          }
        }
      }
      if case .sync(let sync) = steps[position] {
        for item in sync.items.indices {
          var less = sync
          less.items.remove(at: item)
          result.append(steps.replacing(position, .sync(less)))
          guard let object = sync.items[item].objectValue else { continue }
          for member in object where member.key != "id" {
            var plain = object
            plain[member.key] = nil
            less = sync
            less.items[item] = .object(plain)
            result.append(steps.replacing(position, .sync(less)))
          }
        }
      }
      return result
    }
  }
}

extension [FingerprintSequence.Step] {
  fileprivate func replacing(_ position: Int, _ step: Element) -> Self {
    var result = self
    result[position] = step
    return result
  }
}
