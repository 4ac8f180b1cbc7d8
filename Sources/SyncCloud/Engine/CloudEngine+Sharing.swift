import Foundation
public import SyncCore
import SyncGraph
import SyncStore

extension CloudEngine {
  /// Shares an object, and all below it, with these accounts and no others. Below it are the
  /// objects whose parent it is, by the relationship that their entity names with `cloud.parent`,
  /// the objects below those, and so on, now and later.
  ///
  /// ```swift
  /// let share = try await cloud.share(list.objectID, with: [.init("guest", .readWrite)])
  /// ```
  ///
  /// Called again it gives others the right, takes it from those that are not named any more, or
  /// changes it; ``addParticipant(_:to:)`` and ``removeParticipant(_:from:)`` are about one. An
  /// object below it that was shared before stays in its own share.
  ///
  /// - Returns: The share, with a text for the participants; see ``accept(_:)``.
  /// - Throws: ``CloudError`` with ``CloudError/Code/unsupported`` when the transport cannot share
  ///   or the object is below one that is shared, ``CloudError/Code/notOwner`` when another account
  ///   shares it, ``CloudError/Code/notFound`` when it is not synced; and as ``push(progress:)``.
  ///   After an error in between the next call, or sync, goes on.
  /// - Complexity: Linear in the objects below it.
  @discardableResult
  public func share(
    _ object: ManagedObjectID, with participants: [CloudParticipant]
  ) async throws -> CloudShare {
    let share = try await inStep {
      let account = try await request { try await transport.account() }
      let record = try await requireRecord(of: object)
      let zone: CloudZone
      if record.zone == self.zone.key {
        zone = try await makeZone(for: record, participants)
        try await write { writing in
          let stamp = writing.clock.next(at: writing.transaction.milliseconds)
          try ZoneMove(writing: writing).move(object, from: writing.homeName, to: zone.key, stamp)
        }
      } else {
        zone = try requireOwn(record, object)
        try await setParticipants(participants, of: zone)
      }
      try await running(.push) {
        let report = try await pushZones(Progress(totalUnitCount: 0))
        return ((), .push(report))
      }
      return CloudShare(zone, owner: account)
    }
    wake()
    return share
  }

  /// Runs a body that changes shares, after a pull of the shares that the account's other machines
  /// have made, changed or ended; once more when one of them ends it meanwhile.
  func inStep<T>(_ body: () async throws -> T) async throws -> T {
    func attempt() async throws -> T {
      try await running(.pull) {
        let report = try await pullPages(Progress(totalUnitCount: 0))
        return ((), .pull(report))
      }
      return try await body()
    }
    return try await turn.run {
      do {
        return try await attempt()
      } catch let error as CloudError where error.code == .zoneMissing {
        return try await attempt()
      }
    }
  }

  private func makeZone(
    for record: RemoteRecord, _ participants: [CloudParticipant]
  ) async throws -> CloudZone {
    guard zone.scope == .private else {
      throw CloudError(
        .unsupported, message: "Public objects are everybody's already, and are not shared.")
    }
    // One that was cut off goes on.
    let known = try await sharedZones().first { $0.owner == nil && $0.root == record.name }
    let zone = known ?? CloudZone(root: record.name)
    let state = try await request { try await transport.open(zone, create: true) }
    try await setParticipants(participants, of: zone)
    try await write(in: zone) { $0.zone.generation = state.generation }
    try await register(zone, isShared: true)
    return zone
  }

  /// The zone of an object that the account shares.
  func requireOwn(_ record: RemoteRecord, _ object: ManagedObjectID) throws -> CloudZone {
    let zone = CloudZone(key: record.zone)
    guard zone.owner == nil else {
      throw CloudError(.notOwner, message: "\(object) is shared by \(zone.owner ?? "").")
    }
    guard record.isSharedRoot else {
      throw CloudError(
        .unsupported,
        message:
          "\(object) is shared with an object that it is below. Share that one, or stop sharing it."
      )
    }
    return zone
  }

