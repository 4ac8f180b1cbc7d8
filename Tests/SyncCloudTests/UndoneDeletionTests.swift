import SyncStack
import Testing

@testable import SyncCloud

/// A deletion that others have heard of, and that is taken back here: the object is on every
/// machine as it was, with its links and its places in lists; and is gone when that is taken back.
extension UndoneSyncTests {
  /// Which object goes. The names of users and tags are those of their identities; those of notes and
  /// topics are made up, so that they come back under others.
  enum Victim: String, CaseIterable, CustomTestStringConvertible {
    case user = "User 1"
    case tag = "Tag 1"
    case note = "Note a"
    case topic = "Topic x"

    var testDescription: String { rawValue }
  }

  fileprivate struct Machines {
    let here: Client
    let there: Client
    let isHereFirst: Bool
    let server: MemoryTransport

    func settle() async throws {
      try await SyncCloudTests.settle(isHereFirst ? [here, there] : [there, here], fresh: server)
    }
  }

  private static let users = """
    [{"id": 1, "name": "Ann", "notes": [{"text": "a"}, {"text": "b"}, {"text": "c"}],
      "tags": [{"id": 1}, {"id": 2}], "badge": {"id": 9}},
     {"id": 2, "name": "Ben", "boss": {"id": 1}, "notes": [{"text": "d"}],
      "tags": [{"id": 1}, {"id": 3}]},
     {"id": 3, "name": "Cid", "boss": {"id": 2}}]
    """

  private func machines(_ isHereFirst: Bool) async throws -> Machines {
    let server = MemoryTransport(limits: CloudLimits(batch: 25, page: 50))
    let model = try UndoneSyncTests.model()
    let here = try Client(server, model: model, keepsFormerValues: true)
    let machines = Machines(
      here: here, there: try Client(server, model: model), isHereFirst: isHereFirst, server: server)
    try await here.sync(Self.users, "User")
    for text in ["x", "y", "z"] { try here.insert("Topic", ["text": .string(text)]) }
    for (user, texts) in [("User 1", ["Note d", "Note a"]), ("User 2", ["Note a", "Note b"])] {
      try here.link("User", row(user, here), "read", texts.map { try row($0, here) })
    }
    for (user, texts) in [("User 1", ["Topic y", "Topic x"]), ("User 3", ["Topic x", "Topic z"])] {
      try here.link("User", row(user, here), "topics", texts.map { try row($0, here) })
    }
    try await machines.settle()
    return machines
  }

  private func settle(_ machines: Machines, has expected: [String]) async throws {
    try await machines.settle()
    for client in [machines.here, machines.there] { try expect(client, has: expected) }
  }

