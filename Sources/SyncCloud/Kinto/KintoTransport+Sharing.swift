import Foundation
import SyncCore

/// Zones that are shared.
///
/// ```
/// collection of the zone   read by the participants, written by its owner alone; its data name the participants (`members`)
///                          and where the records are (`place`)
/// collection of the place  its records; participants that may write have `write` there
/// ```
///
/// An account that has made a record keeps its access to it for as long as the record is there. So
/// when a participant loses a right, the records are copied to another place, and the one before is
/// removed. Records that others write there meanwhile they send once more: to them the server is
/// one that was taken back to an earlier state.
extension KintoTransport {
  /// Where the records of a zone are.
  struct Place: Equatable {
    /// The path of the collection that has the records.
    let path: String

    /// The name of that collection, when it is not the zone's own.
    let name: String?
  }

  public func participants(of zone: CloudZone) async throws -> [CloudParticipant] {
    try await shares(of: zone).members.inKeyOrder.map { CloudParticipant($0, $1) }
  }

  public func setParticipants(_ participants: [CloudParticipant], of zone: CloudZone) async throws {
    guard zone.owner == nil, zone.scope == .private else { throw CloudParticipant.notOwner }
    let before = try await shares(of: zone)
    var members: [String: CloudZoneState.Access] = [:]
    for each in participants { members[try await principal(each.account)] = each.access }
    let isTaken = before.members.contains { account, access in
      members[account] == nil || access == .readWrite && members[account] == .readOnly
    }
    let place: String
    if let known = before.place, !isTaken {
      place = known
      try await allow(members, in: known, of: zone)
    } else {
      place = "\(zone.name)-\(UUID().uuidString.lowercased().prefix(8))"
      // An account that is left out does not find the new place, and the others soon come to it.
      try await send("PUT", try await collection(place, of: zone), body: ["data": [:]]).check()
      if let known = before.place { try await copy(known, to: place, of: zone) }
      try await allow(members, in: place, of: zone)
    }
    var list = JSONObject()
    for (account, access) in members.inKeyOrder {
      list[account] = .string(access.rawValue)
    }
    let path = try await directory(of: zone)
    // Data are merged one level deep, so the value of each name is replaced whole; permissions are
    // replaced where they are named.
    let answer = try await send(
      "PATCH", path,
      body: [
        "data": ["members": .object(list), "place": .string(place)],
        "permissions": ["read": .array(members.keys.sorted().map(JSONValue.string))],
      ])
    try answer.check()
    setPlace(place, of: zone)
    if let last = before.place, last != place {
      let removed = try await send("DELETE", try await collection(last, of: zone))
      if !removed.isMissing { try removed.check() }
    }
  }

  /// Only the owner writes the list of participants: the account stays in it until the owner takes
  /// it out.
  public func leave(_ zone: CloudZone) async throws {
    forgetPlace(of: zone)
  }

  // MARK: - Places

  /// The place of a zone's records, which is asked for once.
  func place(of zone: CloudZone) async throws -> Place {
    var name: String?
    if let cached = known.withLock({ $0.places[zone] }) {
      name = cached
    } else if zone.scope == .private {
      name = try await shares(of: zone).place
      setPlace(name, of: zone)
    }
    return Place(path: try await collection(name ?? zone.name, of: zone), name: name)
  }

  func setPlace(_ name: String?, of zone: CloudZone) {
    known.withLock { $0.places[zone] = .some(name) }
  }

  func forgetPlace(of zone: CloudZone) {
    known.withLock { _ = $0.places.removeValue(forKey: zone) }
  }

  /// The path of the collection that stands for a zone.
  func directory(of zone: CloudZone) async throws -> String {
    try await collection(zone.name, of: zone)
  }

  private func collection(_ name: String, of zone: CloudZone) async throws -> String {
    "/buckets/\(try await bucket(of: zone))/collections/\(name)"
  }

  /// Looks once more where the records of a zone are, because they are not where they were.
  ///
  /// - Returns: Whether they are elsewhere.
  func hasMoved(_ zone: CloudZone, from place: Place) async throws -> Bool {
    guard place.name != nil else { return false }
    forgetPlace(of: zone)
    return try await self.place(of: zone) != place
  }

  // MARK: - Participants

  private func shares(
    of zone: CloudZone
  ) async throws -> (members: [String: CloudZoneState.Access], place: String?) {
    let answer = try await send("GET", try await directory(of: zone))
    if answer.isMissing { throw KintoAnswer.missing(zone) }
    let data = try answer.json()["data"]
    return (Self.members(data), data?["place"]?.stringValue)
  }

  static func members(_ data: JSONValue?) -> [String: CloudZoneState.Access] {
    var members: [String: CloudZoneState.Access] = [:]
    for member in data?["members"]?.objectValue ?? [:] {
      members[member.key] = member.value.stringValue.flatMap(CloudZoneState.Access.init)
    }
    return members
  }

  /// The name by which the server knows an account: `account:ann`; one that says no policy is of
  /// the owner's.
  private func principal(_ account: String) async throws -> String {
    guard !account.contains(":") else { return account }
    guard let own = try await readRoot().account else { throw KintoAnswer.notSignedIn }
    return "\(own.prefix { $0 != ":" }):\(account)"
  }

  private func allow(
    _ members: [String: CloudZoneState.Access], in place: String, of zone: CloudZone
  ) async throws {
    let names = members.inKeyOrder
    try await send(
      "PATCH", try await collection(place, of: zone),
      body: [
        "permissions": [
          "read": .array(names.filter { $0.value == .readOnly }.map { .string($0.key) }),
          "write": .array(names.filter { $0.value == .readWrite }.map { .string($0.key) }),
        ]
      ]
    ).check()
  }

  /// Copies the records of a place to another one.
  private func copy(_ old: String, to new: String, of zone: CloudZone) async throws {
    let (source, target) = (
      try await collection(old, of: zone), try await collection(new, of: zone)
    )
    let batch = try await readRoot().batch
    var start: Int64 = 0
    var hasMore = true
    while hasMore {
      let answer = try await send(
        "GET", "\(source)/records?_sort=last_modified&_limit=\(batch)&_since=\(start)")
      let list = try answer.json()["data"]?.arrayValue ?? []
      hasMore = answer.header("Next-Page") != nil && !list.isEmpty
      let records = try list.map(Self.record)
      start = records.last?.time ?? start
      let requests = records.compactMap { record -> JSONValue? in
        record.content.map { content in
          [
            "method": "PUT", "path": .string("\(target)/records/\(record.name)"),
            "body": ["data": .object(content)],
          ]
        }
      }
      guard !requests.isEmpty else { continue }
      let copied = try await send("POST", "/batch", body: ["requests": .array(requests)])
      let parts = try copied.json()["responses"]?.arrayValue ?? []
      let isWhole =
        parts.count == requests.count
        && parts.allSatisfy {
          (200...201).contains($0["status"]?.integerValue ?? 0)
        }
      guard isWhole else {
        throw CloudError(
          .unreachable, message: "The server did not copy the shared records. Share once more.")
      }
    }
  }
}
