import Foundation
import SyncStack
import TestSupport
import Testing

/// A program that edits, sends and syncs at random, and is ended in the middle now and then: it
/// goes on with the stored file.
final class DialectProgram: Sendable {
  private struct State {
    var stack: DataStack
    var outbox: Outbox
    var expected = DialectGraph()
    var random: SeededGenerator
    var edits = 0
    var run: Task<Void, Never>?
  }

  let dialect: Dialect
  let line: DialectLine
  private let seed: UInt64
  private let folder: TemporaryFolder
  private let state: Locked<State>

  init(seed: UInt64) throws {
    self.seed = seed
    var random = SeededGenerator(seed: seed)
    dialect = Dialect.all[Int(seed % UInt64(Dialect.all.count))]
    line = DialectLine(DialectServer(dialect), SeededGenerator(seed: random.next()))
    folder = try TemporaryFolder()
    let (stack, outbox) = try Self.open(.inMemory, dialect, line)
    outbox.concurrency = random.pick([1, 1, 4])
    outbox.retry = RetryPolicy(attempts: random.pick([0, 1, 2]), delay: 0, longestDelay: 1)
    state = Locked(State(stack: stack, outbox: outbox, random: random))
    line.whileUnderWay { [weak self] in try await self?.interfere() }
  }

  private static func open(
    _ location: DataStack.Location, _ dialect: Dialect, _ line: DialectLine
  ) throws -> (DataStack, Outbox) {
    let model = try ManagedObjectModel(Buyer.self, Mark.self, Deal.self, Item.self)
    let stack = try DataStack(model: model, store: location, tracksChanges: true)
    let outbox = try Outbox(stack, name: "api")
    for entity in dialect.entities {
      outbox.send(with: Conventional(entity), using: dialect.options) { change in
        line.note("  \(change) \(change.kind == .update ? change.changedJSON : change.json)")
        let answer = try await dialect.send(change, to: line)
        line.note("  → \(answer)")
        return answer
      }
    }
    return (stack, outbox)
  }

  var stack: DataStack { state.withLock { $0.stack } }
  var outbox: Outbox { state.withLock { $0.outbox } }
  var expected: DialectGraph { state.withLock { $0.expected } }

  private func draw<T>(_ body: (inout SeededGenerator) -> T) -> T {
    state.withLock { body(&$0.random) }
  }

  // MARK: - Steps

  func step() async throws {
    switch draw({ Int.random(in: 0..<20, using: &$0) }) {
    case 0..<11: try await edit()
    case 11..<15: await send()
    case 15..<17: try await pull()
    case 17: try await note()
    case 18: try retryRefused()
    default: await kill()
    }
  }

  private func edit() async throws {
    let edit = state.withLock { state in
      state.edits += 1
      return DialectEdit("\(seed)-\(state.edits)", using: &state.random)
    }
    try await line.turn.take {
      let (text, expect) = try await stack.performBackgroundTask { [dialect] context in
        try context.updateAndSave { try edit.apply(in: context, dialect) }
      }
      state.withLock { expect(&$0.expected) }
      line.note("edit: \(text)")
    }
  }

  private func send() async {
    line.note("send")
    let run = Task { [outbox] in
      do {
        _ = try await outbox.send()
      } catch {
        self.line.note("send ended: \(error)")
      }
    }
    state.withLock { $0.run = run }
    await run.value
    line.setDead(false)
  }

  /// Takes over the server's objects.
  private func pull() async throws {
    try await line.turn.take {
      line.note("pull")
      for entity in ["Buyer", "Mark", "Deal", "Item", "Buyer"]
      where dialect.entities.contains(entity) {
        let sync = Sync(.json(line.server.list(entity)), inEntityNamed: entity, dataStack: stack)
        sync.deletionGuard = .off
        stack.syncQueue.addOperation(sync)
        _ = try await sync.value
      }
    }
  }

  /// Edits as another client.
  private func note() async throws {
    let deals = line.server.graph.nodes.filter { $0.value.entity == "Deal" }.map(\.key)
    state.withLock { state in
      let known = deals.filter { state.expected.nodes[$0] != nil }.sorted()
      guard !known.isEmpty else { return }
      let label = state.random.pick(known)
      let text = "note \(state.random.next() % 1000)"
      line.change { $0.note(text, of: label) }
      state.expected.nodes[label]?.note = text
      line.note("note of \(label): \(text)")
    }
  }

  private func retryRefused() throws {
    for item in try outbox.refused { try outbox.retry(item) }
  }

  /// Edits or syncs while a request is under way.
  private func interfere() async throws {
    switch draw({ Int.random(in: 0..<8, using: &$0) }) {
    case 0..<4: try await edit()
    case 4, 5: try await pull()
    case 6: try await note()
    default: try await end()
    }
  }

  // MARK: - Kills

  /// Ends in the middle of a send, or between two.
  private func kill() async {
    do {
      try await end()
    } catch {
      line.note("\(error)")
    }
    line.setDead(false)
  }

  /// Goes on with a copy of the file at this moment: later edits here are lost.
  private func end() async throws {
    try await line.turn.take {
      line.note("killed")
      line.setDead(true)
      let file = folder.file("\(UUID().uuidString).sqlite")
      let before = stack
      try before.copyStore(to: file)
      let (stack, outbox) = try Self.open(.sqlite(file), dialect, line)
      state.withLock { state in
        outbox.concurrency = state.outbox.concurrency
        outbox.retry = state.outbox.retry
        (state.stack, state.outbox) = (stack, outbox)
        state.run?.cancel()
      }
    }
    throw DialectLine.Lost()
  }

  // MARK: - Coming to rest

  /// Sends and syncs on a good line until nothing waits.
  ///
  /// - Returns: The faults that are left, a line each.
  func settle() async throws -> [String] {
    line.setFaulty(false)
    line.setDead(false)
    var report = ""
    for _ in 0..<8 {
      // Those that are to be left alone for a minute, too.
      for item in try outbox.pending { try outbox.retry(item) }
      report = try await outbox.send().description
      try await pull()
      if try outbox.pending.isEmpty { break }
    }
    var problems = line.server.violations
    problems += try outbox.pending.map { "waits: \($0)" }
    if try outbox.status.waiting > 0 { problems.append(report) }
    let here = try await stack.performBackgroundTask { try DialectGraph($0) }
    problems += here.differences(from: line.server.graph, ("here", "there"))
    problems += line.server.graph.differences(from: expected, ("there", "expected"))
    problems += try await stack.checkConsistency().problems.map { "\($0)" }
    return problems
  }
}

/// A program at random against servers of all dialects: whatever is lost, refused, in conflict,
/// late, edited and synced meanwhile, and whenever the program is ended, in the end the server has
/// all edits, once, nothing waits, and no request has referred to an object that the server did not
/// know.
///
/// `DIALECT_LOG=1` prints the events of those
/// that fail. The dialect follows from the seed.
@Suite struct DialectTests {
  private static let environment = ProcessInfo.processInfo.environment

  @Test(arguments: Proof.seeds(usual: 0..<16))
  func everythingArrivesOnceWhateverTheApiDoes(seed: UInt64) async throws {
    defer { Proof.tried("programs of edits against an API of one of nine dialects") }
    let program = try DialectProgram(seed: seed)
    for _ in 0..<30 { try await program.step() }
    let problems = try await program.settle()
    guard !problems.isEmpty else { return }
    let log = Self.environment["DIALECT_LOG"] == nil ? [] : program.line.log
    Issue.record("\(seed), \(program.dialect):\n\((problems + log).joined(separator: "\n"))")
  }
}
