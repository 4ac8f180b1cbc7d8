import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncCloud

/// Bytes of attributes travel as files: once, before the record, and come when they are to.
@Suite(.timeLimit(.minutes(5))) struct AssetTests {
  let server = MemoryTransport()

  /// Notes with bytes in rows and in files, of both kinds.
  static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel([
      EntityDraft(
        "Note",
        [
          "title", "photo binary cloud.asset=onDemand", "thumbnail binary cloud.asset=eager",
          "film cloud.asset=onDemand", "cover cloud.asset=eager",
        ])
    ])
  }

  func client(
    _ transport: (any CloudTransport)? = nil, file: URL? = nil, chunk: Int = 100
  ) throws -> Client {
    let client = try Client(transport ?? server, model: try Self.model(), file: file)
    client.engine.files.state.withLock { $0.chunk = chunk }
    return client
  }

  /// Bytes that are the same for the same number.
  static func bytes(_ count: Int, _ seed: Int = 0) -> Data {
    var generator = SeededGenerator(seed: UInt64(seed + 1))
    return Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
  }

  /// The chunks and manifests of the server.
  private func served(_ engine: CloudEngine) -> (chunks: [String], files: [String]) {
    let chunks = server.records(in: ServedFile.chunks(of: engine.zone))
    let files = server.records(in: ServedFile.manifests(of: engine.zone))
    return (
      chunks.filter { $0.value.content?["b"] != nil }.keys.sorted(),
      files.filter { $0.value.content?["size"] != nil }.keys.sorted()
    )
  }

  private func id(_ client: Client, _ row: Int64) throws -> ManagedObjectID {
    ManagedObjectID(entity: try client.stack.model.requireEntity(named: "Note"), row: row)
  }

  private func photo(_ client: Client, _ row: Int64 = 1) throws -> Value? {
    let slot = try #require(try Self.model().requireEntity(named: "Note").property(named: "photo"))
      .slot
    return try client.rows("Note").first { $0.row == row }?.values[slot]
  }

  // MARK: - Sending and fetching

  @Test func bytesOnDemandComeWhenTheyAreAskedFor() async throws {
    let (here, there) = (try client(), try client())
    let bytes = Self.bytes(950)
    let asset = CloudAsset(of: bytes)
    try here.insert("Note", ["title": "a", "photo": .data(bytes)])
    try await here.engine.sync()
    let record = try #require(server.records(in: here.engine.zone).values.first)
    #expect(record.content?["f_photo"] == ["a", .string(asset.hash), 950])
    #expect(served(here.engine).chunks.count == 10)
    try await there.engine.sync()
    #expect(try photo(there) == .data(asset.placeholder))
    #expect(try there.engine.assetState(of: id(there, 1), "photo") == .there)
    let progress = Progress(totalUnitCount: 0)
    try await there.engine.fetchAsset(of: id(there, 1), "photo", progress: progress)
    #expect(progress.completedUnitCount == 950 && progress.isFinished)
    #expect(try photo(there) == .data(bytes))
    #expect(try there.engine.assetState(of: id(there, 1), "photo") == .here)
    // A fetched file is no edit.
    #expect(try await there.engine.push().sent == 0)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: there.engine.assetFolder.path) == [
        "looked"
      ])
  }

  @Test @MainActor func aKeyPathSaysWhatIsFetched() async throws {
    let bytes = Self.bytes(300)
    let model = try ManagedObjectModel(Picture.self)
    let stacks = try (0..<2).map { _ in
      try DataStack(model: model, store: .inMemory, tracksChanges: true)
    }
    let engines = try stacks.map { try CloudEngine($0, transport: server) }
    Picture(context: stacks[0].viewContext).photo = bytes
    _ = try stacks[0].viewContext.save()
    for engine in engines { try await engine.sync() }
    let picture = try stacks[1].viewContext.fetch(Fetch<Picture>())[0]
    #expect(picture.photo.flatMap(CloudAsset.init(placeholder:)) == CloudAsset(of: bytes))
    try await engines[1].fetchAsset(of: picture, \.$photo)
    #expect(picture.photo == bytes)
    #expect(try engines[1].assetState(of: picture, \.$photo) == .here)
    #expect(throws: CloudError.self) { try engines[1].assetState(of: picture, \.$title) }
  }

  @Test func whatIsEagerComesWithThePull() async throws {
    let (here, there) = (try client(), try client())
    let (thumbnail, cover) = (Self.bytes(250, 1), Self.bytes(450, 2))
    let name = try await here.engine.addAsset(cover, pathExtension: "jpg")
    #expect(name == "\(CloudAsset(of: cover).hash)-450.jpg")
    try here.insert("Note", ["thumbnail": .data(thumbnail), "cover": .string(name)])
    try await here.engine.sync()
    try await there.engine.pull()
    #expect(try there.values("Note", "thumbnail") == [.data(thumbnail)])
    let url = try #require(there.engine.assetURL(name))
    #expect(try Data(contentsOf: url) == cover)
    #expect(try there.engine.assetState(of: id(there, 1), "cover") == .here)
    // Nothing is asked for again.
    let quiet = FaultyTransport(server)
    let again = try client(quiet)
    try await again.engine.sync()
    let count = quiet.calls.count
    try await again.engine.pull()
    #expect(quiet.calls.count == count + 1)
  }

  @Test func filesGoBeforeTheirRecordsTheManifestLastAndEachOnce() async throws {
    let line = FaultyTransport(server)
    let here = try client(line)
    let bytes = Self.bytes(250)
    let name = try await here.engine.addAsset(bytes, pathExtension: "bin")
    for number in 0..<40 {
      try here.insert(
        "Note", ["title": .string("\(number)"), "photo": .data(bytes), "film": .string(name)])
    }
    try await here.engine.sync()
    let hash = CloudAsset(of: bytes).hash
    let order = line.saves.flatMap { $0.map(\.name) }
    #expect(Array(order.prefix(4)) == ["\(hash)-0", "\(hash)-1", "\(hash)-2", hash])
    #expect(order.count == 44)
    // Another machine, and another name, send nothing again.
    let there = try client(line)
    let other = try await there.engine.addAsset(bytes, pathExtension: "txt")
    try there.insert("Note", ["film": .string(other), "thumbnail": .data(bytes)])
    try await there.engine.push()
    #expect(line.saves.flatMap { $0.map(\.name) }.count == 45)
    #expect(served(here.engine).files == [hash])
  }

  /// A program that ends between the last record of a file and its own note of the chunks that it
  /// has sent.
  @Test func aNoteOfWhatWasSentGoesOnceTheServerHasTheFile() async throws {
    let bytes = Self.bytes(350)
    let (first, second) = (try client(), try client())
    try first.insert("Note", ["title": "a", "photo": .data(bytes)])
    try await first.engine.push()
    let folder = second.engine.files.folder
    try folder.setSentChunks(4, of: CloudAsset(of: bytes), to: "0/100")
    try second.insert("Note", ["title": "b", "photo": .data(bytes)])
    try await second.engine.push()
    #expect(folder.content().filter { $0.name.hasPrefix("sent-") }.isEmpty)
  }

  /// A program that is killed, or a machine that loses its power, while it writes that note.
  @Test func aNoteOfWhatWasSentThatIsCutShortSaysNoMoreThanTheWholeOne() throws {
    let folder = AssetFolder(nil)
    defer { try? FileManager.default.removeItem(at: folder.url) }
    let asset = CloudAsset(of: Self.bytes(10))
    try folder.setSentChunks(123, of: asset, to: "0/100")
    #expect(folder.sentChunks(of: asset, to: "0/100") == 123)
    let place = folder.location("sent-\(asset.hash)")
    let whole = try Data(contentsOf: place)
    #expect(folder.content().map(\.name) == [place.lastPathComponent])
    for length in whole.indices {
      try whole.prefix(length).write(to: place)
      #expect(folder.sentChunks(of: asset, to: "0/100") < 123, "cut at \(length)")
    }
  }

  @Test func recordsWithoutFilesDoNotWaitForThem() async throws {
    let line = FaultyTransport(server)
    let here = try client(line)
    try here.insert("Note", ["title": "with", "photo": .data(Self.bytes(500))])
    try await here.engine.push()
    try here.insert("Note", ["title": "more", "photo": .data(Self.bytes(500, 1))])
    try here.update("Note", 1, ["title": "edited"])
    let before = line.saves.count
    try await here.engine.push()
    let order = line.saves.dropFirst(before).map { $0[0] }
    #expect(order.first?.content["f_title"] == "edited")
    #expect(order.last?.content["f_title"] == "more")
  }

  @Test func recordsWithoutBytesGoTogether() async throws {
    let line = FaultyTransport(server)
    let here = try client(line)
    for number in 0..<60 { try here.insert("Note", ["title": .string("\(number)")]) }
    try await here.engine.push()
    #expect(line.saves.map(\.count) == [60])
    for row in Int64(1)...60 { try here.update("Note", row, ["photo": .data(Self.bytes(1))]) }
    try here.update("Note", 7, ["photo": .null])
    try await here.engine.push()
    // The one without first, the file, its manifest, and the others as their files were looked at.
    #expect(line.saves.dropFirst().map(\.count).reduce(0, +) == 62)
    #expect(line.saves[1].count == 1 && line.saves[1][0].content["f_photo"] == .null)
  }

  @Test func emptyFilesAndFilesOfOneByteTravel() async throws {
    let (here, there) = (try client(), try client())
    for count in [0, 1, 99, 100, 101, 200] {
      try here.insert("Note", ["thumbnail": .data(Self.bytes(count))])
      let name = try await here.engine.addAsset(Self.bytes(count))
      try here.insert("Note", ["cover": .string(name)])
    }
    try await sync(here, there)
    #expect(try there.values("Note", "thumbnail") == here.values("Note", "thumbnail"))
    for case .string(let name) in try there.values("Note", "cover") {
      #expect(there.engine.assetURL(name) != nil)
    }
  }

  // MARK: - An absent file is no edit

  @Test func anAbsentBodyIsNeverTakenForAnEdit() async throws {
    let (here, there) = (try client(), try client())
    let bytes = Self.bytes(300)
    try here.insert("Note", ["title": "a", "photo": .data(bytes), "thumbnail": .data(bytes)])
    try await sync(here, there)
    try there.update("Note", 1, ["title": "b"])
    try await there.engine.sync()
    // As a whole, too.
    try await there.engine.uploadEverything()
    try await sync(there, here)
    #expect(try here.values("Note", "title") == ["b"])
    // And the bytes here stay, however often another machine says the same.
    #expect(try photo(here) == .data(bytes))
    #expect(try here.values("Note", "thumbnail") == [.data(bytes)])
    #expect(try here.engine.conflicts.isEmpty)
    // Nor is it anything but an edit to clear it.
    try there.update("Note", 1, ["photo": .null])
    try await sync(there, here)
    #expect(try photo(here) == .null)
    #expect(try here.engine.assetState(of: id(here, 1), "photo") == nil)
  }

  @Test func theLaterOfTwoFilesStaysAndTheOtherIsAConflict() async throws {
    let (here, there) = (try client(), try client())
    try here.insert("Note", ["photo": .data(Self.bytes(100))])
    try await sync(here, there)
    try here.update("Note", 1, ["photo": .data(Self.bytes(200, 1))])
    try await Task.sleep(for: .milliseconds(5))
    try there.update("Note", 1, ["photo": .data(Self.bytes(300, 2))])
    try await sync(there, here)
    #expect(try photo(here) == .data(CloudAsset(of: Self.bytes(300, 2)).placeholder))
    let conflict = try #require(here.engine.conflicts.first)
    try here.engine.restore(conflict)
    #expect(try photo(here) == .data(Self.bytes(200, 1)))
    try await sync(here, there)
    try await there.engine.fetchAsset(of: id(there, 1), "photo")
    #expect(try photo(there) == .data(Self.bytes(200, 1)))
  }

  @Test func exportAndFilterSeeWhatTheRowHolds() async throws {
    let (here, there) = (try client(), try client())
    let bytes = Self.bytes(300)
    try here.insert("Note", ["title": "a", "photo": .data(bytes)])
    try await sync(here, there)
    let context = there.stack.newBackgroundContext()
    let found = try await context.perform {
      try context.fetch(Fetch<ManagedObject>(entityNamed: "Note", "photo != nil")).count
    }
    #expect(found == 1)
    // The bytes by JSON are the same file: nothing but its time is sent.
    let line = FaultyTransport(server)
    let again = try client(line)
    try await again.engine.sync()
    try again.update("Note", 1, ["photo": .data(bytes)])
    try await again.engine.push()
    #expect(line.saves.flatMap { $0 }.map { $0.name.count } == [36])
  }

  @Test func bytesInRecordsOfEarlierTimesAreReadAndStay() async throws {
    let here = try client()
    let bytes = Self.bytes(200)
    _ = try await here.engine.sync()
    let content: JSONObject = [
      "type": "Note", "t": "1795232914360-abcdefgh",
      "f_photo": ["b", .string(bytes.base64EncodedString())],
    ]
    try await server.create("old", content, in: here.engine.zone)
    try await here.engine.sync()
    #expect(try photo(here) == .data(bytes))
    // No record knows them as a file.
    #expect(try await here.engine.evictAssets(keeping: 0) == 0)
    #expect(try photo(here) == .data(bytes))
  }

  // MARK: - Files that cannot be sent or fetched

  @Test(
    arguments: [
      ["a", "zz", 5], ["a", .string(String(repeating: "0", count: 64)), -1],
      ["a", .string(String(repeating: "0", count: 64)), .integer(.max)], ["a"], "a",
    ] as [JSONValue])
  func whatIsNoFileIsAProblemOfItsRecord(_ value: JSONValue) async throws {
    let here = try client()
    _ = try await here.engine.sync()
    let content: JSONObject = ["type": "Note", "t": "1795232914360-abcdefgh", "f_thumbnail": value]
    try await server.create("bad", content, in: here.engine.zone)
    #expect(try await here.engine.pull().problems == 1)
    #expect(here.engine.status.problems.first?.reason.contains("thumbnail") == true)
  }

  @Test func whatIsTooLargeIsAProblemOfItsObjectAtOnce() async throws {
    let line = FaultyTransport(server)
    let here = try client(line)
    here.engine.assetLimit = 400
    try here.insert("Note", ["title": "large", "photo": .data(Self.bytes(401))])
    try here.insert("Note", ["title": "small", "photo": .data(Self.bytes(400))])
    try here.insert("Note", ["title": "wrong", "film": "photo.jpg"])
    let report = try await here.engine.push()
    #expect(report.sent == 1 && report.refused == 2)
    let problems = here.engine.status.problems
    #expect(problems.map(\.row) == [1, 3])
    #expect(problems[0].description.hasPrefix("Note #1: photo: It has 401 bytes, and assetLimit"))
    #expect(problems[1].reason.contains("film is “photo.jpg”, which is no name that addAsset"))
    #expect(served(here.engine).chunks.count == 4)
    guard case .failed(let reason)? = try here.engine.assetState(of: id(here, 1), "photo") else {
      Issue.record("No reason.")
      return
    }
    #expect(reason.contains("401"))
    // Editing the object tries again.
    try here.update("Note", 1, ["photo": .data(Self.bytes(10))])
    #expect(try await here.engine.push().sent == 1)
    // A file that the server does not take is one, too.
    line.poison { $0.content["b"] != nil ? .refused("The disk is full.") : nil }
    try here.insert("Note", ["title": "full", "photo": .data(Self.bytes(20, 9))])
    #expect(try await here.engine.push().refused == 1)
    #expect(here.engine.status.problems.last?.reason == "photo: The disk is full.")
    line.poison { $0.content["b"] != nil ? .fails(.tooLarge) : nil }
    try here.insert("Note", ["title": "more", "photo": .data(Self.bytes(20, 10))])
    #expect(try await here.engine.push().refused == 1)
  }

  @Test func aDamagedFileNeverTakesItsPlace() async throws {
    let (here, there) = (try client(), try client())
    let bytes = Self.bytes(250)
    let name = try await here.engine.addAsset(bytes)
    try here.insert("Note", ["film": .string(name), "thumbnail": .data(bytes)])
    try await here.engine.sync()
    let zone = ServedFile.chunks(of: here.engine.zone)
    let chunk = "\(CloudAsset(of: bytes).hash)-1"
    let record = try #require(server.records(in: zone)[chunk])
    // A chunk that is damaged, and one that is a whole other one.
    let damages: [JSONObject] = [
      ["b": "AAAA", "h": "0"], ServedFile.content(Data(repeating: 1, count: 100)), [:],
    ]
    var tag = record.tag
    for damage in damages {
      let results = try await server.save(
        [.replace(name: chunk, tag: tag, content: damage)], in: zone)
      guard case .saved(let saved)? = results.first else {
        Issue.record("Not saved.")
        return
      }
      tag = saved.tag
      await #expect(throws: CloudError.self) {
        let other = try client()
        try await other.engine.sync()
        #expect(try other.values("Note", "thumbnail").first != .data(bytes))
        try await other.engine.fetchAsset(of: id(other, 1), "film")
      }
    }
    // A machine that has the file mends it by sending it.
    for zone in [zone, ServedFile.manifests(of: here.engine.zone)] { try await server.remove(zone) }
    try await here.engine.uploadEverything()
    try await sync(here, there)
    try await there.engine.fetchAsset(of: id(there, 1), "film")
    #expect(try Data(contentsOf: #require(there.engine.assetURL(name))) == bytes)
  }

  // MARK: - Stopping and going on

  @Test func aFetchIsCancelledAndGoesOnWhereItWas() async throws {
    let here = try client()
    let bytes = Self.bytes(1000)
    try here.insert("Note", ["photo": .data(bytes)])
    try await here.engine.sync()
    let line = FaultyTransport(server)
    let there = try client(line)
    try await there.engine.sync()
    let before = line.calls.count
    let task = Locked<Task<Void, any Error>?>(nil)
    // A manifest and five chunks.
    line.beforeEachCall { number in
      if number == before + 6 { task.withLock { $0 }?.cancel() }
      try Task.checkCancellation()
    }
    let object = try id(there, 1)
    let fetching = Task { try await there.engine.fetchAsset(of: object, "photo") }
    task.withLock { $0 = fetching }
    await #expect(throws: CancellationError.self) { try await fetching.value }
    #expect(try photo(there) == .data(CloudAsset(of: bytes).placeholder))
    line.beforeEachCall { _ in }
    let count = line.calls.count
    try await there.engine.fetchAsset(of: object, "photo")
    #expect(line.calls.count - count <= 6)
    #expect(try photo(there) == .data(bytes))
  }

  @Test func statesAreToldWhileFilesTravel() async throws {
    let up = FaultyTransport(server)
    let here = try client(up)
    try here.insert("Note", ["photo": .data(Self.bytes(500))])
    let object = try id(here, 1)
    let states = here.engine.assetStates(of: object, "photo")
    let seen = Task {
      var list: [CloudAssetState?] = []
      for await state in states {
        list.append(state)
        if state == nil { break }
      }
      return list
    }
    let line = Locked<Set<CloudAssetState>>([])
    up.beforeEachCall { _ in
      if let state = try here.engine.assetState(of: object, "photo") {
        line.withLock { _ = $0.insert(state) }
      }
    }
    let transport = FaultyTransport(server)
    let there = try client(transport)
    try await here.engine.sync()
    #expect(line.withLock { $0 }.isSuperset(of: [.here, .uploading(0), .uploading(0.8)]))
    try await there.engine.sync()
    let place = try id(there, 1)
    transport.beforeEachCall { _ in
      if let state = try there.engine.assetState(of: place, "photo") {
        line.withLock { _ = $0.insert(state) }
      }
    }
    try await there.engine.fetchAsset(of: place, "photo")
    #expect(line.withLock { $0 }.contains(.downloading(0.4)))
    #expect(try there.engine.assetState(of: place, "photo") == .here)
    try here.update("Note", 1, ["photo": .null])
    try await here.engine.sync()
    let told = await seen.value
    #expect(told.first == .here && told.last == .some(nil))
    // The transports would keep their engines, and these their folders.
    for each in [up, transport] { each.beforeEachCall { _ in } }
  }

  // MARK: - Removing here

  @Test func whatWasNotUsedForLongestGoesFirstAndComesBack() async throws {
    let here = try client()
    var names: [String] = []
    for number in 0..<4 {
      let name = try await here.engine.addAsset(Self.bytes(100, 10 + number), pathExtension: "film")
      names.append(name)
      try here.insert("Note", ["photo": .data(Self.bytes(100, number)), "film": .string(name)])
    }
    try here.insert("Note", ["thumbnail": .data(Self.bytes(100, 99))])
    // Not sent yet.
    #expect(try await here.engine.evictAssets(keeping: 0) == 0)
    try await here.engine.sync()
    let folder = here.engine.files.folder
    for (index, name) in names.enumerated() {
      let date = Date(timeIntervalSinceNow: Double(index) * 100 - 10_000)
      try FileManager.default.setAttributes(
        [.modificationDate: date], ofItemAtPath: folder.location(name).path)
    }
    _ = here.engine.assetURL(names[0])
    let pinned: Set<ManagedObjectID> = [try id(here, 2)]
    // A fetch of a file that is here is a use, too.
    try await here.engine.fetchAsset(of: id(here, 1), "photo")
    let uses = try here.stack.store.read { [zone = here.engine.zone.name] in
      try $0.remoteBodies(in: zone)
    }
    #expect(uses.last?.record == (try here.record("Note", 1)?.name))
    // Three files of the seven that are not pinned.
    #expect(try await here.engine.evictAssets(keeping: 400, pinned: pinned) == 200)
    #expect(names.map { folder.has($0) } == [true, true, false, false])
    #expect(try await here.engine.evictAssets(keeping: 0, pinned: pinned) == 400)
    #expect(names.map { folder.has($0) } == [false, true, false, false])
    #expect(try photo(here, 2) == .data(Self.bytes(100, 1)))
    #expect(try photo(here, 1) == .data(CloudAsset(of: Self.bytes(100)).placeholder))
    // It is no edit, and eager files stay.
    #expect(try await here.engine.push().sent == 0)
    #expect(try here.values("Note", "thumbnail").last == .data(Self.bytes(100, 99)))
    for row in Int64(1)...4 {
      try await here.engine.fetchAsset(of: id(here, row), "photo")
      try await here.engine.fetchAsset(of: id(here, row), "film")
      #expect(try photo(here, row) == .data(Self.bytes(100, Int(row) - 1)))
    }
    #expect(names.allSatisfy { folder.has($0) })
    // Bytes that were edited since, and not sent, stay.
    try here.update("Note", 1, ["photo": .data(Self.bytes(50, 77))])
    try await here.engine.evictAssets(keeping: 0)
    #expect(try photo(here, 1) == .data(Self.bytes(50, 77)))
  }

  @Test func filesOfTheOtherScopeStay() async throws {
    let model = try ManagedObjectModel([
      "Mine: film cloud.asset=onDemand",
      "Everybodys cloud.scope=public: film cloud.asset=onDemand",
    ])
    let folder = try TemporaryFolder()
    let here = try Client(server, model: model, file: folder.file("store.sqlite"))
    defer { try? here.close() }
    var names: [String] = []
    for (number, entity) in ["Mine", "Everybodys", ""].enumerated() {
      names.append(try await here.engine.addAsset(Self.bytes(100, number)))
      if !entity.isEmpty { try here.insert(entity, ["film": .string(names[number])]) }
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -40 * 86_400)],
        ofItemAtPath: here.engine.files.folder.location(names[number]).path)
    }
    try await here.engine.sync()
    #expect(try await here.engine.evictAssets(keeping: 0) == 200)
    #expect(names.map { here.engine.files.folder.has($0) } == [false, true, false])
    #expect(here.engine.assetFolder.lastPathComponent == "store.sqlite.assets")
    try here.close()
    try DataStack.destroyStore(at: folder.file("store.sqlite"))
    #expect(!FileManager.default.fileExists(atPath: here.engine.assetFolder.path))
  }

  // MARK: - Removing there

  @Test func filesWithoutAReferenceGoAfterTheGracePeriod() async throws {
    let (here, there) = (try client(), try client())
    let (kept, gone) = (Self.bytes(250, 1), Self.bytes(350, 2))
    try here.insert("Note", ["photo": .data(kept)])
    try here.insert("Note", ["photo": .data(gone)])
    try await here.engine.sync()
    try here.delete("Note", 2)
    try await here.engine.sync()
    #expect(try await here.engine.removeUnusedAssets() == 0)
    #expect(try await here.engine.removeUnusedAssets() == 0)
    #expect(served(here.engine).files.count == 2)
    // A record refers to it again: the mark goes.
    try there.insert("Note", ["photo": .data(gone)])
    try await there.engine.sync()
    #expect(try await here.engine.removeUnusedAssets(after: 0) == 0)
    try there.delete("Note", 1)
    for record in try there.rows("Note") { try there.update("Note", record.row, ["photo": .null]) }
    try await there.engine.sync()
    #expect(try await here.engine.removeUnusedAssets(after: 0) == 0)
    #expect(try await here.engine.removeUnusedAssets(after: 0) == 2)
    #expect(served(here.engine).files.isEmpty && served(here.engine).chunks.isEmpty)
    // And once more.
    try here.insert("Note", ["thumbnail": .data(gone)])
    try await here.engine.sync()
    let fresh = try client()
    try await fresh.engine.sync()
    #expect(try fresh.values("Note", "thumbnail").contains(.data(gone)))
  }

  /// As if it had been looked for the last time so many days ago.
  private func lookedBefore(_ days: Double, _ client: Client) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -days * 86_400)],
      ofItemAtPath: client.engine.files.folder.location("looked").path)
  }

  @Test(arguments: [0, 30 * 86_400, nil] as [Double?])
  func aSyncLooksOnceAWeekForFilesWithoutAReference(_ grace: Double?) async throws {
    let here = try client()
    here.engine.unusedAssetGrace = grace
    try here.insert("Note", ["photo": .data(Self.bytes(50, 1))])
    try here.insert("Note", ["photo": .data(Self.bytes(50, 2))])
    try await here.engine.sync()
    try here.delete("Note", 2)
    try await here.engine.sync()
    func marks() -> Int {
      server.records(in: ServedFile.manifests(of: here.engine.zone)).values.count {
        $0.content?["unused"] != nil
      }
    }
    #expect(marks() == 0)
    guard grace != nil else {
      #expect(!here.engine.files.folder.has("looked"))
      return
    }
    for days in [6.0, 8, 6, 8] {
      try lookedBefore(days, here)
      let before = (marks(), served(here.engine).files.count)
      try await here.engine.sync()
      if days < 7 { #expect((marks(), served(here.engine).files.count) == before) }
    }
    #expect(served(here.engine).files.count == (grace == 0 ? 1 : 2))
    #expect(marks() == (grace == 0 ? 0 : 1))
  }

  @Test func aClockThatIsWrongRemovesNoFile() async throws {
    let here = try client()
    let zone = ServedFile.manifests(of: here.engine.zone)
    try here.insert("Note", ["photo": .data(Self.bytes(50))])
    try await here.engine.sync()
    try here.delete("Note", 1)
    try await here.engine.sync()
    try await here.engine.removeUnusedAssets()
    let mark = server.records(in: zone).values.compactMap { $0.content?["unused"]?.integerValue }
    // The server's clock, whatever that of this machine says.
    #expect(mark == [server.records(in: zone)["looked"]?.time])
  }

  @Test func aFileThatIsUsedAgainLosesItsMark() async throws {
    let here = try client()
    let zone = ServedFile.manifests(of: here.engine.zone)
    let bytes = Self.bytes(50)
    try here.insert("Note", ["photo": .data(bytes)])
    try await here.engine.sync()
    let hash = CloudAsset(of: bytes).hash
    let record = try #require(server.records(in: zone)[hash])
    var content = try #require(record.content)
    content["unused"] = 1
    try await server.replace(hash, tag: record.tag, content, in: zone)
    #expect(try await here.engine.removeUnusedAssets() == 0)
    #expect(server.records(in: zone)[hash]?.content?["unused"] == nil)
  }

  @Test func signingOutWithAWipeLeavesNoFile() async throws {
    let here = try client()
    let name = try await here.engine.addAsset(Self.bytes(50))
    try here.insert("Note", ["film": .string(name)])
    try await here.engine.sync()
    try await here.engine.signOut(wipe: false)
    #expect(here.engine.assetURL(name) != nil)
    try await here.engine.signOut(wipe: true)
    #expect(here.engine.files.folder.content().isEmpty)
  }

  // MARK: - Settings of the model

  @Test(arguments: [
    (AttributeType.binary, ["cloud.asset": "always"], "known are eager and onDemand"),
    (.integer64, ["cloud.asset": "eager"], "holds neither bytes nor the name of a file"),
    (.binary, ["cloud.asset": "eager", "cloud.encrypted": "true"], "is encrypted"),
    (.binary, ["cloud.assets": "eager"], "which is not known there"),
  ])
  func whatCannotBeAFileIsRefusedWithTheReason(
    _ type: AttributeType, _ userInfo: [String: String], _ reason: String
  ) throws {
    let model = try ManagedObjectModel([
      EntityDraft("Note", [.attribute("photo", type, userInfo: userInfo)])
    ])
    #expect {
      _ = try Client(server, model: model)
    } throws: { error in
      let error = error as? CloudError
      return error?.code == .unsupported && error?.message.hasPrefix("Note.photo") == true
        && error?.message.contains(reason) == true
    }
  }

  @Test func documentsSayWhatIsAFile() throws {
    func model(_ attributes: String, _ entity: String = "") throws -> ManagedObjectModel {
      try ManagedObjectModel(
        xml: Data(
          "<model documentVersion=\"1.0\"><entity name=\"Note\">\(attributes)\(entity)</entity></model>"
            .utf8))
    }
    func assets(_ model: ManagedObjectModel) throws -> [String: AssetRule] {
      try TravellingFields(model).rules(of: model.requireEntity(named: "Note")).assets
    }
    let external =
      "<attribute name=\"photo\" optional=\"YES\" attributeType=\"Binary\" allowsExternalBinaryDataStorage=\"YES\"/>"
    #expect(try assets(model(external)) == ["photo": .eager])
    let masked =
      "<attribute name=\"photo\" optional=\"YES\" attributeType=\"Binary\" allowsExternalBinaryDataStorage=\"YES\">"
      + "<userInfo><entry key=\"CloudCoreMasks\" value=\"upload,download\"/></userInfo></attribute>"
    let cached = try model(
      masked, "<userInfo><entry key=\"CloudCoreCacheable\" value=\"true\"/></userInfo>")
    #expect(try assets(cached) == ["photo": .onDemand])
    let rules = try TravellingFields(cached).rules(of: cached.requireEntity(named: "Note"))
    #expect(rules.sent == ["photo"] && rules.taken == ["photo"])
  }
}

final class Picture: ManagedObject {
  @Attribute var title: String?
  @Attribute(userInfo: ["cloud.asset": "onDemand"]) var photo: Data?
}
