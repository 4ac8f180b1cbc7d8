import SyncStack
import Testing

@testable import SyncCloud

/// One machine of an account shares a list, or ends that, while another one does.
/// `SYNCSTACK_CLOUD_MOMENTS` is up to which call of either each moment is tried.
@Suite(.timeLimit(.minutes(60))) struct SharingMomentTests {
  enum Act: String { case share, stop }

  /// The second machine begins at a call of the first, waits at a call of its own until that is
  /// done, and goes on.
  struct Moment: CustomTestStringConvertible {
    let first: Act
    let second: Act
    let isShared: Bool
    let call: Int
    let pause: Int

    var testDescription: String {
      "\(first) and \(second) at \(call), \(pause) of what is \(isShared ? "shared" : "not shared")"
    }

    static let all: [Moment] = [
      (Act.share, Act.share, false), (.share, .stop, false), (.stop, .stop, true),
      (.stop, .share, true), (.share, .stop, true),
    ].flatMap { first, second, isShared in
      let calls = setting("MOMENTS").map { Array(0..<$0) } ?? [17, 18]
      let pauses = setting("MOMENTS").map { Array(0..<$0) } ?? [18, 24, 99]
      return calls.flatMap { call in
        pauses.map {
          Moment(first: first, second: second, isShared: isShared, call: call, pause: $0)
        }
      }
    }
  }

  private let lines: [FaultyTransport]
  private let scene: Scene
  private let phone: Client

  private var owners: [Client] { [scene.owner, phone] }

  init() async throws {
    let server = MemoryTransport(account: "ann", limits: CloudLimits(batch: 7, page: 5))
    lines = [FaultyTransport(server), FaultyTransport(server)]
    scene = try await Scene([lines[0], server.signedIn(as: "bob")], now: Scene.clock())
    phone = try Client(lines[1], model: scene.model, now: scene.now)
    try await phone.engine.sync()
  }

  private func list(_ client: Client) throws -> ManagedObjectID {
    try #require(try client.rows("List").first { $0.values[0] == .string("Shopping") }).id
  }

  private func edit(_ title: String, _ stars: Int64, _ client: Client) throws {
    let row = try #require(try scene.row(client, titled: title))
    try client.update("Note", row, ["stars": .int(stars)])
  }

  /// - Returns: The invitation.
  private func act(_ act: Act, _ client: Client) async throws -> String? {
    switch act {
    case .share:
      return try await client.engine.share(
        list(client), with: [CloudParticipant(scene.guestName, .readWrite)]
      ).invitation
    case .stop:
      try await client.engine.stopSharing(list(client))
      return nil
    }
  }

  /// Accepts an invitation that leads somewhere.
  private func accept(_ invitation: String?) async throws {
    guard let invitation else { return }
    do {
      try await scene.guest.engine.accept(invitation)
    } catch let error as CloudError where error.code == .notFound {}
  }

  /// Syncs all until nothing moves, and expects that machines of one account have the same.
  private func expectEqual() async throws {
    try await rest(owners + [scene.guest], rounds: 8)
    let fresh = [try scene.machine(0), try scene.machine(1)]
    for client in fresh { try await client.engine.sync() }
    let all = try Scene.paths(scene.owner)
    #expect(all.count == 19)
    #expect(all.contains("Shopping/Food/n5/6") && all.contains("Shopping/Food/n6/7"))
    #expect(try Scene.paths(phone) == all)
    #expect(try Scene.paths(fresh[0]) == all)
    let seen = try Scene.paths(scene.guest)
    #expect(try Scene.paths(fresh[1]) == seen)
    let isShared = try scene.owner.engine.isShared(list(scene.owner))
    #expect(try phone.engine.isShared(list(phone)) == isShared)
    // His invitation may lead nowhere.
    if !isShared || !seen.isEmpty {
      #expect(seen == (isShared ? all.filter { $0.hasPrefix("Shopping/") } : []))
    }
    for client in owners + [scene.guest] {
      #expect(client.engine.status.waiting == 0)
      #expect(client.engine.status.problems.isEmpty)
      _ = try client.graph()
    }
  }

  @Test(arguments: Moment.all)
  func machinesThatShareAtOneMomentEndEqual(_ moment: Moment) async throws {
    if moment.isShared {
      try await accept(act(.share, scene.owner))
      try await phone.engine.sync()
    }
    try edit("n5", 6, scene.owner)
    try await scene.owner.engine.sync()
    try edit("n6", 7, phone)
    let invitations = Locked<[String?]>([])
    try await lines[0].interleave(at: moment.call, with: lines[1], until: moment.pause) {
      let invitation = try await act(moment.first, scene.owner)
      invitations.withLock { $0.append(invitation) }
    } _: {
      let invitation = try await act(moment.second, phone)
      invitations.withLock { $0.append(invitation) }
    }
    for invitation in invitations.withLock({ $0 }) { try await accept(invitation) }
    try await expectEqual()
    // It goes on as ever.
    try await accept(act(.share, phone))
    try await expectEqual()
    #expect(try Scene.paths(scene.guest).count == 18)
    _ = try await act(.stop, scene.owner)
    try await expectEqual()
    #expect(try Scene.paths(scene.guest).isEmpty)
  }
}

extension FaultyTransport {
  /// Has something begin at a call of this transport's, wait at a call of its own until the work of
  /// this one is done, and go on.
  func interleave(
    at call: Int, with other: FaultyTransport, until pause: Int,
    _ first: () async throws -> Void,
    _ second: @concurrent @escaping @Sendable () async throws -> Void
  ) async throws {
    let (start, begin) = (calls.count, other.calls.count)
    let (reached, reach) = AsyncStream.makeStream(of: Void.self)
    let (released, release) = AsyncStream.makeStream(of: Void.self)
    other.beforeEachCall { number in
      guard number == begin + pause else { return }
      reach.finish()
      for await _ in released {}
    }
    let task = Locked<Task<Void, any Error>?>(nil)
    beforeEachCall { number in
      guard number == start + call else { return }
      let made = Task { @concurrent in
        defer { reach.finish() }
        try await second()
      }
      task.withLock { $0 = made }
      for await _ in reached {}
    }
    let result = await Result { try await first() }
    release.finish()
    try await task.withLock { $0 }?.value
    try result.get()
    beforeEachCall { _ in }
    other.beforeEachCall { _ in }
  }
}

extension Result where Failure == any Error {
  fileprivate init(_ body: () async throws -> Success) async {
    do {
      self = .success(try await body())
    } catch {
      self = .failure(error)
    }
  }
}
