import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncCloud

/// The rules of every transport that can share. Each rule gets the transports of two accounts, and
/// a zone of its own.
struct SharingContract: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let check: @Sendable (Pair) async throws -> Void

  /// An owner, a guest, and a zone of the owner's.
  struct Pair: Sendable {
    let owner: any CloudTransport
    let guest: any CloudTransport
    let own = CloudZone("shared-" + UUID().uuidString.lowercased())
    let shared: CloudZone
    let account: String

    init(_ owner: any CloudTransport, _ guest: any CloudTransport) async throws {
      (self.owner, self.guest) = (owner, guest)
      shared = CloudZone(own.name, owner: try await owner.account())
      account = try await guest.account()
    }

    func share(_ access: CloudZoneState.Access) async throws {
      _ = try await owner.open(own, create: true)
      try await owner.setParticipants([CloudParticipant(account, access)], of: own)
    }

    func write(
      _ name: String, as transport: any CloudTransport, _ zone: CloudZone
    ) async throws -> CloudRecord {
      let result = try await transport.save(
        [.create(name: name, content: SharingContract.content)], in: zone)
      guard case .saved(let record) = result.first else {
        throw CloudError(.unreachable, message: "\(result)")
      }
      return record
    }

    /// Expects that the guest finds nothing of the zone.
    func expectNothing(_ comment: Comment) async {
      await #expect(comment) { try await guest.open(shared, create: false) } throws: {
        Self.isMissing($0)
      }
      await #expect(comment) {
        try await guest.changes(in: shared, after: nil, limit: 10)
      } throws: { Self.isMissing($0) }
      await #expect(comment) {
        try await guest.save([.create(name: "late", content: SharingContract.content)], in: shared)
      } throws: {
        Self.isMissing($0) || ($0 as? CloudError)?.code == .forbidden
      }
    }

    static func isMissing(_ error: any Error) -> Bool {
      (error as? CloudError)?.code == .zoneMissing
    }
  }

  static let content: JSONObject = ["type": "Note", "f_title": "one"]

  init(_ name: String, _ check: @escaping @Sendable (Pair) async throws -> Void) {
    testDescription = name
    self.check = check
  }

  static let rules: [SharingContract] = [
    SharingContract("what is not shared is missing for others, and not made for them") { pair in
      _ = try await pair.owner.open(pair.own, create: true)
      await pair.expectNothing("never shared")
      await #expect { try await pair.guest.open(pair.shared, create: true) } throws: {
        Pair.isMissing($0)
      }
      try await pair.owner.setParticipants([], of: pair.own)
      _ = try await pair.write("r1", as: pair.owner, pair.own)
      await pair.expectNothing("shared with no account")
      let mine = try? await pair.guest.record("r1", in: pair.own)
      #expect(mine == nil)
    },
    SharingContract("owner and participants know who takes part") { pair in
      try await pair.share(.readOnly)
      let all = [CloudParticipant(pair.account, .readOnly)]
      #expect(try await pair.owner.participants(of: pair.own) == all)
      #expect(try await pair.guest.participants(of: pair.shared) == all)
      try await pair.owner.setParticipants([], of: pair.own)
      #expect(try await pair.owner.participants(of: pair.own).isEmpty)
    },
    SharingContract("who may read sees everything and writes nothing") { pair in
      try await pair.share(.readOnly)
      let record = try await pair.write("r1", as: pair.owner, pair.own)
      let state = try await pair.guest.open(pair.shared, create: false)
      #expect(state.access == .readOnly)
      #expect(state.generation == (try await pair.owner.open(pair.own, create: false).generation))
      #expect(
        try await pair.guest.changes(in: pair.shared, after: nil, limit: 10).records == [record])
      #expect(try await pair.guest.record("r1", in: pair.shared) == record)
      for save in [
        CloudSave.create(name: "r2", content: content),
        .update(name: "r1", tag: record.tag, content: ["f_title": "two"]),
      ] {
        await expectError(.forbidden) { try await pair.guest.save([save], in: pair.shared) }
      }
      #expect(try await pair.owner.changes(in: pair.own, after: nil, limit: 10).records == [record])
    },
    SharingContract("who may write changes what the owner wrote, and the owner what they wrote") {
      pair in
      try await pair.share(.readWrite)
      #expect(try await pair.guest.open(pair.shared, create: false).access == .readWrite)
      let first = try await pair.write("r1", as: pair.owner, pair.own)
      let second = try await pair.write("r2", as: pair.guest, pair.shared)
      let mine = try await pair.guest.save(
        [.update(name: "r1", tag: first.tag, content: ["f_title": "two"])], in: pair.shared)
      let theirs = try await pair.owner.save(
        [.update(name: "r2", tag: second.tag, content: ["f_title": "three"])], in: pair.own)
      guard case .saved(let one) = mine[0], case .saved(let two) = theirs[0] else {
        Issue.record("\(mine) \(theirs)")
        return
      }
      #expect([one.content?["f_title"], two.content?["f_title"]] == ["two", "three"])
      let shown = try await pair.guest.changes(in: pair.shared, after: nil, limit: 10)
      #expect(shown.records == [one, two])
    },
    SharingContract("a right can be raised and lowered") { pair in
      try await pair.share(.readOnly)
      let record = try await pair.write("r1", as: pair.owner, pair.own)
      try await pair.owner.setParticipants(
        [CloudParticipant(pair.account, .readWrite)], of: pair.own)
      #expect(try await pair.guest.open(pair.shared, create: false).access == .readWrite)
      try await pair.guest.update("r1", tag: record.tag, ["f_title": "two"], in: pair.shared)
      _ = try await pair.write("r2", as: pair.guest, pair.shared)
      try await pair.owner.setParticipants(
        [CloudParticipant(pair.account, .readOnly)], of: pair.own)
      #expect(try await pair.guest.open(pair.shared, create: false).access == .readOnly)
      let shown = try await pair.guest.changes(in: pair.shared, after: nil, limit: 10).records
      #expect(shown.map(\.name).sorted() == ["r1", "r2"])
      for record in shown {
        await expectError(.forbidden) {
          try await pair.guest.save(
            [.update(name: record.name, tag: record.tag, content: ["f_title": "no"])],
            in: pair.shared)
        }
      }
    },
    SharingContract("who is left out sees nothing any more, and the owner keeps everything") {
      pair in
      try await pair.share(.readWrite)
      _ = try await pair.write("r1", as: pair.owner, pair.own)
      let theirs = try await pair.write("r2", as: pair.guest, pair.shared)
      let token = try await pair.guest.changes(in: pair.shared, after: nil, limit: 10).token
      try await pair.owner.setParticipants([], of: pair.own)
      await pair.expectNothing("left out")
      await #expect {
        try await pair.guest.changes(in: pair.shared, after: token, limit: 10)
      } throws: { Pair.isMissing($0) }
      let own = try? await pair.guest.record(theirs.name, in: pair.shared)
      #expect(own == nil)
      let kept = try await pair.owner.changes(in: pair.own, after: nil, limit: 10).records
      #expect(kept.map(\.name).sorted() == ["r1", "r2"])
      #expect(kept.allSatisfy { $0.content == content })
    },
    SharingContract("a participant that stays goes on after another was left out") { pair in
      _ = try await pair.owner.open(pair.own, create: true)
      let other = CloudParticipant("account:nobody-\(pair.own.name)", .readWrite)
      let stays = CloudParticipant(pair.account, .readWrite)
      try await pair.owner.setParticipants([other, stays], of: pair.own)
      let first = try await pair.write("r1", as: pair.guest, pair.shared)
      let page = try await pair.guest.changes(in: pair.shared, after: nil, limit: 10)
      try await pair.owner.setParticipants([stays], of: pair.own)
      let results = try await pair.guest.save(
        [.update(name: "r1", tag: first.tag, content: ["f_title": "two"])], in: pair.shared)
      switch results[0] {
      case .saved(let record): #expect(record.content?["f_title"] == "two")
      // It has another tag in another place.
      case .conflict(let record): #expect(record.content == content)
      case .missing, .refused: Issue.record("\(results)")
      }
      do {
        _ = try await pair.guest.changes(in: pair.shared, after: page.token, limit: 10)
      } catch let error as CloudError {
        #expect(error.code == .tokenRefused)
      }
      let shown = try await pair.guest.changes(in: pair.shared, after: nil, limit: 10)
      #expect(shown.records.map(\.name) == ["r1"])
    },
    SharingContract("only the owner changes the participants, or removes the zone") { pair in
      try await pair.share(.readWrite)
      _ = try await pair.write("r1", as: pair.owner, pair.own)
      await expectError(.forbidden) { try await pair.guest.setParticipants([], of: pair.shared) }
      await expectError(.forbidden) { try await pair.guest.remove(pair.shared) }
      #expect(
        try await pair.owner.participants(of: pair.own)
          == [CloudParticipant(pair.account, .readWrite)])
      #expect(try await pair.owner.changes(in: pair.own, after: nil, limit: 10).records.count == 1)
    },
    SharingContract("a zone that its owner removes is missing for all") { pair in
      try await pair.share(.readWrite)
      _ = try await pair.write("r1", as: pair.guest, pair.shared)
      try await pair.owner.remove(pair.own)
      await pair.expectNothing("removed")
      _ = try await pair.owner.open(pair.own, create: true)
      await pair.expectNothing("made again")
    },
    SharingContract("who leaves is no error, and keeps the owner's records as they are") { pair in
      try await pair.share(.readWrite)
      _ = try await pair.write("r1", as: pair.guest, pair.shared)
      try await pair.guest.leave(pair.shared)
      try await pair.guest.leave(pair.shared)
      #expect(try await pair.owner.changes(in: pair.own, after: nil, limit: 10).records.count == 1)
    },
  ]
}

