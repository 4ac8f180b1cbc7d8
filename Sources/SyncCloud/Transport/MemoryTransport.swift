import Foundation
import SyncCore

/// A server in memory, for tests and previews: zones, tags, guards, limits and tombstones as a real
/// one has them.
///
/// ```swift
/// let server = MemoryTransport()
/// let here = try CloudEngine(stack, transport: server)
/// let there = try CloudEngine(otherStack, transport: server)
/// ```
///
/// Everything is under one mutex.
public final class MemoryTransport: CloudTransport {
  fileprivate struct Entry {
    var record: CloudRecord
    var change: Int64
  }

  fileprivate struct Zone {
    var generation: String
    var entries: [String: Entry] = [:]

    /// Names by the number of their latest change; ones that changed again since stay as gaps.
    var log: [(change: Int64, name: String)] = []

    var members: [String: CloudZoneState.Access] = [:]
  }

  private struct State {
    var zones: [CloudZone: Zone] = [:]
    var limits: CloudLimits
    var lastChange: Int64 = 0
    var lastTime: Int64 = 0
    var requests = 0
    var signals: [CloudZone: Broadcast<Void>] = [:]
  }

  /// The state that the transports of all accounts share.
  private final class Server: Sendable {
    let state: Locked<State>

    /// Whose the zones are that have no owner.
    let first: String

    init(_ first: String, _ state: State) {
      self.first = first
      self.state = Locked(state)
    }
  }

  private let server: Server

  /// Whose zones those without an owner are here; nil is the server's first account, whichever is
  /// signed in.
  private let user: String?
  private let signedIn: Locked<String>

  /// Makes an empty server.
  ///
  /// - Parameters:
  ///   - account: The name of the account that is signed in.
  ///   - limits: How much it takes and gives at once.
  public init(
    account: String = "memory", limits: CloudLimits = CloudLimits(batch: 200, page: 1000)
  ) {
    server = Server(account, State(limits: limits))
    user = nil
    signedIn = Locked(account)
  }

  private init(_ server: Server, user: String) {
    self.server = server
    self.user = user == server.first ? nil : user
    signedIn = Locked(user)
  }

  /// The same server as another account has it, with private zones of its own.
  public func signedIn(as account: String) -> MemoryTransport {
    MemoryTransport(server, user: account)
  }

  /// How many calls were made.
  public var requestCount: Int { server.state.withLock { $0.requests } }

  /// Signs another account in.
  public func signIn(_ account: String) { signedIn.withLock { $0 = account } }

  /// Changes how much is taken and given at once, as a server's administrator may at any time.
  public func setLimits(_ limits: CloudLimits) { server.state.withLock { $0.limits = limits } }

  /// Deletes a record as another program would, so that a tombstone is left.
  public func delete(_ name: String, in zone: CloudZone) {
    let zone = placed(zone)
    server.state.withLock { state in
      guard state.zones[zone]?.entries[name]?.record.content != nil else { return }
      _ = Self.write(name, nil, in: zone, &state)
    }
    signal(zone)
  }

  /// The records as they are now, to be taken back to later.
  public func backup() -> Backup { Backup(zones: server.state.withLock { $0.zones }) }

  /// Takes everything back to what it was, as a server is that a backup is restored to.
  public func restore(_ backup: Backup) { server.state.withLock { $0.zones = backup.zones } }

  /// The records of a server in memory at some time.
  public struct Backup: Sendable {
    fileprivate let zones: [CloudZone: Zone]
  }

  /// The records of a zone that were not deleted, by name.
  public func records(in zone: CloudZone) -> [String: CloudRecord] {
    let zone = placed(zone)
    return server.state.withLock { state in
      (state.zones[zone]?.entries ?? [:]).compactMapValues {
        $0.record.content == nil ? nil : $0.record
      }
    }
  }

  // MARK: - CloudTransport

  public func account() async throws -> String {
    server.state.withLock { $0.requests += 1 }
    return signedIn.withLock { $0 }
  }

  public func limits() async throws -> CloudLimits {
    server.state.withLock { state in
      state.requests += 1
      return state.limits
    }
  }

  public func open(_ zone: CloudZone, create: Bool) async throws -> CloudZoneState {
    let zone = placed(zone)
    return try server.state.withLock { state in
      state.requests += 1
      if let access = access(to: zone, state), let known = state.zones[zone] {
        return CloudZoneState(generation: known.generation, access: access)
      }
      guard create, isOwn(zone) else { throw Self.missing(zone) }
      let made = Zone(generation: UUID().uuidString.lowercased())
      state.zones[zone] = made
      return CloudZoneState(generation: made.generation)
    }
  }

  public func changes(
    in zone: CloudZone, after token: CloudToken?, limit: Int
  ) async throws -> CloudPage {
    let zone = placed(zone)
    return try server.state.withLock { state in
      state.requests += 1
      let known = try visible(zone, state)
      var place: Int64 = 0
      if let token {
        guard let number = Int64(token.rawValue), number <= state.lastChange else {
          throw CloudError(
            .tokenRefused, message: "The server does not know the place \(token.rawValue).")
        }
        place = number
      }
      let limit = max(1, min(limit, state.limits.page))
      var records: [CloudRecord] = []
      var index = known.log.partitioningIndex { $0.change > place }
      while index < known.log.count, records.count < limit {
        let (change, name) = known.log[index]
        if let entry = known.entries[name], entry.change == change { records.append(entry.record) }
        place = change
        index += 1
      }
      return CloudPage(
        records: records, token: CloudToken(rawValue: String(place)),
        hasMore: index < known.log.count,
        newest: known.log.last.flatMap { known.entries[$0.name]?.record.time } ?? 0)
    }
  }

