/// An account that a zone is shared with.
public struct CloudParticipant: Sendable, Hashable {
  /// The name of the account, as ``CloudTransport/account()`` says it; transports may take shorter
  /// ones.
  public let account: String
  /// The rights of the account in the zone.
  public let access: CloudZoneState.Access

  public init(_ account: String, _ access: CloudZoneState.Access) {
    self.account = account
    self.access = access
  }
}

extension CloudTransport {
  public func participants(of zone: CloudZone) async throws -> [CloudParticipant] {
    throw CloudParticipant.unsupported
  }

  public func setParticipants(_ participants: [CloudParticipant], of zone: CloudZone) async throws {
    throw CloudParticipant.unsupported
  }

  public func leave(_ zone: CloudZone) async throws { throw CloudParticipant.unsupported }
}

extension CloudParticipant {
  fileprivate static let unsupported = CloudError(
    .unsupported, message: "The transport cannot share: it has no calls for that.")

  static let notOwner = CloudError(
    .forbidden, message: "Only the owner of a zone changes its participants.")
}