@Suite(.timeLimit(.minutes(5))) struct SharingContractTests {
  @Test(arguments: SharingContract.rules)
  func aServerInMemoryKeepsTheContract(_ rule: SharingContract) async throws {
    let server = MemoryTransport(account: "ann")
    try await rule.check(.init(server, server.signedIn(as: "bob")))
    try await rule.check(.init(server.signedIn(as: "bob"), server))
  }

  @Test(.server(.memory), .serialized, arguments: SharingContract.rules)
  func kintoInMemoryKeepsTheContract(_ rule: SharingContract) async throws {
    try await rule.check(
      .init(try await TestServer.transport(.memory), try await TestServer.transport(.memory)))
  }

  @Test(.server(.postgres)) func kintoOnPostgreSQLKeepsTheContract() async throws {
    let owner = try await TestServer.transport(.postgres)
    let guest = try await TestServer.transport(.postgres)
    for rule in SharingContract.rules { try await rule.check(.init(owner, guest)) }
  }

  @Test(.server(.database), arguments: SharingContract.rules)
  func postgreSQLKeepsTheContract(_ rule: SharingContract) async throws {
    try await rule.check(.init(try await TestServer.database(), try await TestServer.database()))
  }

  @Test(.server(.database), arguments: SharingContract.rules)
  func aStandInForPostgRESTKeepsTheContract(_ rule: SharingContract) async throws {
    let url = try PostgRESTTests.standIn.get()
    func transport() throws -> PostgRESTTransport {
      let token = "u-" + UUID().uuidString
      return try PostgRESTTransport(url, app: "tests", timeout: 60) { token }
    }
    try await rule.check(.init(try transport(), try transport()))
  }

  @Test func aTransportThatCannotShareSaysSo() async throws {
    await expectError(.unsupported) { try await ShelfTransport().participants(of: CloudZone("z")) }
  }
}