  public func record(_ name: String, in zone: CloudZone) async throws -> CloudRecord? {
    let zone = placed(zone)
    return try server.state.withLock { state in
      state.requests += 1
      let known = try visible(zone, state)
      return known.entries[name].flatMap { $0.record.content == nil ? nil : $0.record }
    }
  }

  public func save(_ saves: [CloudSave], in zone: CloudZone) async throws -> [CloudSaveResult] {
    let zone = placed(zone)
    let results = try server.state.withLock { state in
      state.requests += 1
      guard let access = access(to: zone, state) else { throw Self.missing(zone) }
      guard access == .readWrite else {
        throw CloudError(.forbidden, message: "The account may only read the zone.")
      }
      guard saves.count <= state.limits.batch else {
        throw CloudError(
          .tooLarge, message: "The server takes \(state.limits.batch) records at once.")
      }
      return saves.map { Self.save($0, in: zone, &state) }
    }
    signal(zone)
    return results
  }

  public func signals(for zone: CloudZone) -> AsyncStream<Void>? {
    let zone = placed(zone)
    let signals = server.state.withLock { state in
      let known = state.signals[zone] ?? Broadcast()
      state.signals[zone] = known
      return known
    }
    return signals.makeStream(.bufferingNewest(1))
  }

  /// Tells all sequences of a zone.
  private func signal(_ zone: CloudZone) {
    server.state.withLock { $0.signals[zone] }?.yield(())
  }

  public func remove(_ zone: CloudZone) async throws {
    let zone = placed(zone)
    try server.state.withLock { state in
      state.requests += 1
      guard isOwn(zone) else { throw CloudParticipant.notOwner }
      state.zones[zone] = nil
    }
  }

  public func participants(of zone: CloudZone) async throws -> [CloudParticipant] {
    let zone = placed(zone)
    return try server.state.withLock { state in
      state.requests += 1
      let known = try visible(zone, state)
      return known.members.inKeyOrder.map { CloudParticipant($0, $1) }
    }
  }

  public func setParticipants(_ participants: [CloudParticipant], of zone: CloudZone) async throws {
    let zone = placed(zone)
    try server.state.withLock { state in
      state.requests += 1
      guard isOwn(zone) else { throw CloudParticipant.notOwner }
      guard state.zones[zone] != nil else { throw Self.missing(zone) }
      state.zones[zone]?.members = Dictionary(participants.map { ($0.account, $0.access) }) { $1 }
    }
    signal(zone)
  }

  public func leave(_ zone: CloudZone) async throws {
    let (zone, account) = (placed(zone), user ?? server.first)
    server.state.withLock { state in
      state.requests += 1
      state.zones[zone]?.members[account] = nil
    }
  }

  // MARK: - Owners

  /// A zone under the name that it has for all accounts.
  private func placed(_ zone: CloudZone) -> CloudZone {
    guard zone.scope == .private else { return zone }
    let owner = zone.owner ?? user
    return CloudZone(zone.name, owner: owner == server.first ? nil : owner)
  }

  private func isOwn(_ zone: CloudZone) -> Bool { zone.scope == .public || zone.owner == user }

  /// The rights of the account in a zone; nil when there is no such zone for it.
  private func access(to zone: CloudZone, _ state: State) -> CloudZoneState.Access? {
    guard let known = state.zones[zone] else { return nil }
    return isOwn(zone) ? .readWrite : known.members[user ?? server.first]
  }

  /// A zone that the account may look into.
  private func visible(_ zone: CloudZone, _ state: State) throws -> Zone {
    guard access(to: zone, state) != nil, let known = state.zones[zone] else {
      throw Self.missing(zone)
    }
    return known
  }

  // MARK: - Records

  private static func save(
    _ save: CloudSave, in zone: CloudZone, _ state: inout State
  ) -> CloudSaveResult {
    guard isName(save.name) else { return .refused("“\(save.name)” is no name of a record.") }
    let present = state.zones[zone]?.entries[save.name]?.record
    guard let tag = save.tag else {
      if let present, present.content != nil { return .conflict(present) }
      return .saved(write(save.name, save.content, in: zone, &state))
    }
    guard let present, var content = present.content else { return .missing }
    guard present.tag == tag else { return .conflict(present) }
    if case .update = save {
      for member in save.content { content[member.key] = member.value }
    } else {
      content = save.content
    }
    return .saved(write(save.name, content, in: zone, &state))
  }

  private static func write(
    _ name: String, _ content: JSONObject?, in zone: CloudZone, _ state: inout State
  ) -> CloudRecord {
    state.lastChange += 1
    state.lastTime = max(state.lastTime + 1, Int64(Date().timeIntervalSince1970 * 1000))
    let record = CloudRecord(
      name: name, tag: String(state.lastChange), content: content, time: state.lastTime)
    state.zones[zone]?.entries[name] = Entry(record: record, change: state.lastChange)
    state.zones[zone]?.log.append((state.lastChange, name))
    return record
  }

  private static func isName(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= 255 && name.utf8.first != UInt8(ascii: "_")
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }

  private static func missing(_ zone: CloudZone) -> CloudError {
    CloudError(.zoneMissing, message: "The server has no zone “\(zone.name)”.")
  }
}

extension Array {
  /// The first position whose element meets a condition that all later ones meet too.
  fileprivate func partitioningIndex(_ condition: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if condition(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
