import SyncStack
import TestSupport
import Testing

@testable import SyncCloud

private final class Playlist: ManagedObject {
  @Attribute var name: String?
  @OrderedToMany(inverse: "playlist", deleteRule: .cascade) var songs: [Song]
  @OrderedToMany(inverse: "lists") var tags: [Tag]
}

private final class Song: ManagedObject {
  @Attribute var title: String?
  @ToOne var playlist: Playlist?
}

private final class Tag: ManagedObject {
  @Attribute var title: String?
  @ToMany var lists: Set<Playlist>
}

/// The order of ordered to-many relationships travels as one field with the names of the members.
@Suite(.timeLimit(.minutes(5))) struct ListTests {
  private let server = MemoryTransport(limits: CloudLimits(batch: 25, page: 50))
  private static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(Playlist.self, Song.self, Tag.self)
  }

  private func client(_ transport: (any CloudTransport)? = nil, clock: Double = 0) throws -> Client
  {
    try Client(transport ?? server, model: Self.model(), clock: clock)
  }

  /// Edits the playlist of a name, which is made when there is none.
  private func edit(
    _ client: Client, _ name: String = "a",
    _ body: @escaping @Sendable (Playlist, ManagedObjectContext) throws -> Void
  ) throws {
    try client.stack.edit { context in
      let known = try context.fetch(Fetch<Playlist>("name == %@", name)).first
      let playlist = known ?? Playlist(context: context)
      if known == nil { playlist.name = name }
      try body(playlist, context)
    }
  }

  private static func song(_ title: String, _ context: ManagedObjectContext) -> Song {
    let song = Song(context: context)
    song.title = title
    return song
  }

  /// Titles of the songs of a playlist, in order.
  private func songs(_ client: Client, _ name: String = "a") throws -> [String] {
    return try client.stack.inBackground { context in
      try context.fetch(Fetch<Playlist>("name == %@", name)).first?.songs.compactMap(\.title) ?? []
    }
  }

  private func fill(_ client: Client, _ titles: [String]) throws {
    try edit(client) { playlist, context in
      playlist.songs = titles.map { Self.song($0, context) }
    }
  }

  @Test func theOrderOfChildrenTravels() async throws {
    let transport = FaultyTransport(server)
    let (here, there) = (try client(transport), try client())
    try fill(here, ["x", "y", "z"])
    try await settle([here, there], fresh: server)
    #expect(try songs(there) == ["x", "y", "z"])
    try edit(here) { playlist, _ in playlist.songs.reverse() }
    try await here.engine.push()
    #expect(transport.saves.last?.map(\.content.keys) == [["f_songs", "t_songs"]])
    try await settle([there, here], fresh: server)
    #expect(try songs(there) == ["z", "y", "x"])
    // Nothing comes back as an echo.
    #expect(try await there.engine.push() == PushReport())
    #expect(try here.engine.conflicts.isEmpty)
  }

  @Test func theOrderOfPairsTravels() async throws {
    let (here, there) = (try client(), try client())
    try edit(here) { playlist, context in
      playlist.tags = ["x", "y", "z"].map { title in
        let tag = Tag(context: context)
        tag.title = title
        return tag
      }
    }
    try await settle([here, there], fresh: server)
    let first = try there.graph()
    try edit(there) { playlist, _ in playlist.tags.swapAt(0, 2) }
    try await settle([there, here], fresh: server)
    #expect(try here.graph() != first)
    try edit(here) { playlist, _ in playlist.tags.swapAt(0, 2) }
    try await settle([here, there], fresh: server)
    let order = try there.graph().values.compactMap { $0["tags in order"] }
    #expect(order == first.values.compactMap { $0["tags in order"] })
  }

  @Test func theLaterOrderWinsAndTheOtherCanBeRestored() async throws {
    let (here, there) = (try client(), try client())
    try fill(here, ["x", "y", "z"])
    try await settle([here, there], fresh: server)
    try edit(here) { playlist, _ in playlist.songs.swapAt(0, 1) }
    try await here.passStamps()
    try edit(there) { playlist, _ in playlist.songs.swapAt(1, 2) }
    try await settle([there, here], fresh: server)
    #expect(try songs(here) == ["x", "z", "y"])
    let conflict = try #require(try here.engine.conflicts.first)
    #expect(conflict.field == "songs")
    try here.engine.restore(conflict)
    try await settle([here, there], fresh: server)
    #expect(try songs(there) == ["y", "x", "z"])
  }

  @Test func whatTheLaterOrderDoesNotListComesLastEverywhere() async throws {
    let (here, there) = (try client(), try client())
    try fill(here, ["x", "y"])
    try await settle([here, there], fresh: server)
    for name in ["u", "v", "w"] {
      try edit(here) { playlist, context in playlist.songs.insert(Self.song(name, context), at: 0) }
    }
    try await here.passStamps()
    try edit(there) { playlist, context in
      playlist.songs.insert(Self.song("t", context), at: 1)
    }
    try await settle([here, there], fresh: server)
    #expect(try songs(here).prefix(3) == ["x", "t", "y"])
    #expect(Set(try songs(here)) == ["x", "y", "t", "u", "v", "w"])
    #expect(try songs(there) == songs(here))
    // The order that all see is one that an edit builds on.
    let last = try #require(try songs(there).last)
    try edit(there) { playlist, _ in playlist.songs.removeLast() }
    try await settle([there, here], fresh: server)
    #expect(try songs(here).count == 5 && !songs(here).contains(last))
  }

  @Test func membersThatComeLaterTakeTheirPlaces() async throws {
    let small = MemoryTransport(limits: CloudLimits(batch: 3, page: 2))
    let (here, there) = (try client(small), try client(small))
    let titles = (0..<20).map(String.init)
    try fill(here, titles)
    try await here.engine.push()
    try await there.engine.pull()
    #expect(try songs(there) == titles)
    try await settle([here, there], fresh: small)
  }

  @Test func aMemberThatGoesLeavesTheOrderAsItIs() async throws {
    let (here, there) = (try client(), try client())
    try fill(here, ["x", "y", "z"])
    try await settle([here, there], fresh: server)
    // Both take one out: neither says a new order, so nothing conflicts.
    try edit(here) { playlist, context in context.delete(playlist.songs[0]) }
    try edit(there) { playlist, context in context.delete(playlist.songs[2]) }
    try await settle([here, there], fresh: server)
    #expect(try songs(here) == ["y"])
    #expect(try here.engine.conflicts.isEmpty && there.engine.conflicts.isEmpty)
  }

  @Test func aMemberThatWasRemovedHereOnlyKeepsItsPlace() async throws {
    let (here, there) = (try client(), try client())
    try fill(here, ["w", "x", "y", "z"])
    try await settle([here, there], fresh: server)
    let index = try #require(try here.values("Song", "title").firstIndex(of: "x"))
    try await here.engine.evict(try here.rows("Song")[index].id)
    try edit(here) { playlist, _ in playlist.songs.swapAt(1, 2) }
    try await sync(here, there)
    #expect(try songs(there) == ["w", "x", "z", "y"])
  }

  @Test func whatStoodBehindADeletedMemberComesBehindTheOneBeforeThat() async throws {
    let (here, there) = (try client(), try client())
    try fill(here, ["w", "x", "y", "z"])
    try await settle([here, there], fresh: server)
    let index = try #require(try here.values("Song", "title").firstIndex(of: "y"))
    try await here.engine.evict(try here.rows("Song")[index].id)
    try edit(here) { playlist, context in context.delete(playlist.songs[1]) }
    try edit(here) { playlist, _ in playlist.songs.swapAt(0, 1) }
    try await sync(here, there)
    #expect(try songs(there) == ["z", "w", "y"])
  }

  @Test func objectsThatAreOlderThanTheHistoryKeepTheirOrder() async throws {
    let folder = try TemporaryFolder()
    let old = try DataStack(model: Self.model(), store: .sqlite(folder.file()))
    try old.edit { context in
      let playlist = Playlist(context: context)
      playlist.name = "a"
      playlist.songs = ["x", "y", "z", "v", "w"].map { Self.song($0, context) }
    }
    try old.close()
    let here = try Client(server, model: Self.model(), file: folder.file())
    let there = try client()
    try await settle([here, there], fresh: server)
    #expect(try songs(there) == ["x", "y", "z", "v", "w"])
    try here.close()
  }

  @Test func whatIsNoOrderIsAProblemAndTheOneHereStays() async throws {
    let here = try client()
    try fill(here, ["x", "y"])
    try await here.engine.sync()
    let zone = here.engine.zone
    let record = try #require(
      server.records(in: zone).values.first { $0.content?["type"] == "Playlist" })
    try await server.update(
      record.name, tag: record.tag,
      ["f_songs": "none", "t_songs": "9700000000000-aaaaaaaa"], in: zone)
    #expect(try await here.engine.pull().problems == 1)
    #expect(try songs(here) == ["x", "y"])
  }

  @Test func anOrderWhoseMembersDoNotTravelDoesNotEither() throws {
    let model = try ManagedObjectModel([
      "Album: songs ->> Song.albums ordered cloud.mask=both, local ->> Local.album ordered",
      "Song: albums ->> Album.songs",
      "Local cloud.scope=none: album -> Album.local",
    ])
    let fields = try TravellingFields(model)
    #expect(!fields.hasLists)
    #expect(fields.rules(of: try model.requireEntity(named: "Album")).names.isEmpty)
  }

  @Test(arguments: [UInt64.random(in: 0...UInt64(Int.max))])
  func machinesThatArrangeAtRandomEndEqual(_ seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let faults = (0..<3).map { FaultyTransport(server, seed: seed &+ $0) }
    let all = try zip(faults, [0.0, -300, 180]).map { try client($0, clock: $1) }
    for name in ["a", "b"] {
      try edit(all[0], name) { playlist, context in
        playlist.songs = (0..<6).map { Self.song("\($0)", context) }
      }
    }
    for client in all { try await client.engine.sync() }
    for fault in faults { fault.lossRate = 0.04 }
    for number in 0..<150 {
      let client = all[Int.random(in: 0..<3, using: &generator)]
      let name = Bool.random(using: &generator) ? "a" : "b"
      let (kind, place) = (
        Int.random(in: 0..<10, using: &generator), Int.random(in: 0..<100, using: &generator)
      )
      try edit(client, name) { playlist, context in
        let count = playlist.songs.count
        switch kind {
        case 0 where count > 3: context.delete(playlist.songs[place % count])
        case 1, 2:
          playlist.songs.insert(Self.song("new \(number)", context), at: place % (count + 1))
        case 3 where count > 3:
          let song = playlist.songs[place % count]
          let other = name == "a" ? "b" : "a"
          song.playlist = try context.fetch(Fetch<Playlist>("name == %@", other)).first
        default: if count > 1 { playlist.songs.swapAt(place % count, (place + 1) % count) }
        }
      }
      if Int.random(in: 0..<6, using: &generator) == 0 { try await client.syncWithLosses() }
    }
    for fault in faults { fault.lossRate = 0 }
    try await settle(all, fresh: server)
    print("lists converged: seed \(seed)")
  }
}
