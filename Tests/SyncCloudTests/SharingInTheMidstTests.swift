import SyncStack
import Testing

@testable import SyncCloud

/// One machine of an account shares a list, and another one does something in the midst of that.
@Suite struct SharingInTheMidstTests {
  private let line: FaultyTransport
  private let owner: WatchedTransport
  private let scene: Scene
  private let tablet: Client

  init() async throws {
    let server = MemoryTransport(account: "ann")
    line = FaultyTransport(server)
    owner = WatchedTransport(line)
    scene = try await Scene([owner, server.signedIn(as: "bob")], now: Scene.clock())
    tablet = try Client(server, model: scene.model, now: scene.now)
    try await tablet.engine.sync()
  }

  private func list(_ client: Client) throws -> ManagedObjectID {
    try #require(try client.rows("List").first { $0.values[0] == .string("Shopping") }).id
  }

  /// Shares the list with an error from the server for some of the saves.
  private func shareWithout(_ isLost: @escaping @Sendable (CloudSave) -> Bool) async throws {
    line.poison { isLost($0) ? .fails(.forbidden) : nil }
    await #expect(throws: CloudError.self) { try await scene.share(.readWrite) }
    line.poison { _ in nil }
  }

  private static func isMove(_ save: CloudSave, _ direction: String) -> Bool {
    save.content["m"]?.arrayValue?.first?.stringValue == direction
  }

  @Test func aShareThatIsEndedMeanwhileBeginsOnceMore() async throws {
    _ = try await scene.share(.readOnly)
    try await tablet.engine.sync()
    let shared = try list(tablet)
    owner.beforeParticipantsAreSet { [tablet] in try await tablet.engine.stopSharing(shared) }
    try await scene.guest.engine.accept(scene.share(.readWrite).invitation)
    #expect(try Scene.paths(scene.guest).count == 18)
    try await settleAll()
  }

  @Test func aShareThatIsEndedTwiceAtOnceHasEnded() async throws {
    _ = try await scene.share(.readWrite)
    try await tablet.engine.sync()
    let shared = try list(tablet)
    owner.beforeParticipantsAreSet { [tablet] in try await tablet.engine.stopSharing(shared) }
    try await scene.owner.engine.stopSharing(list(scene.owner))
    #expect(try !scene.owner.engine.isShared(list(scene.owner)))
    try await settleAll()
  }

  /// The server has the edit in the account's own zone only, and the machine that made it is lost.
  @Test func whatWasEditedBeforeAShareThatWasCutOffStays() async throws {
    let note = try #require(try scene.row(scene.owner, titled: "n5"))
    try scene.owner.update("Note", note, ["stars": 6])
    try await scene.owner.engine.sync()
    try await shareWithout { Self.isMove($0, "from") }
    try await tablet.engine.sync()
    #expect(try Scene.paths(tablet).contains("Shopping/Food/n5/6"))
    let fresh = try scene.machine(0)
    try await fresh.engine.sync()
    #expect(try Scene.paths(fresh) == Scene.paths(tablet))
  }

  /// A page shows that a list is shared, that its section went there, and a note in the section.
  @Test func whatLeadsIntoAShareOfTheSamePageLeadsThere() async throws {
    let desk = try Client(line.inner, model: scene.model, now: scene.now)
    try await desk.engine.sync()
    try await shareWithout { Self.isMove($0, "to") }
    let food = try #require(try desk.rows("Section").first { $0.values[0] == .string("Food") })
    try desk.insert("Note", ["title": "late", "section": .int(food.id.row)])
    try await desk.engine.push()
    try await scene.owner.engine.push()
    try await tablet.engine.sync()
    #expect(try Scene.paths(tablet).contains("Shopping/Food/late/-"))
    try await desk.engine.sync()
    try await settleAll()
    #expect(try Scene.paths(desk) == Scene.paths(tablet))
  }

  /// A section comes home and, edited by the guest, is in the share all the same until that hears
  /// of it. A note that was put below that one is below the one at home then.
  @Test func whatLedToADoubleThatGoesLeadsToTheOneAtHome() async throws {
    try await scene.guest.engine.accept(scene.share(.readWrite).invitation)
    try await tablet.engine.sync()
    let secret = try #require(
      try scene.owner.rows("List").first { $0.values[0] == .string("Secret") })
    try scene.owner.update("Section", scene.sections[0], ["list": .int(secret.id.row)])
    line.poison { Self.isMove($0, "to") ? .fails(.forbidden) : nil }
    await #expect(throws: CloudError.self) { try await scene.owner.engine.sync() }
    line.poison { _ in nil }
    let food = try #require(
      try scene.guest.rows("Section").first { $0.values[0] == .string("Food") })
    try scene.guest.update("Section", food.id.row, ["name": "Food!"])
    try await sync(scene.guest, tablet)
    let shopping = try Value.int(list(tablet).row)
    let double = try #require(
      try tablet.rows("Section").first {
        $0.values[0] == .string("Food!") && $0.values[1] == shopping
      })
    try tablet.insert("Note", ["title": "late", "section": .int(double.id.row)])
    try await tablet.engine.sync()
    try await settleAll()
    #expect(try Scene.paths(tablet).contains("Secret/Food!/late/-"))
  }

  /// Syncs the machines of the owner until nothing moves, and expects that they have the same.
  private func settleAll() async throws {
    try await sync(scene.owner, tablet, scene.guest, rounds: 4)
    let fresh = try scene.machine(0)
    try await fresh.engine.sync()
    let paths = try Scene.paths(scene.owner)
    #expect(try Scene.paths(tablet) == paths)
    #expect(try Scene.paths(fresh) == paths)
    #expect(scene.owner.engine.status.waiting == 0)
  }
}

/// Runs a body before the participants of a zone are set.
private final class WatchedTransport: RelayingTransport {
  let inner: any CloudTransport
  private let body = Locked<(@Sendable () async throws -> Void)?>(nil)

  init(_ inner: any CloudTransport) { self.inner = inner }

  /// Runs once, before the next call.
  func beforeParticipantsAreSet(_ body: @escaping @Sendable () async throws -> Void) {
    self.body.withLock { $0 = body }
  }

  func participants(of zone: CloudZone) async throws -> [CloudParticipant] {
    try await inner.participants(of: zone)
  }

  func setParticipants(_ participants: [CloudParticipant], of zone: CloudZone) async throws {
    let body = body.withLock { body in
      defer { body = nil }
      return body
    }
    try await body?()
    try await inner.setParticipants(participants, of: zone)
  }

  func leave(_ zone: CloudZone) async throws { try await inner.leave(zone) }
}