/// The answers of the servers themselves to requests without the transport.
@Suite(.timeLimit(.minutes(5))) struct RawSharingTests {
  @Test(.server(.memory)) func kintoShowsWhoWasLeftOutNothingByAnyPath() async throws {
    let owner = try await TestServer.transport(.memory)
    let guest = try await TestServer.transport(.memory)
    let pair = try await SharingContract.Pair(owner, guest)
    try await pair.share(.readWrite)
    _ = try await pair.write("r1", as: owner, pair.own)
    _ = try await pair.write("r2", as: guest, pair.shared)
    let directory = try await guest.directory(of: pair.shared)
    let before = try await guest.place(of: pair.shared).path
    #expect(before != directory)
    #expect(try await guest.send("GET", "\(before)/records/r2").status == 200)
    try await owner.setParticipants([], of: pair.own)
    let after = try await owner.place(of: pair.own).path
    #expect(after != before)
    for folder in [directory, before, after] {
      for path in [folder, "\(folder)/records", "\(folder)/records/r1", "\(folder)/records/r2"] {
        let answer = try await guest.send("GET", path)
        #expect([403, 404].contains(answer.status), "\(path): \(answer.status)")
        let write = try await guest.send(
          "PUT", "\(folder)/records/r2", body: ["data": ["type": "Note"]])
        #expect([403, 404].contains(write.status), "\(path): \(write.status)")
      }
    }
    #expect(try await owner.send("GET", "\(after)/records/r2").status == 200)
  }

  /// A reader does not find out where others write, and only the owner changes the participants.
  @Test(.server(.memory)) func kintoKeepsTheListOfParticipantsForTheOwner() async throws {
    let owner = try await TestServer.transport(.memory)
    let guest = try await TestServer.transport(.memory)
    let pair = try await SharingContract.Pair(owner, guest)
    try await pair.share(.readWrite)
    let path = try await guest.directory(of: pair.shared)
    for (method, body) in [
      ("PATCH", ["data": ["members": [:]]] as JSONValue),
      ("PATCH", ["permissions": ["read": ["system.Everyone"]]]), ("DELETE", [:]),
    ] {
      let answer = try await guest.send(method, path, body: body)
      #expect(answer.status == 403)
    }
    #expect(try await owner.participants(of: pair.own).count == 1)
  }

  @Test(.server(.database)) func functionsShowMembersTheirZonesAndNothingElse() async throws {
    let address = try await TestServer.role()
    let owner = try await TestServer.database()
    let guest = try PostgreSQLTransport(address, app: "tests", timeout: 60)
    let pair = try await SharingContract.Pair(owner, guest)
    let other = CloudZone("other")
    _ = try await owner.open(other, create: true)
    _ = try await pair.write("secret", as: owner, other)
    try await pair.share(.readWrite)
    _ = try await pair.write("r1", as: owner, pair.own)
    _ = try await pair.write("r2", as: guest, pair.shared)
    let connection = PostgreSQLConnection(try PostgreSQLAddress(address), timeout: 60)
    let account = try await owner.account()
    func count(_ zone: String) async throws -> String? {
      let path = "tests/private/\(zone)/\(account)"
      return try await connection.value(
        "select count(*) from syncstack.objects(syncstack.zone_number($1), 'Note')", [path])
    }
    func expectNone(_ zone: String) async {
      await expectError(.zoneMissing) { try await count(zone) }
    }
    #expect(try await count(pair.own.name) == "2")
    await expectNone("other")
    for statement in [
      "update syncstack.member set access = 'readWrite'", "delete from syncstack.member",
      "insert into syncstack.member values (1, 'x', 'readOnly')",
      "update syncstack.record set content = '{}'",
    ] {
      await expectError(.forbidden) { try await connection.value(statement, []) }
    }
    try await owner.setParticipants([], of: pair.own)
    await expectNone(pair.own.name)
  }
}