  private func row(_ name: String, _ client: Client) throws -> Int64 {
    let parts = name.split(separator: " ").map(String.init)
    return try client.stack.store.read { reader in
      let entity = try reader.model.requireEntity(named: parts[0])
      var rows: [Int64] = []
      try reader.scan(entity, .all) { rows.append($0.row) }
      return try #require(
        rows.first { try self.name(ManagedObjectID(entity: entity, row: $0), reader) == name })
    }
  }

  private func delete(_ victim: Victim, _ client: Client) throws {
    let entity = victim.rawValue.split(separator: " ")[0]
    try client.delete(String(entity), row(victim.rawValue, client))
  }

  /// Gives partners of an object, which may be gone here, values and other members.
  private func edit(_ victim: Victim, _ client: Client) throws {
    let user = try row(victim == .user ? "User 2" : "User 1", client)
    try client.update("User", user, ["name": "new"])
    try client.link("User", user, "tags", [row("Tag 3", client)])
    try client.link("User", user, "read", [row(victim == .user ? "Note d" : "Note c", client)])
    try client.link("User", user, "topics", [row("Topic z", client)])
    try client.update("Tag", row("Tag 2", client), ["id": 22])
  }

  private func deletePartners(of victim: Victim, _ client: Client) throws {
    if victim == .user {
      try client.delete("Topic", row("Topic y", client))
    } else {
      try client.delete("User", row(victim == .note ? "User 2" : "User 1", client))
    }
    try client.delete("Tag", row("Tag 2", client))
  }

  /// The stations between an undo and the next one.
  enum Way: CaseIterable {
    case nothing, read, pushed, settled

    fileprivate func go(_ machines: Machines) async throws {
      switch self {
      case .nothing: break
      case .read: try await machines.here.drain()
      case .pushed: try await machines.here.engine.push()
      case .settled: try await machines.settle()
      }
    }
  }

  @Test(arguments: Victim.allCases, Way.allCases)
  func aDeletionThatWasSentIsTakenBackAndDoneAgain(_ victim: Victim, _ way: Way) async throws {
    for isHereFirst in [false, true] {
      let machines = try await machines(isHereFirst)
      let (here, there) = (machines.here, machines.there)
      let before = try content(here)
      try expect(there, has: before)
      try delete(victim, here)
      let gone = try content(here)
      var commit = try here.stack.latestHistoryToken()
      try await machines.settle()
      try expect(there, has: gone)
      for expected in [before, gone, before, gone] {
        let undo = try await here.stack.undo(commit, deletionGuard: .off)
        commit = try #require(undo.token)
        #expect(undo.left == [])
        try expect(here, has: expected)
        try await way.go(machines)
        try expect(here, has: expected)
        if way == .settled { try expect(there, has: expected) }
      }
      try await settle(machines, has: gone)
      try await here.stack.undo(commit, deletionGuard: .off)
      try await settle(machines, has: before)
      #expect(try await here.stack.checkConsistency().problems.isEmpty)
    }
  }

  /// Each machine's edits are there in the end, and all that the deletion took.
  @Test(arguments: Victim.allCases)
  func aDeletionIsTakenBackBesideEditsOfItsPartners(_ victim: Victim) async throws {
    let plain = try await machines(true)
    try edit(victim, plain.there)
    try await plain.settle()
    let expected = try content(plain.here)
    try delete(victim, plain.here)
    let gone = try content(plain.here)
    for isHereFirst in [false, true] {
      for isPulled in [false, true] {
        let machines = try await machines(isHereFirst)
        let (here, there) = (machines.here, machines.there)
        try delete(victim, here)
        let deletion = try here.stack.latestHistoryToken()
        try await here.engine.sync()
        if isPulled { try await there.engine.sync() }
        try edit(victim, there)
        // The order of a list is one value: that of the undo has to be the later one.
        try await there.passStamps()
        let undo = try await here.stack.undo(deletion)
        try await settle(machines, has: expected)
        let again = try await here.stack.undo(try #require(undo.token), deletionGuard: .off)
        #expect(again.left == [])
        try await settle(machines, has: gone)
      }
    }
  }

  /// What has gone elsewhere meanwhile may come back where the undo is the later edit of it; all
  /// machines agree, and the object is there.
  @Test(arguments: Victim.allCases)
  func aDeletionIsTakenBackBesideDeletionsOfItsPartners(_ victim: Victim) async throws {
    for isHereFirst in [false, true] {
      for isPulled in [false, true] {
        let machines = try await machines(isHereFirst)
        let (here, there) = (machines.here, machines.there)
        try delete(victim, here)
        let deletion = try here.stack.latestHistoryToken()
        try await here.engine.sync()
        if isPulled { try await there.engine.sync() }
        try deletePartners(of: victim, there)
        let undo = try await here.stack.undo(deletion)
        try await machines.settle()
        try expect(there, has: try content(here))
        _ = try row(victim.rawValue, there)
        try await here.stack.undo(try #require(undo.token), deletionGuard: .off)
        try await machines.settle()
        try expect(there, has: try content(here))
      }
    }
  }

  @Test(arguments: [Victim.user, .tag], [false, true])
  func aSyncThatMakesADeletedObjectAgainJoinsItOnAllMachines(
    _ victim: Victim, _ isHereFirst: Bool
  ) async throws {
    let machines = try await machines(isHereFirst)
    let here = machines.here
    try delete(victim, here)
    try await machines.settle()
    try await here.sync(Self.users, "User")
    let expected = try content(here)
    #expect(expected.contains { $0.hasPrefix("User 1:") && $0.contains(#"["Tag 1", "Tag 2"]"#) })
    try await settle(machines, has: expected)
  }

  /// On a machine that has pulled it.
  @Test(arguments: Victim.allCases, [false, true])
  func aDeletionThatCameIsTakenBackAndDoneAgain(
    _ victim: Victim, _ isHereFirst: Bool
  ) async throws {
    let machines = try await machines(isHereFirst)
    let (here, there) = (machines.here, machines.there)
    let before = try content(here)
    try delete(victim, there)
    let gone = try content(there)
    try await there.engine.push()
    let last = try here.stack.latestHistoryToken()
    try await here.engine.pull()
    try expect(here, has: gone)
    let pulled = HistoryToken(number: last.number + 1)...(try here.stack.latestHistoryToken())
    let undo = try await here.stack.undo(pulled)
    #expect(undo.left == [])
    try await settle(machines, has: before)
    let again = try await here.stack.undo(try #require(undo.token), deletionGuard: .off)
    #expect(again.left == [])
    try await settle(machines, has: gone)
  }
}
