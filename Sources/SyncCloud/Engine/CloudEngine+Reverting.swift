import Foundation
public import SyncCore
import SyncStore

extension CloudEngine {
  /// Takes the server's copy of an object in the place of unsent edits, as for an edit that the
  /// server refuses. The values that were not sent are in ``conflicts``.
  ///
  /// - Throws: ``CloudError`` with ``CloudError/Code/notFound`` when the server has no copy: delete
  ///   the object then, or ``discard(_:)`` the edit. In a zone that another account shares to be
  ///   read only it is discarded. And as ``pull(progress:)``.
  /// - Complexity: One record is read, where the transport can; see
  ///   ``CloudTransport/record(_:in:)``.
  public func revert(_ object: ManagedObjectID) async throws {
    let record = try await requireRecord(of: object)
    try await takeBack(record.name, in: CloudZone(stored: record.zone, zone), isAny: false)
  }

  /// Takes the server's copy of the record that has the problem; an object that was deleted here
  /// comes back.
  ///
  /// - Throws: As ``revert(_:)-(ManagedObjectID)``.
  public func revert(_ problem: CloudProblem) async throws {
    try await takeBack(problem.record, in: CloudZone(stored: problem.zone, zone), isAny: false)
  }

  /// Takes back an edit that was not sent: the server's copy takes its place, a deleted object
  /// comes back, and one that the server has never had goes, with all below it that it has never
  /// had.
  ///
  /// An object that was moved into another account's share goes home again, and its references into
  /// the share are empty. An object that a participant has taken out comes back, and his copy stays
  /// his.
  ///
  /// - Throws: As ``pull(progress:)``.
  /// - Complexity: One record is read, where the transport can; see
  ///   ``CloudTransport/record(_:in:)``.
  public func discard(_ edit: CloudEdit) async throws {
    try await takeBack(edit.record, in: CloudZone(stored: edit.zone, zone), isAny: true)
  }

  /// - Parameter isAny: Whether an object that the server has never had goes, in any zone.
  private func takeBack(_ name: String, in zone: CloudZone, isAny: Bool) async throws {
    try await turn.run {
      let shown = try await ask(for: name, in: zone)
      // The right to write may have gone meanwhile.
      if shown == nil, zone != self.zone { try await look(at: zone) }
      guard shown != nil || isAny || readOnly.contains(zone) else { throw Self.noCopy }
      try await write(in: zone) { writing in
        let transaction = writing.transaction
        let record = try transaction.remoteRecord(name, in: writing.zone.name)
        if let record, record.hasLeft, writing.zone.name == writing.homeName {
          // Where it went to says whether it can come back.
          let there = try record.moved.flatMap { try transaction.remoteRecord(name, in: $0.zone) }
          if let there, there.tag == nil { try UnsentRecord(writing: writing).remove(there) }
          return
        }
        guard let shown else {
          if let record { try UnsentRecord(writing: writing).remove(record) }
          return
        }
        if let record, record.hasLeft {
          try transaction.removeRemoteRecord(name, in: record.zone)
        } else if let record {
          try Self.yield(record, in: writing)
        }
        var writer = RecordWriter(writing)
        try writer.write([shown], isFeed: false)
        // The deletion that is taken back has parted it from others.
        try PairWriter(writing: writing).follow(name, parting: .all)
      }
      monitor.tell()
    }
  }

  /// The record of an object, once edits up to now were read.
  func requireRecord(of object: ManagedObjectID) async throws -> RemoteRecord {
    let record = try await write { writing in
      try writing.transaction.remoteRecord(of: object.row, object.entity)
    }
    guard let record else {
      throw CloudError(.notFound, message: "\(object) is no object that is synced.")
    }
    return record
  }

  func ask(for name: String, in zone: CloudZone) async throws -> CloudRecord? {
    _ = try await connect(zone)
    return try await request { try await transport.record(name, in: zone) }
  }

  static let noCopy = CloudError(
    .notFound,
    message: "The server has no copy of that object to take. Delete it if it is not wanted.")
}
