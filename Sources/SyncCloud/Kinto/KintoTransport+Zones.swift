import Foundation
import SyncCore

/// Zones, and the accounts that may look into them.
extension KintoTransport {
  public func open(_ zone: CloudZone, create: Bool) async throws -> CloudZoneState {
    let path = try await directory(of: zone)
    var answer = try await send("GET", path)
    if create, zone.owner == nil, answer.isMissing {
      try await make(zone, path)
      answer = try await send("GET", path)
    }
    if answer.isMissing { throw KintoAnswer.missing(zone) }
    let json = try answer.json()
    let members = Self.members(json["data"])
    if zone.scope == .private, zone.owner == nil {
      try await checkBucket(of: zone)
      try await check(json["permissions"], of: path, readers: Set(members.keys))
    }
    guard let data = json["data"] else {
      throw CloudError(
        .unreachable, message: "The server does not describe the zone. Sync again later.")
    }
    guard let generation = data["generation"]?.stringValue else {
      throw CloudError(
        .unsupported,
        message:
          "The collection \(path) was not made by SyncStack: it has no generation. Use another app name."
      )
    }
    // The server does not show the permissions of a collection to an account that may only read it,
    // whether or not it may add records of its own: changes that it may not make are refused record
    // by record.
    let root = try await readRoot()
    var isReadOnly = root.isReadOnly
    if zone.scope == .private {
      setPlace(data["place"]?.stringValue, of: zone)
      if zone.owner != nil {
        guard let access = members[root.account ?? ""] else { throw KintoAnswer.missing(zone) }
        isReadOnly = isReadOnly || access == .readOnly
      }
    }
    return CloudZoneState(generation: generation, access: isReadOnly ? .readOnly : .readWrite)
  }

  private func make(_ zone: CloudZone, _ path: String) async throws {
    let bucket = try await bucket(of: zone)
    let guardHeader = ["If-None-Match": "*"]
    let made = try await send("PUT", "/buckets/\(bucket)", headers: guardHeader, body: [:])
    // 412 means that it is there: made by this account earlier, or by another one.
    if made.status != 412, !made.isMissing { try made.check() }
    if zone.scope == .private { try await checkBucket(of: zone) }
    let permissions: JSONValue =
      zone.scope == .public
      ? ["read": ["system.Everyone"], "record:create": ["system.Authenticated"]] : [:]
    let generation = UUID().uuidString.lowercased()
    let collection = try await send(
      "PUT", path, headers: guardHeader,
      body: ["data": ["generation": .string(generation)], "permissions": permissions])
    if collection.status != 412 { try collection.check() }
  }

  // MARK: - Owner

  /// The name of an account's bucket can be guessed, so another account may have made it, and would
  /// read all that is sent into it.
  private func checkBucket(of zone: CloudZone) async throws {
    let bucket = try await bucket(of: zone)
    guard !known.withLock({ $0.owned.contains(bucket) }) else { return }
    let answer = try await send("GET", "/buckets/\(bucket)")
    if answer.isMissing { throw Self.notOwner("/buckets/\(bucket)") }
    let permissions = try answer.json()["permissions"]
    try await check(permissions, of: "/buckets/\(bucket)")
    known.withLock { _ = $0.owned.insert(bucket) }
  }

  /// Throws unless the account may write, and no other may do anything. The server shows the
  /// permissions to accounts that may write, and counts the one that made the bucket among them.
  ///
  /// - Parameter readers: Accounts that may read besides.
  private func check(
    _ permissions: JSONValue?, of path: String, readers: Set<String> = []
  ) async throws {
    guard let lists = permissions?.objectValue else {
      throw CloudError(
        .unreachable,
        message: "The server does not show the permissions of \(path). Sync again later.")
    }
    let account = try await readRoot().account.map(JSONValue.string)
    let others = lists.contains { list in
      list.value.arrayValue?.contains { name in
        name != account && !(list.key == "read" && readers.contains(name.stringValue ?? ""))
      } ?? true
    }
    let writes = lists["write"]?.arrayValue?.contains { $0 == account } ?? false
    guard writes, !others else { throw Self.notOwner(path) }
  }

  private static func notOwner(_ path: String) -> CloudError {
    CloudError(
      .notOwner,
      message:
        "\(path) on the server, the place of the account's private records, was made by another account or is open to "
        + "others. Nothing was sent. Use another app name, or ask the administrator of the server.")
  }

  public func remove(_ zone: CloudZone) async throws {
    guard zone.owner == nil else { throw CloudParticipant.notOwner }
    let directory = try await directory(of: zone)
    if zone.scope == .private {
      let place: Place
      do {
        place = try await self.place(of: zone)
      } catch let error as CloudError where error.code == .zoneMissing {
        return
      }
      // The place first: without its directory no client would find it again.
      if place.path != directory { try await delete(place.path) }
    }
    try await delete(directory)
    forgetPlace(of: zone)
  }

  private func delete(_ path: String) async throws {
    let answer = try await send("DELETE", path)
    if !answer.isMissing { try answer.check() }
  }
}
