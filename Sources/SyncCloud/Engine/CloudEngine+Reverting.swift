import Foundation
public import SyncCore
import SyncStore

extension CloudEngine {
  /// Takes the server's copy of an object in the place of what was edited here and not sent, as for an edit that the
  /// server refuses. The values that were not sent are in ``conflicts``.
  ///
  /// - Throws: ``CloudError`` with ``CloudError/Code/notFound`` when the server has no copy: delete the object then;
  ///   and as ``pull()``.
  /// - Complexity: One record is read, where the transport can; see ``CloudTransport/record(_:in:)``.
  public func revert(_ object: ManagedObjectID) async throws {
    let record = try await write { writing in
      try writing.transaction.remoteRecord(of: object.row, object.entity)
    }
    guard let record else {
      throw CloudError(.notFound, message: "\(object) is no object that is synced.")
    }
    try await revert(named: record.name)
  }

  /// Takes the server's copy of what has the problem; an object that was deleted here comes back.
  ///
  /// - Throws: As ``revert(_:)-(ManagedObjectID)``.
  public func revert(_ problem: CloudProblem) async throws {
    try await revert(named: problem.record)
  }

  /// Removes an object here only: it stays on the server and elsewhere, and a pull does not bring it back.
  /// ``replaceLocal()`` does. What leads to the object keeps that on the server. Delete rules do not apply.
  ///
  /// - Throws: ``CloudError`` with ``CloudError/Code/unsent`` when it has edits that were not sent, and
  ///   ``CloudError/Code/notFound`` when it is not synced; `StoreError`.
  public func evict(_ object: ManagedObjectID) async throws {
    try await write { writing in
      let known = try writing.transaction.remoteRecord(of: object.row, object.entity)
      guard var record = known, record.zone == writing.zone.name else {
        throw CloudError(.notFound, message: "\(object) is no object that is synced.")
      }
      guard record.waiting.isEmpty else {
        throw CloudError(
          .unsent,
          message: "\(object) has edits that were not sent yet. Push, then remove it.")
      }
      try ObjectDeleter(writing).delete(object.row, object.entity, name: record.name)
      try writing.forgetReferences(of: record.name)
      record.row = nil
      record.stamps = [:]
      record.kept = nil
      record.isEvicted = true
      try writing.transaction.setRemoteRecord(record)
    }
    monitor.tell()
  }

  private func revert(named name: String) async throws {
    try await turn.run {
      let shown = try await find(name)
      try await write { writing in
        if let record = try writing.transaction.remoteRecord(name, in: writing.zone.name) {
          try Self.yield(record, in: writing)
        }
        var writer = RecordWriter(writing)
        try writer.write([shown], isFeed: false)
      }
      monitor.tell()
    }
  }

  func find(_ name: String) async throws -> CloudRecord {
    _ = try await connect()
    guard let found = try await request({ try await transport.record(name, in: zone) }) else {
      throw CloudError(
        .notFound,
        message: "The server has no copy of that object to take. Delete it if it is not wanted.")
    }
    return found
  }
}
