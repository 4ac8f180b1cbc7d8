@testable import SyncCloud

/// A transport around another one, which gets every call that is not written anew.
protocol RelayingTransport: CloudTransport {
  var inner: any CloudTransport { get }
}

extension RelayingTransport {
  func account() async throws -> String { try await inner.account() }

  func limits() async throws -> CloudLimits { try await inner.limits() }

  func open(_ zone: CloudZone, create: Bool) async throws -> CloudZoneState {
    try await inner.open(zone, create: create)
  }

  func changes(in zone: CloudZone, after token: CloudToken?, limit: Int) async throws -> CloudPage {
    try await inner.changes(in: zone, after: token, limit: limit)
  }

  func record(_ name: String, in zone: CloudZone) async throws -> CloudRecord? {
    try await inner.record(name, in: zone)
  }

  func save(_ saves: [CloudSave], in zone: CloudZone) async throws -> [CloudSaveResult] {
    try await inner.save(saves, in: zone)
  }

  func remove(_ zone: CloudZone) async throws { try await inner.remove(zone) }

  func token(_ token: CloudToken, knowing records: [CloudRecord]) -> CloudToken {
    inner.token(token, knowing: records)
  }

  var restsUntil: ContinuousClock.Instant? { inner.restsUntil }
}
