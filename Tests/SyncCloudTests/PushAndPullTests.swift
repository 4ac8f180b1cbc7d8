import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncCloud

@Suite(.timeLimit(.minutes(5))) struct PushAndPullTests {
  private let server = MemoryTransport(limits: CloudLimits(batch: 25, page: 50))

  @Test func aStoreThatCannotBeReadIsAProblemOfTheStatus() async throws {
    let client = try Client(MemoryTransport())
    try client.insert("Folder", ["name": "a"])
    try await client.engine.sync()
    #expect(client.engine.status.problems.isEmpty && client.engine.status.lastPush != nil)
    try client.close()
    let status = client.engine.status
    #expect(status.problems.map(\.record) == [""])
    #expect(status.problems.first?.description.hasPrefix("The store cannot be read: ") == true)
    #expect(status.lastPush != nil && status.waiting == 0)
  }

  @Test func whatOneClientSavesTheOtherGets() async throws {
    let (here, there) = (try Client(server), try Client(server))
    let folder = try here.insert("Folder", ["name": "Home"])
    try here.insert("Note", ["title": "a", "stars": 3, "folder": .int(folder)])
    try here.insert("Note", ["title": "b"])
    let push = try await here.engine.push()
    #expect(push.sent == 3)
    let pull = try await there.engine.pull()
    #expect(pull.inserted == 3)
    #expect(try there.graph() == here.graph())
    try await settle([here, there], fresh: server)
  }

  @Test func aPushAfterAPullSendsNothingAndAPullAfterAPushWritesNothing() async throws {
    let (here, there) = (try Client(server), try Client(server))
    let row = try here.insert("Note", ["title": "a"])
    try await here.engine.push()
    let before = try here.generation
    let echo = try await here.engine.pull()
    #expect(echo.inserted + echo.updated + echo.deleted == 0)
    #expect(try here.generation == before)
    try await there.engine.pull()
    #expect(try await there.engine.push() == PushReport())
    try here.update("Note", row, ["title": "b"])
    try await here.engine.sync()
    try await there.engine.pull()
    #expect(try await there.engine.push() == PushReport())
    #expect(try there.values("Note", "title") == ["b"])
  }

  @Test func onlyChangedFieldsTravel() async throws {
    let transport = FaultyTransport(server)
    let here = try Client(transport)
    let row = try here.insert("Note", ["title": "a", "text": "long", "stars": 1])
    try await here.engine.push()
    try here.update("Note", row, ["stars": 2])
    try await here.engine.push()
    let content = try #require(transport.saves.last?.first?.content)
    #expect(content.keys == ["f_stars", "t_stars"])
  }

  @Test func objectsThatAreOlderThanTheHistoryAreSent() async throws {
    let folder = try TemporaryFolder()
    let model = try CloudModels.notes()
    let store = try Store(model: model, configuration: .init(.file(folder.file())))
    try store.write { _ = try $0.insert("Note", [["title": "old"], ["title": "older"]]) }
    try store.close()
    let here = try Client(server, file: folder.file())
    try here.update("Note", 1, ["title": "new"])
    #expect(try await here.engine.push().sent == 2)
    let there = try Client(server)
    try await there.engine.pull()
    #expect(Set(try there.values("Note", "title")) == ["new", "older"])
    // Whatever is said afterwards is newer.
    let row = try #require(try there.rows("Note").first).row
    try there.update("Note", row, ["title": "newest"])
    try await settle([there, here], fresh: server)
    #expect(try here.values("Note", "title").contains("newest"))
    try here.close()
  }

  @Test func whatCameAndWentBeforeAPushIsNeverSent() async throws {
    let here = try Client(server)
    let row = try here.insert("Note", ["title": "a"])
    try here.delete("Note", row)
    #expect(try await here.engine.push() == PushReport())
    #expect(server.records(in: here.engine.zone).isEmpty)
  }

  @Test func deletionsTravelWithWhatTheyTookAlong() async throws {
    let (here, there) = (try Client(server), try Client(server))
    let folder = try here.insert("Folder", ["name": "Home"])
    let inner = try here.insert("Folder", ["name": "Inner", "parent": .int(folder)])
    try here.insert("Note", ["title": "a", "folder": .int(inner)])
    try here.insert("Note", ["title": "b"])
    try await settle([here, there], fresh: server)
    let name = try #require(try here.record("Folder", folder)).name
    try there.delete("Folder", try #require(try there.row(name)))
    try await settle([there, here], fresh: server)
    #expect(try here.values("Note", "title") == ["b"])
    #expect(try here.rows("Folder").isEmpty)
    let shrunk = server.records(in: here.engine.zone).values.filter {
      $0.content?["d"] != nil
    }
    #expect(shrunk.count == 3)
    #expect(shrunk.allSatisfy { $0.content?.keys.sorted() == ["d", "type"] })
  }

  @Test func aChildOfWhatWasDeletedElsewhereStaysAndLosesItsPlace() async throws {
    let (here, there) = (try Client(server), try Client(server))
    let folder = try here.insert("Folder", ["name": "Home"])
    try await settle([here, there], fresh: server)
    let row = try #require(try there.rows("Folder").first).row
    try there.insert("Note", ["title": "late", "folder": .int(row)])
    try here.delete("Folder", folder)
    try await settle([here, there], fresh: server)
    #expect(try here.values("Note", "title") == ["late"])
    #expect(try here.values("Note", "folder") == [.null])
    #expect(try there.values("Note", "folder") == [.null])
  }

  @Test func anEditThatIsLaterThanADeletionKeepsTheWholeObject() async throws {
    let (here, there) = (try Client(server), try Client(server))
    let row = try here.insert("Note", ["title": "a", "text": "kept", "stars": 1])
    try await settle([here, there], fresh: server)
    try here.delete("Note", row)
    try await here.passStamps()
    try there.update("Note", try #require(try there.rows("Note").first).row, ["title": "b"])
    try await settle([here, there], fresh: server)
    #expect(try here.values("Note", "title") == ["b"])
    #expect(try here.values("Note", "text") == ["kept"])
  }

  @Test func aDeletionThatIsLaterThanAnEditDeletesAndKeepsTheEditAsAConflict() async throws {
    let (here, there) = (try Client(server), try Client(server))
    let row = try here.insert("Note", ["title": "a"])
    try await settle([here, there], fresh: server)
    try there.update("Note", try #require(try there.rows("Note").first).row, ["title": "b"])
    try await there.passStamps()
    try here.delete("Note", row)
    try await settle([here, there], fresh: server)
    #expect(try there.rows("Note").isEmpty)
    #expect(try there.engine.conflicts.map(\.value) == ["b"])
  }

  @Test func linksWaitForTheirTargetsAcrossRestartsAndAreNeverSentAsEmpty() async throws {
    let folder = try TemporaryFolder()
    let here = try Client(server)
    let home = try here.insert("Folder", ["name": "Home"])
    let note = try here.insert("Note", ["title": "a", "folder": .int(home)])
    try await here.drain()
    let names = (
      folder: try #require(try here.record("Folder", home)).name,
      note: try #require(try here.record("Note", note)).name
    )
    // Only the note is there yet.
    let zone = here.engine.zone
    _ = try await server.open(zone, create: true)
    let stamp = "1700000000000-aaaaaaaa"
    try await server.create(
      names.note,
      [
        "type": "Note", "t": .string(stamp), "f_title": "a",
        "f_folder": ["r", .string(names.folder), "Folder"],
      ], in: zone)
    var there = try Client(server, file: folder.file())
    try await there.engine.sync()
    #expect(try there.values("Note", "folder") == [.null])
    #expect(there.engine.status.waitingLinks == 1)
    try there.update("Note", try #require(try there.row(names.note)), ["title": "b"])
    try await there.engine.sync()
    try there.close()
    there = try Client(server, file: folder.file())
    try await server.create(
      names.folder,
      ["type": "Folder", "t": .string(stamp), "f_name": "Home"], in: zone)
    try await there.engine.sync()
    let row = try #require(try there.row(names.folder))
    #expect(try there.values("Note", "folder") == [.int(row)])
    #expect(there.engine.status.waitingLinks == 0)
    #expect(
      server.records(in: zone)[names.note]?.content?["f_folder"] == [
        "r", .string(names.folder), "Folder",
      ])
    try there.close()
  }

  @Test func cyclesArriveWhole() async throws {
    let (here, there) = (try Client(server), try Client(server))
    let first = try here.insert("Folder", ["name": "a"])
    let second = try here.insert("Folder", ["name": "b", "parent": .int(first)])
    try here.update("Folder", first, ["parent": .int(second)])
    try await settle([here, there], fresh: server)
    #expect(try there.values("Folder", "parent").allSatisfy { !$0.isNull })
  }

  @Test func changesBeyondTheLimitTakeAsManyBatchesAsNeeded() async throws {
    let transport = FaultyTransport(server)
    let here = try Client(transport)
    for index in 0..<1000 { try here.insert("Note", ["title": .string("\(index)")]) }
    let report = try await here.engine.push()
    #expect(report.sent == 1000)
    #expect(report.batches == 40)
    let there = try Client(server)
    #expect(try await there.engine.pull().pages == 20)
    #expect(try there.graph() == here.graph())
  }

  @Test func aLimitThatWasLoweredMeanwhileIsKept() async throws {
    let server = server
    let transport = FaultyTransport(server) { _ in
      server.setLimits(CloudLimits(batch: 7, page: 50))
    }
    let here = try Client(transport)
    for index in 0..<60 { try here.insert("Note", ["title": .string("\(index)")]) }
    #expect(try await here.engine.push().sent == 60)
    #expect(server.records(in: here.engine.zone).count == 60)
  }

  @Test func anAnswerThatSaysSomethingElseThanWasSentIsTaken() async throws {
    let here = try Client(Editor(inner: server))
    try here.insert("Note", ["title": "a", "text": "b"])
    try await here.engine.push()
    let entity = try here.stack.model.requireEntity(named: "Note")
    let values = try #require(try here.rows("Note").first).values
    #expect(values[try #require(entity.property(named: "title")).slot] == .string("theirs"))
    #expect(values[try #require(entity.property(named: "text")).slot] == .string("b"))
  }

  @Test func anEditDuringItsPushGoesWithTheNextOne() async throws {
    let edit = Locked<(@Sendable () throws -> Void)?>(nil)
    let transport = FaultyTransport(server) { _ in
      try edit.withLock { closure in
        defer { closure = nil }
        return closure
      }?()
    }
    let here = try Client(transport)
    let row = try here.insert("Note", ["title": "a"])
    edit.withLock { $0 = { try here.update("Note", row, ["title": "b"]) } }
    try await here.engine.push()
    #expect(here.engine.status.waiting == 1)
    try await here.engine.push()
    #expect(transport.saves.count == 2)
    #expect(server.records(in: here.engine.zone).values.first?.content?["f_title"] == "b")
    #expect(try here.engine.conflicts.isEmpty)
  }

  @Test func aForgottenTokenStartsOverAndWritesNoRows() async throws {
    let here = try Client(server)
    for index in 0..<120 { try here.insert("Note", ["title": .string("\(index)")]) }
    let row = try #require(try here.rows("Note").last).row
    try await here.engine.sync()
    try here.delete("Note", row)
    try await here.engine.sync()
    let before = try here.generation
    try await here.engine.write { $0.zone.token = "none" }
    #expect(try await here.engine.pull().records == 120)
    #expect(try here.generation == before)
  }

  @Test func twoHundredSyncsWithNothingToDoAreARequestEachAndLeaveTheFile() async throws {
    let folder = try TemporaryFolder()
    let here = try Client(server, file: folder.file())
    try here.insert("Note", ["title": "a"])
    try await sync(here, here)
    let requests = server.requestCount
    let files = {
      try ["", "-wal"].map { try Data(contentsOf: URL(filePath: folder.file().path + $0)) }
    }
    let before = try files()
    for _ in 0..<200 { try await here.engine.sync() }
    #expect(server.requestCount == requests + 200)
    #expect(try files() == before)
    try here.close()
  }

  @Test func aStoreWithoutAHistoryIsRefused() async throws {
    let stack = try DataStack(model: CloudModels.notes(), store: .inMemory)
    await expectError(.unsupported) { try CloudEngine(stack, transport: server) }
  }

  @Test func operationsRunInOrderAndKeepTheirResults() async throws {
    let (here, there) = (try Client(server), try Client(server))
    try there.insert("Note", ["title": "there"])
    try await there.engine.push()
    try here.insert("Note", ["title": "here"])
    let (pull, push) = (PullOperation(here.engine), PushOperation(here.engine))
    push.addDependency(pull)
    await withCheckedContinuation { continuation in
      push.whenFinished { _ in continuation.resume() }
      here.engine.queue.addOperations([pull, push], waitUntilFinished: false)
    }
    #expect(try pull.result?.get().inserted == 1)
    #expect(try push.result?.get().sent == 1)
    #expect(push.progress.completedUnitCount == 1)
    let late = PullOperation(here.engine)
    late.cancel()
    here.engine.queue.addOperation(late)
    await withCheckedContinuation { continuation in
      late.whenFinished { _ in continuation.resume() }
    }
    #expect(throws: CancellationError.self) { try late.result?.get() }
  }
}

/// A server that gives each new record a title, later than it was sent.
private struct Editor: RelayingTransport {
  let inner: any CloudTransport

  func save(_ saves: [CloudSave], in zone: CloudZone) async throws -> [CloudSaveResult] {
    try await inner.save(saves, in: zone).map { result in
      guard case .saved(let record) = result, var content = record.content,
        let stamp = content["t"]?.stringValue.flatMap(Stamp.init)
      else { return result }
      content["f_title"] = "theirs"
      content["t_title"] = .string(
        Stamp(milliseconds: stamp.milliseconds + 1, writer: "somebody").text)
      return .saved(
        CloudRecord(name: record.name, tag: record.tag, content: content, time: record.time))
    }
  }
}
