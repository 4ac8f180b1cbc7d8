import Foundation
import SyncCore

/// A change with the closure that sends it.
struct OutboxShipment: Sendable {
  let change: OutboxChange
  let destination: OutboxDestination

  /// The objects whose answers may list the object, or list it no more.
  let owners: Set<ManagedObjectID>

  /// Whether it was handed over in an earlier run.
  let isRepeated: Bool
}

/// Changes that go in one request: one, unless the handler takes several.
struct OutboxParcel: Sendable {
  private(set) var shipments: [OutboxShipment]

  /// Takes the next change, the last first, with others of its kind; nil when there is none.
  init?(from ready: inout [OutboxShipment]) {
    guard let first = ready.popLast() else { return nil }
    shipments = [first]
    guard first.destination.limit > 1 else { return }
    var rest: [OutboxShipment] = []
    while let next = ready.popLast() {
      let fits =
        shipments.count < first.destination.limit && next.change.kind == first.change.kind
        && next.destination.entityName == first.destination.entityName
      if fits { shipments.append(next) } else { rest.append(next) }
    }
    ready = rest.reversed()
  }

  /// Hands the changes over until there is an answer to each, with growing pauses.
  ///
  /// - Throws: `CancellationError` when none was answered before; nothing else.
  func deliver(_ retry: RetryPolicy) async throws -> [OutboxDelivery] {
    var deliveries: [OutboxDelivery] = []
    var open = shipments
    var attempt = 1
    while true {
      let answers = try await ask(open, attempt, deliveries.isEmpty)
      guard let answers else { return deliveries }
      var again: [OutboxDelivery] = []
      var asked: TimeInterval?
      for (shipment, answer) in zip(open, answers) {
        func delivery(_ outcome: OutboxDelivery.Outcome) -> OutboxDelivery {
          OutboxDelivery(shipment: shipment, attempts: attempt, outcome: outcome)
        }
        guard case .retry(let after, let why) = answer else {
          deliveries.append(delivery(.answer(answer)))
          continue
        }
        let reason = why ?? "The server asked to come again later."
        if let after, after > retry.longestDelay {
          deliveries.append(delivery(.later(after, reason)))
          continue
        }
        again.append(delivery(.failure(reason)))
        asked = after.map { max($0, asked ?? $0) } ?? asked
      }
      if again.isEmpty { return deliveries }
      guard attempt <= retry.attempts else { return deliveries + again }
      do {
        try await Task.sleep(for: .seconds(asked ?? retry.wait(before: attempt)))
      } catch {
        if deliveries.isEmpty { throw error }
        return deliveries
      }
      open = again.map(\.shipment)
      attempt += 1
    }
  }

  /// The handler's answers to changes: each is to come again when it fails; nil when the task was
  /// cancelled, but not when it has to be thrown.
  private func ask(
    _ shipments: [OutboxShipment], _ attempt: Int, _ throwsCancellation: Bool
  ) async throws -> [OutboxAnswer]? {
    let changes = shipments.map { shipment in
      var change = shipment.change
      change.attempt = attempt
      return change
    }
    do {
      let answers = try await shipments[0].destination.handler(changes)
      if answers.count == changes.count { return answers }
      let reason = "The handler gave \(answers.count) answers to \(changes.count) changes."
      return changes.map { _ in .retry(reason: reason) }
    } catch {
      if Task.isCancelled {
        if throwsCancellation { throw CancellationError() }
        return nil
      }
      let reason = String(describing: error)
      return changes.map { _ in .retry(reason: reason) }
    }
  }
}

/// The outcome of handing a change over.
struct OutboxDelivery: Sendable {
  enum Outcome: Sendable {
    case answer(OutboxAnswer)
    /// There was no answer.
    case failure(String)
    /// The server wants to be left alone for so many seconds.
    case later(TimeInterval, String)
  }

  let shipment: OutboxShipment
  let attempts: Int
  let outcome: Outcome

  /// Why there was no answer.
  var reason: String? {
    switch outcome {
    case .answer: nil
    case .failure(let reason), .later(_, let reason): reason
    }
  }
}
