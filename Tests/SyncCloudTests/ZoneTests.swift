import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncCloud
@testable import SyncStore

/// Zones and accounts that are other ones than before, the server's copy of objects, and deletions
/// in masses.
@Suite(.timeLimit(.minutes(5))) struct ZoneTests {
  private let server = MemoryTransport(limits: CloudLimits(batch: 25, page: 50))

  /// A client with 40 notes that are on the server, of which 30 were edited since.
  private func edited() async throws -> Client {
    let here = try Client(server)
    for index in 0..<40 { try here.insert("Note", ["title": .string("\(index)")]) }
    try await here.engine.sync()
    for row in try here.rows("Note").prefix(30) {
      try here.update("Note", row.row, ["text": "edited"])
    }
    try await here.drain()
    return here
  }

  private func expect(_ code: CloudError.Code, _ client: Client) async {
    // A pull with nothing to store does not look, so that it stays one request; whatever fails
    // looks anew.
    await expectError(code) { try await client.engine.push() }
    await expectError(code) { try await client.engine.pull() }
  }

  @Test(arguments: [true, false])
  func aZoneThatWasRemovedSendsAndDeletesNothing(_ isMadeAgain: Bool) async throws {
    let here = try await edited()
    try await server.remove(here.engine.zone)
    if isMadeAgain { _ = try await server.open(here.engine.zone, create: true) }
    await expect(.zoneReplaced, here)
    #expect(try here.rows("Note").count == 40)
    #expect(server.records(in: here.engine.zone).isEmpty)
    #expect(here.engine.status.waiting == 30)
    try await here.engine.uploadEverything()
    #expect(try await here.engine.push().sent == 40)
    try await settle([here], fresh: server)
    #expect(try here.values("Note", "text").filter { $0 == "edited" }.count == 30)
  }

  @Test func theServersContentTakesThePlaceOfWhatIsHere() async throws {
    let here = try await edited()
    let names = try here.graph().keys.sorted()
    try await server.remove(here.engine.zone)
    _ = try await server.open(here.engine.zone, create: true)
    // Half of the objects are there again, as another machine has sent them.
    let there = try Client(server)
    _ = try await there.engine.pull()
    let stamp = "1700000000000-aaaaaaaa"
    for name in names.prefix(20) {
      try await server.create(
        name,
        [
          "type": "Note", "t": .string(stamp), "f_title": "again", "f_text": "server",
          "f_stars": nil, "f_folder": nil,
        ], in: here.engine.zone)
    }
    await expectError(.zoneReplaced) { try await here.engine.pull() }
    await expect(.zoneReplaced, here)
    #expect(try here.values("Note", "title").contains("again") == false)
    try await here.engine.replaceLocal()
    #expect(try here.rows("Note").count == 20)
    #expect(try here.values("Note", "title").allSatisfy { $0 == "again" })
    #expect(try here.engine.conflicts.allSatisfy { $0.field == "text" && $0.value == "edited" })
    try await settle([here, there], fresh: server)
  }

  @Test func nothingGoesUntilEverythingHasArrived() async throws {
    let there = try Client(server)
    for index in 0..<120 { try there.insert("Note", ["title": .string("there \(index)")]) }
    try await there.engine.push()
    let transport = FaultyTransport(server)
    let here = try Client(transport, retry: RetryPolicy(attempts: 0, delay: 0))
    try await here.engine.pull()
    for index in 0..<10 { try here.insert("Note", ["title": .string("here \(index)")]) }
    let before = transport.pages
    transport.beforeEachCall { _ in
      if transport.pages == before + 2 { throw CloudError(.unreachable, message: "Gone.") }
    }
    await #expect(throws: CloudError.self) { try await here.engine.replaceLocal() }
    #expect(try here.rows("Note").count == 130)
    transport.beforeEachCall { _ in }
    // Nothing is sent from a store of which only half was replaced.
    await expect(.zoneReplaced, here)
    let lastError = here.engine.status.lastError as? CloudError
    #expect(lastError?.message.contains("replaceLocal() did not come to its end") == true)
    try await here.engine.replaceLocal()
    #expect(try here.rows("Note").count == 120)
    try await settle([here, there], fresh: server)
  }

  @Test func anotherAccountStopsEverythingUntilItIsDecided() async throws {
    let here = try await edited()
    server.signIn("another account")
    await expect(.accountChanged, here)
    #expect(here.engine.status.waiting == 30)
    try await here.engine.uploadEverything()
    try await settle([here], fresh: server)
    server.signIn("memory")
    try here.insert("Note", ["title": "unsent"])
    await expect(.accountChanged, here)
    try await here.engine.replaceLocal()
    try await settle([here], fresh: server)
    #expect(try here.rows("Note").count == 40)
  }

  @Test func revertingTakesTheServersCopyOfOneObject() async throws {
    let transport = FaultyTransport(server)
    let here = try Client(transport)
    let rows = try (0..<3).map {
      try here.insert("Note", ["title": .string("\($0)"), "text": "server"])
    }
    try await here.engine.sync()
    transport.poison { _ in .refused("It is forbidden.") }
    try here.update("Note", rows[0], ["text": "edited"])
    try here.update("Note", rows[1], ["text": "edited"])
    try here.delete("Note", rows[2])
    try await here.engine.push()
    #expect(here.engine.status.problems.count == 3)
    let note = try here.stack.model.requireEntity(named: "Note")
    try await here.engine.revert(ManagedObjectID(entity: note, row: rows[0]))
    #expect(try here.values("Note", "text") == ["server", "edited"])
    #expect(try here.engine.conflicts.map(\.value) == ["edited"])
    for problem in here.engine.status.problems { try await here.engine.revert(problem) }
    #expect(Set(try here.values("Note", "title")) == ["0", "1", "2"])
    transport.poison { _ in nil }
    try await settle([here], fresh: server)
    #expect(try here.values("Note", "text").allSatisfy { $0 == "server" })
    let fresh = try here.insert("Note", ["title": "never sent"])
    await expectError(.notFound) {
      try await here.engine.revert(ManagedObjectID(entity: note, row: fresh))
    }
    #expect(try here.rows("Note").count == 4)
  }

  @Test func anObjectWhoseDeletionIsTakenBackIsJoinedAsItWas() async throws {
    let model = try IdentityTests.tagged()
    let all = [try Client(server, model: model), try Client(server, model: model)]
    let note = try all[0].insert("Note", ["id": "n"])
    try all[0].link(
      "Note", note, "tags", try ["s", "t"].map { try all[0].insert("Tag", ["id": .string($0)]) })
    try await settle(all, fresh: server)
    let before = try all[1].graph()
    try all[1].delete("Tag", try #require(try all[1].rows("Tag").first).row)
    try await all[1].drain()
    try all[1].insert("Tag", ["id": "s"])
    for edit in try await all[1].engine.waiting() { try await all[1].engine.discard(edit) }
    #expect(try all[1].graph() == before)
    try await settle(all, fresh: server)
  }

  @Test func aPullThatWouldDeleteMostOfTheStoreIsRefused() async throws {
    let server = MemoryTransport(limits: CloudLimits(batch: 200, page: 100))
    let (here, there) = (try Client(server), try Client(server))
    try there.stack.store.write { transaction in
      _ = try transaction.insert("Note", (0..<1000).map { ["title": .string("\($0)")] })
    }
    try await there.engine.push()
    try await here.engine.pull()
    for row in try there.rows("Note").prefix(700) { try there.delete("Note", row.row) }
    try await there.engine.push()
    await expectError(.deletionRefused) { try await here.engine.pull() }
    #expect(try here.rows("Note").count == 1000)
    // Again the same: nothing was deleted meanwhile.
    await expectError(.deletionRefused) { try await here.engine.pull() }
    #expect(try here.rows("Note").count == 1000)
    here.engine.deletionGuard = .off
    #expect(try await here.engine.pull().deleted == 700)
    #expect(try here.rows("Note").count == 300)
    // A pull that came to its end is over.
    here.engine.deletionGuard = .on
    for row in try there.rows("Note").prefix(100) { try there.delete("Note", row.row) }
    try await there.engine.push()
    #expect(try await here.engine.pull().deleted == 100)
  }

  @Test func whatIsRequiredHereAndWasClearedElsewhereIsTheDefaultOrStays() async throws {
    func client(_ isOptional: Bool) throws -> Client {
      try Client(
        server,
        model: ManagedObjectModel([
          EntityDraft(
            "Note",
            [
              .attribute("title", .string, isOptional: isOptional),
              .attribute("stars", .integer64, isOptional: isOptional, defaultValue: 3),
            ])
        ]))
    }
    let (older, newer) = (try client(true), try client(false))
    let row = try older.insert("Note", ["title": "a", "stars": 5])
    try older.insert("Note", ["title": .null, "stars": 5])
    try older.insert("Note", ["title": "c", "stars": .null])
    try await older.engine.sync()
    // A record without a value that the model does not give is not here yet.
    try await newer.engine.sync()
    #expect(try newer.values("Note", "title").sorted { "\($0)" < "\($1)" } == ["a", "c"])
    #expect(try newer.values("Note", "stars").contains(3))
    try older.update("Note", row, ["title": .null, "stars": .null])
    try await sync(older, newer)
    #expect(try newer.values("Note", "title").contains("a"))
    #expect(try newer.values("Note", "stars") == [3, 3])
    let reasons = newer.engine.status.problems.map(\.reason)
    #expect(reasons.count == 2 && reasons.contains { $0.contains("“title” was cleared") })
    #expect(try older.rows("Note").count == 3)
    // The value of here goes there again when it is set.
    let here = try #require(try newer.rows("Note").first { $0.values[0] == "a" }).row
    try newer.update("Note", here, ["title": "b"])
    try await sync(newer, older)
    #expect(try older.values("Note", "title").contains("b"))
    #expect(newer.engine.status.problems.count == 1)
  }

  @Test func fieldsThatTheServerDoesNotHaveGetTheModelsDefaults() async throws {
    let here = try Client(server)
    let folder = try here.insert("Folder", ["name": "Home"])
    let row = try here.insert("Note", ["title": "a", "text": "x", "folder": .int(folder)])
    try await here.engine.sync()
    let name = try #require(try here.record("Note", row)).name
    let tag = try #require(server.records(in: here.engine.zone)[name]).tag
    try await server.replace(
      name, tag: tag,
      ["type": "Note", "t": "9700000000000-aaaaaaaa", "f_title": "server"], in: here.engine.zone)
    try here.update("Note", row, ["text": "edited"])
    try await here.drain()
    await here.stack.drainNotifications()
    let heard = Locked<[Notification.Name]>([])
    let tokens = [Notification.Name.cloudDidStart, .cloudDidFinish].map { name in
      NotificationCenter.default.addObserver(forName: name, object: here.stack, queue: nil) { _ in
        heard.withLock { $0.append(name) }
      }
    }
    defer { for token in tokens { NotificationCenter.default.removeObserver(token) } }
    try await here.engine.replaceLocal()
    await here.stack.drainNotifications()
    #expect(heard.withLock { $0 } == [.cloudDidStart, .cloudDidFinish])
    #expect(try here.values("Note", "title") == ["server"])
    #expect(try here.values("Note", "text") == [.null])
    #expect(try here.values("Note", "folder") == [.null])
    #expect(try here.engine.conflicts.map(\.value) == ["edited"])
    try await settle([here], fresh: server)
  }

  @Test func whatAnotherVersionOfRemoteSyncKeptIsRefused() async throws {
    let folder = try TemporaryFolder()
    var here = try Client(server, file: folder.file())
    try here.insert("Note", ["title": "a"])
    try await here.engine.push()
    try here.stack.store.write { transaction in
      try Metadata(connection: transaction.connection).set(.remote, 1)
    }
    try here.close()
    #expect {
      here = try Client(server, file: folder.file())
    } throws: {
      ($0 as? StoreError)?.code == .unsupported
    }
  }

  @Test func theProgressOfASyncIsThatOfItsPullAndItsPush() async throws {
    let (here, there) = (try Client(server), try Client(server))
    for number in 0..<60 { try here.insert("Note", ["stars": .int(Int64(number))]) }
    for client in [here, there, there] {
      let progress = Progress(totalUnitCount: 1)
      try await client.engine.sync(progress: progress)
      #expect(progress.isFinished && progress.fractionCompleted == 1)
    }
    let transport = FaultyTransport(server)
    let late = try Client(transport, retry: RetryPolicy(attempts: 0, delay: 0))
    try late.insert("Note", ["title": "a"])
    // Half is done when the push begins.
    let progress = Progress(totalUnitCount: 1)
    let seen = Locked(0.0)
    transport.beforeEachCall { _ in
      if !transport.saves.isEmpty { seen.withLock { $0 = progress.fractionCompleted } }
    }
    try await late.engine.sync(progress: progress)
    #expect(seen.withLock { $0 } == 0.5)
  }

  @Test func everythingIsAnnouncedInOrderOnTheQueueOfTheStack() async throws {
    let transport = FaultyTransport(server)
    let here = try Client(transport, retry: RetryPolicy(attempts: 0, delay: 0))
    try here.insert("Note", ["title": "a"])
    let heard = Locked<[String]>([])
    let names: [(Notification.Name, String)] = [
      (.cloudDidStart, "start"), (.cloudDidFinish, "finish"), (.cloudDidFail, "fail"),
    ]
    let changes = Locked(0)
    var tokens = names.map { name, text in
      NotificationCenter.default.addObserver(forName: name, object: here.stack, queue: nil) {
        note in
        let pushed = note.pushReport.map { " \($0.sent)" } ?? ""
        let pulled = note.pullReport.map { " \($0.inserted)" } ?? ""
        let failed = (note.cloudError as? CloudError).map { " \($0.code)" } ?? ""
        let direction = note.cloudDirection?.rawValue ?? "nothing"
        #expect(note.cloudZone == here.engine.zone)
        heard.withLock { $0.append("\(direction) \(text)" + pushed + pulled + failed) }
      }
    }
    tokens.append(
      NotificationCenter.default.addObserver(
        forName: .cloudStatusDidChange, object: here.stack, queue: nil
      ) { note in
        #expect(note.cloudZone == here.engine.zone && note.cloudDirection == nil)
        changes.withLock { $0 += 1 }
      })
    defer { for token in tokens { NotificationCenter.default.removeObserver(token) } }
    try await here.engine.sync()
    transport.lossRate = 1
    await #expect(throws: CloudError.self) { try await here.engine.pull() }
    await here.stack.drainNotifications()
    #expect(
      heard.withLock { $0 } == [
        "pull start", "pull finish 0", "push start", "push finish 1", "pull start",
        "pull fail unreachable",
      ])
    #expect(changes.withLock { $0 } >= 6)
  }
}