  /// Takes part in a share of another account, and pulls it, with the files that are to be here.
  ///
  /// - Returns: The shared object.
  /// - Throws: ``CloudError`` with ``CloudError/Code/notFound`` when it is no invitation, or none
  ///   for this account; and as ``pull(progress:)``.
  @discardableResult
  public func accept(_ invitation: String) async throws -> ManagedObjectID {
    let shared = try CloudShare.zone(of: invitation)
    let object = try await turn.run {
      _ = try await connect()
      guard shared.owner != (try await request { try await transport.account() }) else {
        throw CloudError(.notFound, message: "The account shares that itself.")
      }
      do {
        try await look(at: shared)
        try await register(shared, isShared: true)
        return try await running(.pull) {
          let report = try await pullPages(in: shared)
          return (try await root(of: shared), .pull(report))
        }
      } catch let error as CloudError where error.code == .zoneMissing {
        throw CloudError(
          .notFound,
          message: "The invitation is for another account, or its object is shared no more.")
      }
    }
    try await fetchEagerAssets()
    wake()
    return object
  }

  private func root(of zone: CloudZone) async throws -> ManagedObjectID {
    let record = try await read { try $0.remoteRecord(zone.root ?? "", in: zone.key) }
    guard let object = record?.object(in: stack.model) else {
      throw CloudError(
        .notFound,
        message: record?.problem.map { "The shared object cannot be stored here yet. \($0)" }
          ?? "The shared object was deleted, has not arrived yet, or this model does not know it.")
    }
    return object
  }

  /// Whether an object is shared, by this account or with it.
  public func isShared(_ object: ManagedObjectID) throws -> Bool {
    try sharedZone(of: object) != nil
  }

  /// The account that shares an object with this one; nil when it is this one's own.
  public func owner(of object: ManagedObjectID) throws -> String? {
    try sharedZone(of: object).flatMap { CloudZone(key: $0).owner }
  }

  /// Also of an object that no pull or push has seen yet.
  private func sharedZone(of object: ManagedObjectID) throws -> String? {
    try stack.store.read { [fields, zone] reader in
      if let record = try reader.remoteRecord(of: object.row, object.entity) {
        return record.zone == zone.key ? nil : record.zone
      }
      return try fields.sharedZone(of: object, reader)
    }
  }

  /// Shares an object no more: it and all below it, objects that others have added included, is the
  /// account's alone again, and here: also those that were removed here only. Participants lose
  /// their copies.
  ///
  /// - Throws: ``CloudError`` as ``share(_:with:)``.
  public func stopSharing(_ object: ManagedObjectID) async throws {
    try await inStep {
      let record = try await requireRecord(of: object)
      guard record.zone != zone.key else { return }
      let shared = try requireOwn(record, object)
      try await running(.push) {
        // Edits that a participant sends from then on are refused, and among his conflicts when the
        // share ends.
        let all = try await request { try await transport.participants(of: shared) }
        if all.contains(where: { $0.access == .readWrite }) {
          let readers = all.map { CloudParticipant($0.account, .readOnly) }
          try await request { try await transport.setParticipants(readers, of: shared) }
        }
        // All that they have sent, and all that was removed here only: nothing else keeps it.
        _ = try await pullPages(in: shared)
        try await bringBack(nil, in: shared)
        try await write(in: shared) { $0.zone.generation = Self.stopping }
        // From then on every machine of the account brings home the objects of the share.
        try await register(shared, isShared: false)
        try await write { writing in
          let stamp = writing.clock.next(at: writing.transaction.milliseconds)
          try ZoneMove(writing: writing).moveAll(from: shared.key, stamp, buries: true)
        }
        let report = try await pushZones(Progress(totalUnitCount: 0))
        return ((), .push(report))
      }
    }
    wake()
  }

  /// Takes part no more in a share of another account: the copies go here and on the account's
  /// other machines, and stay with everybody else. Edits that were not sent are in ``conflicts``.
  ///
  /// - Throws: ``CloudError`` with ``CloudError/Code/notFound`` when no other account shares the
  ///   object.
  public func leave(_ object: ManagedObjectID) async throws {
    try await turn.run {
      let record = try await requireRecord(of: object)
      let shared = CloudZone(key: record.zone)
      guard shared.owner != nil else {
        throw CloudError(
          .notFound,
          message:
            "No other account shares \(object). stopSharing(_:) ends a share of this account.")
      }
      try await request { try await transport.leave(shared) }
      _ = try await end(shared)
      monitor.tell()
    }
  }
}
