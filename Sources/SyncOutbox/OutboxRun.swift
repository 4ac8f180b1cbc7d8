import Foundation
import SyncCore
import SyncEngine
import SyncGraph
import SyncStore

/// One run of an outbox: reads the waiting changes, keeps so many changes on their way at once, and
/// takes in their answers.
///
/// ```
/// drain ─▶ schedule ─▶ prepare: a transaction for several ─▶ handlers, side by side ─▶ answers: a transaction for those
///              ▲                                                                        │        that came meanwhile
///              └────────────── more to send, and changes that waited ──────────────────┘
/// ```
///
/// The store works while requests are under way: the next changes are made ready before they are
/// due, and answers that come while others are written wait for the next transaction together. A
/// change is on its way until its answer is written, so no more than that many are sent again when
/// the program ends here.
final class OutboxRun {
  /// The result of a task of the run.
  private enum Event: Sendable {
    case prepared([(ManagedObjectID, OutboxPreparing.Outcome)])
    case delivered([OutboxDelivery])
    case applied([Answered], [OutboxApplied])
  }

  private let outbox: Outbox
  private let progress: Progress
  private let settings: Outbox.Settings
  private var destinations: OutboxPreparing
  private var schedule: OutboxSchedule
  private var ready: [OutboxShipment] = []
  private var isPreparing = false
  private var underWay = 0
  private var objectsUnderWay: Set<ManagedObjectID> = []
  private var answered: [Answered] = []

  /// How many answers are being written.
  private var applying = 0
  private var report = OutboxReport()

  /// How often a change was given up in a row, without an answer to another one.
  private var failures = 0

  /// The deliveries that were given up, and the objects that were answered.
  private var failed: [OutboxDelivery] = []
  private var answeredObjects: Set<ManagedObjectID> = []

  /// How often an object was in conflict.
  private var conflicts: [ManagedObjectID: Int] = [:]

  init(_ outbox: Outbox, _ progress: Progress) throws {
    self.outbox = outbox
    self.progress = progress
    settings = outbox.settings.withLock { $0 }
    destinations = try OutboxPreparing(outbox, settings.destinations)
    schedule = OutboxSchedule(outbox.stack.model)
    largestParcel = settings.destinations.map(\.limit).max() ?? 1
  }

  /// Changes that are made ready in one transaction, and those that go in one request.
  private static let portion = 32
  private let largestParcel: Int

  func run() async throws -> OutboxReport {
    let begun = try await outbox.withStore { [outbox, destinations] store in
      try store.write(outbox.info) { transaction in
        let scopes = try OutboxScopes(outbox.stack)
        try scopes.drain(outbox.name, in: transaction)
        try scopes.forgetOthers(in: transaction)
        try outbox.forgetUnsendable(in: transaction)
        var destinations = destinations
        let entries = try destinations.load(in: transaction)
        return (entries, destinations)
      }.0
    }
    destinations = begun.1
    schedule.add(begun.0)
    progress.totalUnitCount = Int64(schedule.count)
    try await withThrowingTaskGroup(of: Event.self) { group in
      do {
        while true {
          deliver(in: &group)
          prepare(in: &group)
          apply(in: &group)
          guard let event = try await group.next() else { break }
          try await take(event)
          try Task.checkCancellation()
          outbox.tell()
        }
      } catch {
        // A change that the server has answered, or answers before its handler is cancelled, is not
        // to be asked again.
        group.cancelAll()
        while let result = await group.nextResult() {
          switch try? result.get() {
          case .delivered(let deliveries)?:
            for delivery in deliveries {
              guard case .answer(let answer) = delivery.outcome else { continue }
              answered.append(Answered(delivery.shipment, answer))
            }
          case .prepared(let outcomes)?:
            ready += outcomes.compactMap {
              if case .ready(let shipment) = $0.1 { shipment } else { nil }
            }
          case .applied?, nil: break
          }
        }
        let due = answered.takeDue(beside: [])
        _ = try? await outbox.apply(due + answered, settings)
        try? await outbox.takeBack(ready)
        throw error
      }
    }
    try await outbox.takeBack(ready)
    try await outbox.isolate(
      failed.filter { delivery in
        answeredObjects.contains { $0 != delivery.shipment.change.objectID }
      })
    try await noteWaiting()
    return report
  }

  // MARK: - Beginning

  /// Hands changes over that are ready.
  private func deliver(in group: inout ThrowingTaskGroup<Event, any Error>) {
    while underWay + answered.count + applying < settings.concurrency, report.stopReason == nil,
      let parcel = OutboxParcel(from: &ready)
    {
      underWay += 1
      for shipment in parcel.shipments {
        objectsUnderWay.insert(shipment.change.objectID)
        report.entities[shipment.change.entity, default: .init()].sent += 1
      }
      group.addTask { [retry = settings.retry] in
        .delivered(try await parcel.deliver(retry))
      }
    }
  }

  /// Has the next changes made ready when they will soon be due.
  private func prepare(in group: inout ThrowingTaskGroup<Event, any Error>) {
    let wanted = max(settings.concurrency, largestParcel)
    guard !isPreparing, report.stopReason == nil, ready.count < wanted else { return }
    // Nothing is under way that others wait for.
    let isIdle = underWay == 0 && ready.isEmpty && answered.isEmpty && applying == 0
    let portion = max(OutboxRun.portion, largestParcel)
    var ids: [ManagedObjectID] = []
    repeat {
      while ids.count < portion, let id = schedule.next() { ids.append(id) }
    } while ids.isEmpty && isIdle && schedule.cut()
    guard !ids.isEmpty else { return }
    isPreparing = true
    group.addTask { [outbox, destinations, schedule, ids] in
      .prepared(
        try await outbox.withStore { store in
          try store.write(outbox.info) { transaction in
            try destinations.prepare(ids, schedule, in: transaction)
          }.0
        })
    }
  }

