import Foundation
public import SyncCore
import SyncStore

extension CloudEngine {
  /// Takes the server's copy of an object in the place of what was edited here and not sent, as for
  /// an edit that the server refuses. The values that were not sent are in ``conflicts``.
  ///
  /// - Throws: ``CloudError`` with ``CloudError/Code/notFound`` when the server has no copy: delete
  ///   the object then; and as ``pull(progress:)``.
  /// - Complexity: One record is read, where the transport can; see
  ///   ``CloudTransport/record(_:in:)``.
  public func revert(_ object: ManagedObjectID) async throws {
    let record = try await requireRecord(of: object)
    try await revert(named: record.name, in: CloudZone(stored: record.zone, zone))
  }

  /// Takes the server's copy of what has the problem; an object that was deleted here comes back.
  ///
  /// - Throws: As ``revert(_:)-(ManagedObjectID)``.
  public func revert(_ problem: CloudProblem) async throws {
    try await revert(named: problem.record, in: CloudZone(stored: problem.zone, zone))
  }

  private func revert(named name: String, in zone: CloudZone) async throws {
    try await turn.run {
      let shown = try await find(name, in: zone)
      try await write(in: zone) { writing in
        if let record = try writing.transaction.remoteRecord(name, in: writing.zone.name) {
          try Self.yield(record, in: writing)
        }
        var writer = RecordWriter(writing)
        try writer.write([shown], isFeed: false)
      }
      monitor.tell()
    }
  }

  /// What is known of an object, once edits up to now were read.
  func requireRecord(of object: ManagedObjectID) async throws -> RemoteRecord {
    let record = try await write { writing in
      try writing.transaction.remoteRecord(of: object.row, object.entity)
    }
    guard let record else {
      throw CloudError(.notFound, message: "\(object) is no object that is synced.")
    }
    return record
  }

  func find(_ name: String, in zone: CloudZone) async throws -> CloudRecord {
    _ = try await connect(zone)
    guard let found = try await request({ try await transport.record(name, in: zone) }) else {
      throw CloudError(
        .notFound,
        message: "The server has no copy of that object to take. Delete it if it is not wanted.")
    }
    return found
  }
}
