import Foundation
import SyncStack
import TestSupport

/// Classes for the social model, for tests of typed results.
final class User: ManagedObject {
  @PrimaryKey var id: Int64
  @Attribute var name: String?
  @Attribute var age: Int32?
}

/// Calls of a stack that several suites use.
extension DataStack {
  /// A stack over the social model.
  static func social(_ kind: StoreKind = .memory) throws -> DataStack {
    try DataStack(model: TestModels.social(), configuration: .init(.memory))
  }

  /// Keys of the stored objects of an entity, in the order of insertion.
  func keys(_ entity: String, _ filter: Filter? = nil) throws -> [Int64] {
    let entity = try model.requireEntity(named: entity)
    let slot = entity.primaryKey?.slot ?? 0
    var keys: [Int64] = []
    try store.read { reader in
      try reader.scan(entity, filter.map { .filter($0) } ?? .all) { cursor in
        keys.append(cursor.integer(slot) ?? -1)
      }
    }
    return keys
  }

  /// Values of an attribute, in the order of insertion.
  func values(_ entity: String, _ attribute: String) throws -> [Value] {
    let entity = try model.requireEntity(named: entity)
    let slot = entity.property(named: attribute)?.slot ?? 0
    var values: [Value] = []
    try store.read { reader in
      try reader.scan(entity, .all) { values.append($0.value(slot)) }
    }
    return values
  }
}

/// A list of objects that have nothing but a key.
func items(_ keys: some Sequence<Int>) -> JSONValue {
  .array(keys.map { ["id": .integer(Int64($0))] })
}

/// A list that threads may add to.
final class Log<Element: Sendable>: Sendable {
  private let state = Locked<[Element]>([])

  var all: [Element] { state.withLock { $0 } }

  func append(_ element: Element) {
    state.withLock { $0.append(element) }
  }
}

/// Keeps syncs of a stack waiting, as a long one would, until it is opened or let go of.
final class ClosedGate: Sendable {
  private let gate: WriteGate
  private let ticket: WriteGate.Ticket
  private let waitingRoom: WaitingRoom
  private let seat: WaitingRoom.Seat

  init(_ stack: DataStack) throws {
    waitingRoom = try stack.store.waitingRoom
    seat = waitingRoom.enter(priority: .min) { _ in }
    gate = try stack.store.gate
    ticket = gate.ticket(priority: .max)
    _ = gate.wait(ticket)
  }

  deinit { open() }

  func open() {
    gate.leave(ticket)
    waitingRoom.leave(seat)
  }

  /// Returns when so many syncs wait at the gate.
  func untilWaiting(_ count: Int) async {
    while gate.waitingCount < count { await Task.yield() }
  }

  /// Returns when so many syncs of the stack wait, at the gate or without a thread.
  func untilAllWait(_ count: Int, _ stack: DataStack) async throws {
    let waitingRoom = try stack.store.waitingRoom
    while gate.waitingCount + waitingRoom.parkedCount < count { await Task.yield() }
  }
}

extension OperationQueue {
  /// Waits until the queue is empty; callable from tests that are asynchronous otherwise.
  func waitUntilFinishedElsewhere() { waitUntilAllOperationsAreFinished() }
}

extension Operation {
  /// Waits until the operation has finished; callable from tests that are asynchronous otherwise.
  func waitUntilFinishedElsewhere() { waitUntilFinished() }
}

/// Waits for a call with a completion, and throws its error.
func completed(_ call: (@escaping @Sendable ((any Error)?) -> Void) -> Void) async throws {
  let error: (any Error)? = await withCheckedContinuation { continuation in
    call { continuation.resume(returning: $0) }
  }
  if let error { throw error }
}