  /// Has the answers that have come written, all together.
  private func apply(in group: inout ThrowingTaskGroup<Event, any Error>) {
    guard applying == 0 else { return }
    let due = answered.takeDue(beside: objectsUnderWay)
    guard !due.isEmpty else { return }
    applying = due.count
    group.addTask { [outbox, settings] in
      .applied(due, try await outbox.apply(due, settings))
    }
  }

  // MARK: - Ending

  private func take(_ event: Event) async throws {
    switch event {
    case .prepared(let outcomes):
      isPreparing = false
      for (id, outcome) in outcomes { take(outcome, of: id) }
    case .delivered(let deliveries):
      underWay -= 1
      // A request is one failure, whatever was in it.
      let isHeard = deliveries.contains { $0.reason == nil }
      failures = isHeard ? 0 : failures + 1
      for delivery in deliveries {
        objectsUnderWay.remove(delivery.shipment.change.objectID)
        try await take(delivery)
      }
    case .applied(let answered, let results):
      applying = 0
      for (one, applied) in zip(answered, results) { take(applied, one.change) }
    }
  }

  private func take(_ outcome: OutboxPreparing.Outcome, of id: ManagedObjectID) {
    switch outcome {
    case .ready(let shipment): ready.insert(shipment, at: 0)
    case .nothing: finish(id, isHeld: false)
    case .held: finish(id, isHeld: true)
    case .refused(let reason, let change): refuse(change, reason)
    case .after(let wait):
      let other = wait.other
      // It is on its way, or can still be sent in this run.
      let isComing =
        schedule.contains(other.id)
        || destinations.mayBeSent(other) && !schedule.isHeld(other.id)
      guard isComing else { return finish(id, isHeld: true) }
      schedule.addFirst(other.id)
      schedule.park(id, wait)
    }
  }

  private func take(_ delivery: OutboxDelivery) async throws {
    let change = delivery.shipment.change
    report.entities[change.entity, default: .init()].sent += delivery.attempts - 1
    guard case .answer(let answer) = delivery.outcome else {
      if failures >= settings.concurrency { report.stopReason = delivery.reason }
      failed.append(delivery)
      try await outbox.keepTries(delivery)
      return finish(change.objectID, isHeld: true)
    }
    answeredObjects.insert(change.objectID)
    if case .conflict = answer { conflicts[change.objectID, default: 0] += 1 }
    // An edit on top of the server's version is another change, not another try, so it may go once
    // at least.
    let isTooOften = conflicts[change.objectID, default: 0] > max(settings.retry.attempts, 1)
    answered.append(
      Answered(
        delivery.shipment,
        isTooOften ? .refused("It is in conflict again and again.") : answer))
  }

  private func take(_ applied: OutboxApplied, _ change: OutboxChange) {
    for remark in applied.remarks where !report.unusedAnswers.contains(remark) {
      report.unusedAnswers.append(remark)
    }
    if applied.isJoined {
      report.entities[change.entity, default: .init()].joined.append(change.objectID)
    }
    if !applied.outcome.isAccepted, !applied.carried.isEmpty { destinations.reloadCargo() }
    for id in applied.carried {
      switch applied.outcome {
      case .accepted: report.entities[id.entity.name, default: .init()].accepted.append(id)
      case .refused: report.entities[id.entity.name, default: .init()].refused.append(id)
      case .again: break
      }
    }
    switch applied.outcome {
    case .accepted:
      report.entities[change.entity, default: .init()].accepted.append(change.objectID)
      outbox.announce(change, key: applied.key)
      finish(change.objectID, isHeld: false)
    case .refused(let reason): refuse(change, reason)
    case .again: finish(change.objectID, isHeld: false)
    }
    if let more = applied.more { schedule.addFirst(more.id) }
  }

  private func refuse(_ change: OutboxChange, _ reason: String) {
    report.entities[change.entity, default: .init()].refused.append(change.objectID)
    outbox.announce(change, reason: reason)
    // An object that the server does not have refers to nothing there.
    finish(change.objectID, isHeld: reason != OutboxStep.goneReason)
  }

  private func finish(_ id: ManagedObjectID, isHeld: Bool) {
    schedule.finish(id, isHeld: isHeld)
    progress.completedUnitCount = max(progress.totalUnitCount - Int64(schedule.count), 0)
  }

  /// Lists the changes that are left.
  private func noteWaiting() async throws {
    let items = try await outbox.withStore { [outbox] store in
      try store.write(outbox.info) { transaction in
        try OutboxScopes(outbox.stack).drain(outbox.name, in: transaction)
        try outbox.forgetUnsendable(in: transaction)
        return try outbox.items(transaction.pendingEntries(of: outbox.name), transaction)
      }.0
    }
    for item in items {
      if case .refused = item.state { continue }
      report.entities[item.entity, default: .init()].waiting.append(item.objectID)
      if item.nextTry != nil { report.postponed.append(item) }
      if item.obstacle != nil { report.unhandled.insert(item.entity) }
    }
  }
}
