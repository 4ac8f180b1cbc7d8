public import SyncCore
import SyncStore

/// Participants of a share.
extension CloudEngine {
  /// The accounts that an object is shared with; none when it is not.
  ///
  /// - Throws: ``CloudError``, with the code `notFound` when it is not synced.
  public func participants(of object: ManagedObjectID) async throws -> [CloudParticipant] {
    let record = try await requireRecord(of: object)
    guard record.zone != zone.key else { return [] }
    let shared = CloudZone(key: record.zone)
    return try await request { try await transport.participants(of: shared) }
  }

  /// Gives one more account a part in a share, or an account another right; all others keep theirs.
  ///
  /// - Throws: ``CloudError`` as ``share(_:with:)``, with ``CloudError/Code/notFound`` when the
  ///   object is not shared yet. Of two machines of the account that change the participants at one
  ///   moment the later one counts.
  public func addParticipant(
    _ participant: CloudParticipant, to object: ManagedObjectID
  ) async throws {
    try await changeParticipants(of: object) { all in
      all.removeAll { $0.isNamed(participant.account) }
      all.append(participant)
    }
  }

  /// Takes an account's part in a share; all others keep theirs. Nothing happens when it has none.
  ///
  /// - Throws: As ``addParticipant(_:to:)``.
  public func removeParticipant(_ account: String, from object: ManagedObjectID) async throws {
    try await changeParticipants(of: object) { $0.removeAll { $0.isNamed(account) } }
  }

  private func changeParticipants(
    of object: ManagedObjectID, _ change: (inout [CloudParticipant]) -> Void
  ) async throws {
    try await inStep {
      let record = try await requireRecord(of: object)
      guard record.zone != zone.key else {
        throw CloudError(.notFound, message: "\(object) is not shared. share(_:with:) shares it.")
      }
      let zone = try requireOwn(record, object)
      let before = try await request { try await transport.participants(of: zone) }
      var all = before
      change(&all)
      if all != before { try await setParticipants(all, of: zone) }
    }
    wake()
  }

  /// Sets the participants of a zone, and of those of its files.
  func setParticipants(_ participants: [CloudParticipant], of zone: CloudZone) async throws {
    for part in fields.hasAssets ? ServedFile.zones(of: zone) : [] {
      _ = try await request { try await transport.open(part, create: true) }
      try await request { try await transport.setParticipants(participants, of: part) }
    }
    try await request { try await transport.setParticipants(participants, of: zone) }
  }
}

extension CloudParticipant {
  /// Whether it is the account of a name, which may be a short one.
  fileprivate func isNamed(_ name: String) -> Bool {
    account == name || account.hasSuffix(":\(name)")
  }
}
