import Foundation
import SyncCore
import SyncStore

/// Keeps items that are left out in the store, in the transaction of the sync, and forgets those
/// whose object came with it.
final class Quarantining {
  private let request: SyncRequest
  private let transaction: StoreTransaction
  private let report: ReportBuilder

  init(_ request: SyncRequest, _ transaction: StoreTransaction, _ report: ReportBuilder) {
    self.request = request
    self.transaction = transaction
    self.report = report
  }

  /// Keeps an item when the policy says so.
  func keep(_ item: RejectedItem) throws {
    guard request.itemPolicy == .quarantine else { return }
    report[item.entity].quarantined += 1
    try transaction.quarantine(
      QuarantinedRow(
        entity: item.entity.name, key: item.key, json: Data(item.json),
        code: item.reason.code.rawValue, reason: item.reason.message, path: item.path,
        date: transaction.now,
        parent: request.setup.parent.map {
          .init(entity: $0.entity.name, row: $0.row, relationship: request.setup.parentRelationship)
        }))
  }

  /// Forgets the items whose object a part of the payload describes well: they are out of date.
  func forgetSuperseded(by matches: Matches) throws {
    let root = matches.rootBatch
    guard try transaction.hasQuarantine, root.keySlot >= 0, matches.part.items.usable > 0 else {
      return
    }
    let arena = CellArena()
    let family = [root] + root.subentityBatches(among: matches.batches)
    var superseded: [Int64] = []
    for item in try transaction.quarantinedKeys(of: root.entity.name)
    where item.parentRow == request.setup.parent?.row {
      let isDone = family.contains { isStored($0.index.find(arena.cell(item.key)), in: $0) }
      if isDone { superseded.append(item.id) }
    }
    try transaction.removeQuarantined(superseded)
  }

  /// Whether an item of a key, the first of which is given, takes part.
  private func isStored(_ head: Int32, in batch: MatchedBatch) -> Bool {
    var candidate = head
    while candidate >= 0 {
      let match = batch.matches[candidate]
      if match.traits.contains(.root),
        batch.matches[batch.representative(candidate)].flags.contains(.active)
      {
        return true
      }
      candidate = match.next
    }
    return false
  }
}
