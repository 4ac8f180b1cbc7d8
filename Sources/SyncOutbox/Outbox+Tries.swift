import Foundation
import SyncCore
import SyncStore

/// The record of changes that had no answer.
extension Outbox {
  /// Keeps how often a change was tried in vain, and until when the server wants to be left alone.
  func keepTries(_ delivery: OutboxDelivery) async throws {
    let change = delivery.shipment.change
    try await withStore { [self] store in
      _ = try store.write(info) { transaction in
        guard let before = try transaction.outboxEntry(change.objectID, in: name),
          before.sent?.idempotencyKey == change.idempotencyKey
        else { return }
        var entry = before
        entry.tries += Int64(delivery.attempts)
        entry.earliest = nil
        if case .later(let seconds, _) = delivery.outcome {
          let time = Date().timeIntervalSince1970 + min(seconds, 366 * 86_400)
          entry.earliest = Int64(time * 1000)
        }
        try transaction.setOutboxEntry(entry, before: before, in: name)
      }
    }
  }

  /// Leaves changes alone for a while that had no answer in this run nor in one before, though the
  /// server answered others: a minute, and twice as long each time, up to an hour.
  func isolate(_ deliveries: [OutboxDelivery]) async throws {
    guard !deliveries.isEmpty else { return }
    try await withStore { [self] store in
      _ = try store.write(info) { transaction in
        for delivery in deliveries {
          let change = delivery.shipment.change
          guard let before = try transaction.outboxEntry(change.objectID, in: name),
            before.sent?.idempotencyKey == change.idempotencyKey,
            before.tries > delivery.attempts
          else { continue }
          let runs = Double(before.tries) / Double(delivery.attempts)
          let pause = min(60 * pow(2, runs - 2), 3600)
          let time = Int64((Date().timeIntervalSince1970 + max(pause, 60)) * 1000)
          try transaction.change(before, in: name) { $0.earliest = max($0.earliest ?? time, time) }
        }
      }
    }
  }

  /// Has changes wait again that were made ready and not handed over.
  func takeBack(_ shipments: [OutboxShipment]) async throws {
    let keys = shipments.filter { !$0.isRepeated }.map(\.change.idempotencyKey)
    guard !keys.isEmpty else { return }
    try await withStore { [self] store in
      _ = try store.write(info) { transaction in
        for key in keys {
          for before in try transaction.outboxEntries(sentAs: key, in: name) {
            try transaction.change(before, in: name) { $0.takeBack() }
          }
        }
      }
    }
  }
}
