import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncCloud

/// Credentials that are renewed, and signing out.
@Suite(.timeLimit(.minutes(5))) struct SigningTests {
  private let server = MemoryTransport()

  /// Credentials one after the other; the last of them again and again.
  private final class Wallet: Sendable {
    private let left: Locked<[KintoTransport.SignIn]>
    private let asked = Locked(0)

    init(_ all: [KintoTransport.SignIn]) { left = Locked(all) }

    var count: Int { asked.withLock { $0 } }

    func next() -> KintoTransport.SignIn {
      asked.withLock { $0 += 1 }
      return left.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
    }
  }

  private func kinto(_ url: URL, _ wallet: Wallet) throws -> KintoTransport {
    try KintoTransport(url, app: "tests", signIn: .renewed { wallet.next() }, timeout: 120)
  }

  @Test(.server(.memory)) func credentialsThatAreRefusedAreRenewedOnceAndTheCallGoesOn()
    async throws
  {
    let url = try TestServer.address(.memory)
    let user = try await TestServer.account(on: url)
    let (right, wrong) = (
      KintoTransport.SignIn.password(user, TestServer.password),
      KintoTransport.SignIn.password(user, "wrong")
    )
    for isWrong in [true, false] {
      let wallet = Wallet([isWrong ? wrong : right, right])
      let here = try Client(try kinto(url, wallet), retry: RetryPolicy(attempts: 0, delay: 0))
      try here.insert("Note", ["title": "a"])
      try await here.engine.sync()
      #expect(wallet.count == (isWrong ? 2 : 1))
    }
    let wallet = Wallet([wrong])
    let here = try Client(try kinto(url, wallet), retry: RetryPolicy(attempts: 0, delay: 0))
    await expectError(.notSignedIn) { try await here.engine.sync() }
    #expect(wallet.count == 2)
  }

  @Test(.server(.memory)) func everyCallComesBackWithRenewedCredentials() async throws {
    let url = try TestServer.address(.memory)
    let user = try await TestServer.account(on: url)
    let right = KintoTransport.SignIn.password(user, TestServer.password)
    let zone = CloudZone("signing")
    let plain = try KintoTransport(url, app: "tests", signIn: right, timeout: 120)
    _ = try await plain.open(zone, create: true)
    let save = CloudSave.create(name: "a", content: ["type": "Note"])
    let calls: [@Sendable (KintoTransport) async throws -> Void] = [
      { _ = try await $0.account() }, { _ = try await $0.open(zone, create: false) },
      { _ = try await $0.changes(in: zone, after: nil, limit: 10) },
      { _ = try await $0.save([save], in: zone) },
      { _ = try #require(try await $0.record("a", in: zone)) },
    ]
    for call in calls {
      let wallet = Wallet([.password(user, "wrong"), right])
      try await call(try kinto(url, wallet))
      #expect(wallet.count == 2)
    }
  }

  @Test func aClosureThatGivesAClosureIsAnErrorAndWhatItThrowsIsThrown() async throws {
    struct Away: Error {}
    let url = try #require(URL(string: "http://127.0.0.1:9"))
    let nested = try KintoTransport(
      url, app: "tests", signIn: .renewed { .renewed { .token("a") } })
    await expectError(.unsupported) { _ = try await nested.account() }
    let away = try KintoTransport(url, app: "tests", signIn: .renewed { throw Away() })
    await #expect(throws: Away.self) { _ = try await away.account() }
  }

  // MARK: - Signing out

  @Test(arguments: [true, false])
  func signingOutForgetsTheAccountAndWipesWhatIsAskedFor(_ wipe: Bool) async throws {
    let model = try IdentityTests.tagged()
    let here = try Client(server, model: model)
    let note = try here.insert("Note", ["id": "n1", "title": "ann's"])
    let tag = try here.insert("Tag", ["id": "t1"])
    try here.link("Note", note, "tags", [tag])
    try await settle([here], fresh: server)
    try here.insert("Note", ["id": "n2", "title": "not sent"])
    let kept = server.records(in: here.engine.zone)
    here.engine.start(clock: ManualClock())
    try await here.engine.signOut(wipe: wipe)
    // The unsent note may have gone there before.
    let records = server.records(in: here.engine.zone)
    #expect(kept.allSatisfy { records[$0.key] == $0.value } || !wipe)
    let status = here.engine.status
    #expect(!status.isStarted)
    #expect(try here.rows("Note").isEmpty == wipe && here.rows("Tag").isEmpty == wipe)
    // Another account, on a server of its own.
    let theirs = MemoryTransport(account: "bob")
    let other = try Client(theirs, model: model)
    try other.insert("Note", ["id": "n1", "title": "bob's"])
    try await other.engine.sync()
    let engine = try CloudEngine(here.stack, transport: theirs)
    try await engine.sync()
    try await other.engine.sync()
    let titles: [Value] = wipe ? ["bob's"] : ["bob's", "not sent"]
    #expect(try other.values("Note", "title") == titles)
    #expect(Set(try here.values("Note", "title").map { "\($0)" }) == Set(titles.map { "\($0)" }))
    #expect(engine.status.waiting == 0 && engine.status.problems.isEmpty)
    #expect(try other.graph().values.contains { $0["tags"]?.arrayValue?.isEmpty == false } == !wipe)
  }

  @Test func whoSignsInAgainHasEverythingAgain() async throws {
    let here = try Client(server)
    let folder = try here.insert("Folder", ["name": "Home"])
    try here.insert("Note", ["title": "a", "folder": .int(folder)])
    try await settle([here], fresh: server)
    let before = try here.graph()
    for wipe in [true, false] {
      try await here.engine.signOut(wipe: wipe)
      try await here.engine.sync()
    }
    #expect(try Set(here.graph().keys).isSuperset(of: before.keys))
  }
}
