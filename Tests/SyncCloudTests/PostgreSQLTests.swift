import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncCloud

/// PostgreSQL as the server, without anything in between.
@Suite(.timeLimit(.minutes(5)), .server(.database)) struct PostgreSQLTests {
  private static let zone = CloudZone("z")
  private static let content: JSONObject = ["type": "Note", "t": "0", "f_title": "one"]

  private static func code(_ body: () async throws -> Void) async -> CloudError.Code? {
    do {
      try await body()
      return nil
    } catch {
      return (error as? CloudError)?.code
    }
  }

  @Test(arguments: TransportContract.rules)
  func postgreSQLKeepsTheContract(_ rule: TransportContract) async throws {
    try await rule.check(try await TestServer.database())
  }

  @Test(arguments: TransportContract.rules)
  func postgreSQLKeepsTheContractWhereTransactionsAreSerializable(
    _ rule: TransportContract
  ) async throws {
    try await rule.check(
      try await TestServer.database("default_transaction_isolation = serializable"))
  }

  /// One account for all: each rule begins with no zone.
  @Test(.server(.pooler)) func postgreSQLKeepsTheContractBehindAPoolerOfTransactions() async throws
  {
    let transport = try PostgreSQLTransport(
      try TestServer.address(.pooler), app: "pooler", timeout: 60)
    for rule in TransportContract.rules {
      try await rule.check(transport)
      try await transport.remove(CloudZone("contract"))
    }
  }

  /// A replica has the written records from the beginning and without a gap, up to some moment.
  @Test(.server(.replica)) func aReplicaIsCompleteOrBehindAndNeverAhead() async throws {
    let role = try await TestServer.role()
    let transport = try PostgreSQLTransport(role, app: "tests", timeout: 60)
    _ = try await transport.open(Self.zone, create: true)
    let replica = try TestServer.address(.replica)
    let port = try #require(URL(string: replica)?.port)
    let primary = try #require(URL(string: role)?.port)
    let reader = try PostgreSQLTransport(
      role.replacing(":\(primary)/", with: ":\(port)/"), app: "tests", timeout: 60)
    var written: [String] = []
    var shown: [String] = []
    var token: CloudToken?
    func read() async throws {
      let page = try await reader.changes(in: Self.zone, after: token, limit: 100)
      shown += page.records.map(\.name)
      token = page.token
    }
    for number in 0..<60 {
      try await transport.create("r\(number)", Self.content, in: Self.zone)
      written.append("r\(number)")
      // A token of the original, which the copy may not have come to yet.
      let latest = try await transport.changes(in: Self.zone, after: token, limit: 1000).token
      _ = try await reader.changes(in: Self.zone, after: latest, limit: 100)
      try await read()
      #expect(shown == Array(written.prefix(shown.count)))
    }
    let end = try await TestServer.run("select pg_current_wal_lsn()")
    let copy = PostgreSQLConnection(try PostgreSQLAddress(replica), timeout: 60)
    while try await copy.value("select pg_last_wal_replay_lsn() >= $1::pg_lsn", [end]) != "t" {
      await Task.yield()
    }
    try await read()
    #expect(shown == written)
    #expect(
      await Self.code {
        try await reader.create("x", Self.content, in: Self.zone)
      } == .readOnly)
  }

  // MARK: - Several at once

  /// Writers of one zone and a reader that follows: whatever was said to be saved is shown to the
  /// reader, once, though its token is always the latest.
  private func everybodyWrites(_ addresses: [String]) async throws -> (saved: Int, shown: Int) {
    let reader = try PostgreSQLTransport(addresses[0], app: "tests", timeout: 60)
    _ = try await reader.open(Self.zone, create: true)
    return try await withThrowingTaskGroup(of: Int.self) { group in
      for (number, address) in addresses.enumerated() {
        group.addTask {
          let writer = try PostgreSQLTransport(address, app: "tests", timeout: 60)
          var saved = 0
          for round in 0..<15 {
            let saves = (0..<4).map {
              CloudSave.create(name: "r\(number)-\(round)-\($0)", content: Self.content)
            }
            for case .saved in try await writer.save(saves, in: Self.zone) { saved += 1 }
          }
          return saved
        }
      }
      var names: [String] = []
      var token: CloudToken?
      func read() async throws {
        let page = try await reader.changes(in: Self.zone, after: token, limit: 7)
        names += page.records.map(\.name)
        token = page.token
        if page.hasMore { try await read() }
      }
      var saved = 0
      while let count = try await group.next() {
        saved += count
        try await read()
      }
      try await read()
      #expect(Set(names).count == names.count)
      return (saved, names.count)
    }
  }

  @Test(arguments: [nil, "default_transaction_isolation = serializable"])
  func whatManyWriteAtOnceIsShownOnceAndPassedOverByNoToken(_ settings: String?) async throws {
    let address = try await TestServer.role(settings)
    let counts = try await everybodyWrites(Array(repeating: address, count: 6))
    #expect(counts.saved == 6 * 15 * 4)
    #expect(counts.shown == counts.saved)
  }

  @Test func whoListensIsToldOfChangesOfItsZoneAndOfTheEndOfTheConnection() async throws {
    let role = try await TestServer.role()
    let (here, there) = (
      try PostgreSQLTransport(role, app: "tests", timeout: 60),
      try PostgreSQLTransport(role, app: "tests", timeout: 60, listens: false)
    )
    #expect(there.signals(for: Self.zone) == nil)
    _ = try await here.open(Self.zone, create: true)
    let signals = try #require(here.signals(for: Self.zone))
    var heard = signals.makeAsyncIterator()
    let ask =
      "select count(*) from pg_stat_activity where query like 'listen %' and usename = $1"
    let name = try #require(URL(string: role)?.user())
    while try await TestServer.run(ask, name) != "1" { await Task.yield() }
    // Another zone is nothing to tell, and comes first.
    let other = CloudZone("other")
    _ = try await there.open(other, create: true)
    try await there.create("r1", Self.content, in: other)
    try await there.create("r1", Self.content, in: Self.zone)
    #expect(await heard.next() != nil)
    try await TestServer.run(
      "select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen %' and usename = $1",
      name)
    #expect(await heard.next() == nil)
    // A zone that is not there has no signals.
    let none = try #require(here.signals(for: CloudZone("none")))
    for await _ in none { Issue.record("a signal") }
  }

  /// A transaction that notifies holds a lock of the whole cluster until its commit is on the disk:
  /// saves of all zones would wait for each other.
  @Test func noSaveNotifiesButTheCallAfterItAndEditsByPlainSQL() async throws {
    let role = try await TestServer.role()
    _ = try await PostgreSQLTransport(role, app: "tests", timeout: 60)
      .open(Self.zone, create: true)
    let path = "tests/private/\(Self.zone.name)"
    let patience = PostgreSQLLine.Patience(silence: 60) { false }
    let line = try PostgreSQLLine(PostgreSQLAddress(role), patience)
    let library = line.library
    func notifies(_ statement: String) throws -> Bool {
      _ = try line.value(statement, [], patience)
      var isHeard = false
      while let notice = library.notifies(line.connection) {
        isHeard = true
        library.freemem(notice)
      }
      return isHeard
    }
    let channel = try #require(
      try line.value("select syncstack.open('\(path)', false) ->> 'channel'", [], patience))
    #expect(try !notifies("listen \(channel)"))
    #expect(try !notifies("select syncstack.open('\(path)', true)"))
    let save = #"[{"op": "create", "name": "r1", "content": {"type": "Note"}}]"#
    #expect(try !notifies("select syncstack.save('\(path)', '\(save)')"))
    #expect(try notifies("select syncstack.tell('\(path)')"))
    #expect(try notifies("select syncstack.write('\(path)', 'Note', 'r2', '{}')"))
  }

  // MARK: - Rights

  @Test func noAccountReadsOrWritesRecordsOfAnotherByRawSQLEither() async throws {
    let (ann, bob) = (try await TestServer.role(), try await TestServer.role())
    let transport = try PostgreSQLTransport(ann, app: "tests", timeout: 60)
    _ = try await transport.open(Self.zone, create: true)
    try await transport.create("mine", Self.content, in: Self.zone)
    // Nothing but functions answers, and no plan tells how much others have.
    let connection = PostgreSQLConnection(try PostgreSQLAddress(bob), timeout: 60)
    let mine = PostgreSQLConnection(try PostgreSQLAddress(ann), timeout: 60)
    let number = try #require(
      try await mine.value("select syncstack.zone_number('tests/private/z')", []))
    let ask = "select count(*) from syncstack.objects(\(number), 'Note')"
    #expect(try await mine.value(ask, []) == "1")
    #expect(try await connection.value(ask, []) == "0")
    let plan = try await connection.value(
      "explain (format json) select * from syncstack.objects(\(number), 'Note')", [])
    #expect(plan?.contains("Function Scan") == true && plan?.contains("\"record\"") == false)
    for statement in [
      "select * from syncstack.record",
      "explain select * from syncstack.record where name = 'mine'",
      "explain select * from syncstack.zone", "select * from syncstack.member",
      "select syncstack.move_channel(null)",
      "insert into syncstack.zone (app, scope, name, owner) values ('a', 'public', 'b', 'c')",
      "update syncstack.record set content = null", "delete from syncstack.zone",
      "insert into syncstack.gateway values (session_user)", "select * from syncstack.gateway",
      "select syncstack.locate('tests/private/z')",
    ] {
      #expect(await Self.code { _ = try await connection.value(statement, []) } == .forbidden)
    }
    // An account that calls the functions has a zone of that name of its own, or none.
    let other = try PostgreSQLTransport(bob, app: "tests", timeout: 60)
    #expect(
      await Self.code { _ = try await other.changes(in: Self.zone, after: nil, limit: 1) }
        == .zoneMissing)
  }

  @Test func claimsCountWhereAGatewayMakesThemOnly() async throws {
    let role = try await TestServer.role()
    let name = try #require(URL(string: role)?.user())
    let connection = PostgreSQLConnection(try PostgreSQLAddress(role), timeout: 60)
    let ask = "select syncstack.account() from set_config('request.jwt.claims', $1, false)"
    #expect(try await connection.value(ask, [#"{"sub": "ann"}"#]) == name)
    try await TestServer.run("insert into syncstack.gateway values ($1)", name)
    #expect(try await connection.value(ask, [#"{"sub": "ann"}"#]) == "ann")
    #expect(await Self.code { _ = try await connection.value(ask, [""]) } == .notSignedIn)
  }

  @Test func accountsOfAGatewayMayHaveAPrefix() async throws {
    let role = try await TestServer.role()
    let name = try #require(URL(string: role)?.user())
    let connection = PostgreSQLConnection(try PostgreSQLAddress(role), timeout: 60)
    let ask = "select syncstack.account() from set_config('request.jwt.claims', $1, false)"
    try await TestServer.run("insert into syncstack.gateway values ($1, 'web:')", name)
    #expect(try await connection.value(ask, [#"{"sub": "ann"}"#]) == "web:ann")
    for claims in ["", "{}", #"{"sub": ""}"#] {
      #expect(await Self.code { _ = try await connection.value(ask, [claims]) } == .notSignedIn)
    }
  }

  /// A former participant does not hear of saves any more, and the others still do.
  @Test func aChannelIsAnotherOneWhenAParticipantGoes() async throws {
    let (owner, guest) = (try await TestServer.role(), try await TestServer.role())
    let transport = try PostgreSQLTransport(owner, app: "tests", timeout: 60)
    _ = try await transport.open(Self.zone, create: true)
    let account = try #require(URL(string: guest)?.user())
    let functions = try StoredFunctions(
      app: "tests", PostgreSQLCaller(PostgreSQLAddress(owner), timeout: 60))
    try await transport.setParticipants([.init(account, .readOnly)], of: Self.zone)
    let before = try #require(try await functions.channel(of: Self.zone))
    _ = try await transport.open(CloudZone("other"), create: true)
    let other = try #require(try await functions.channel(of: CloudZone("other")))
    #expect(before != other && before.utf8.count > 32)
    let signals = try #require(transport.signals(for: Self.zone))
    let ask = "select count(*) from pg_stat_activity where query like 'listen %' and usename = $1"
    let name = try #require(URL(string: owner)?.user())
    while try await TestServer.run(ask, name) != "1" { await Task.yield() }
    try await transport.setParticipants([], of: Self.zone)
    // One signal, that something has changed, and then the end: the next stream is another line.
    var heard = 0
    for await _ in signals { heard += 1 }
    #expect(heard == 1)
    #expect(try await functions.channel(of: Self.zone) != before)
  }

  /// A guest's transaction that stays open keeps a public zone from the others; they are told.
  @Test func aZoneThatAnotherKeepsLockedIsBusy() async throws {
    let name = "d" + UUID().uuidString.lowercased().replacing("-", with: "")
    let functions = PostgreSQLTransport.schema.replacing("'10s'", with: "'100ms'")
    let owner = try TestServer.install(functions, in: name)
    let address = try await TestServer.role().replacing("/kinto", with: "/\(name)")
    let guest = PostgreSQLConnection(try PostgreSQLAddress(address), timeout: 60)
    let other = try PostgreSQLTransport(owner, app: "tests", timeout: 60)
    let zone = CloudZone("z", scope: .public)
    _ = try await other.open(zone, create: true)
    _ = try await guest.value("begin", [])
    let saves = #"[{"op": "create", "name": "g", "content": {}}]"#
    _ = try await guest.value("select syncstack.save('tests/public/z', $1::jsonb)", [saves])
    let save = { try await other.create("r1", Self.content, in: zone) }
    #expect(await Self.code(save) == .busy)
    _ = try await guest.value("rollback", [])
    #expect(await Self.code(save) == nil)
  }

  @Test func whatIsInAPublicZoneIsChangedByThoseWhoAddedIt() async throws {
    let zone = CloudZone("p" + UUID().uuidString.lowercased(), scope: .public)
    let (ann, bob) = (try await TestServer.database(), try await TestServer.database())
    _ = try await TestServer.database().open(zone, create: true)
    let saved = try await ann.save([.create(name: "r1", content: Self.content)], in: zone)
    guard case .saved(let record) = saved[0] else {
      Issue.record("\(saved)")
      return
    }
    #expect(try await bob.changes(in: zone, after: nil, limit: 10).records == [record])
    let update = CloudSave.update(name: "r1", tag: record.tag, content: ["f_title": "two"])
    guard case .refused = try await bob.save([update], in: zone)[0] else {
      Issue.record("It was taken.")
      return
    }
    guard case .saved = try await ann.save([update], in: zone)[0] else {
      Issue.record("It was refused.")
      return
    }
    #expect(await Self.code { try await bob.remove(zone) } == .forbidden)
  }

  @Test func sqlInNamesAndValuesIsText() async throws {
    let transport = try await TestServer.database()
    _ = try await transport.open(Self.zone, create: true)
    let evil = "'); drop table syncstack.record; -- $1 \\ \" %s"
    let content: JSONObject = ["type": .string(evil), "t": "0", "f_\(evil)": .string(evil)]
    let result = try await transport.save([.create(name: "r1", content: content)], in: Self.zone)
    #expect(try await transport.record("r1", in: Self.zone)?.content == content)
    guard case .saved = result[0] else {
      Issue.record("\(result)")
      return
    }
    guard
      case .refused = try await transport.save(
        [.create(name: evil, content: content)], in: Self.zone)[0]
    else {
      Issue.record("The name was taken.")
      return
    }
    let zone = CloudZone(evil)
    #expect(await Self.code { _ = try await transport.open(zone, create: true) } == .unsupported)
  }

  // MARK: - When it goes wrong

  @Test func noErrorSaysThePassword() async throws {
    let right = try await TestServer.role()
    let wrong = right.replacing(":\(TestServer.password)@", with: ":hunter2@")
    await #expect {
      _ = try await PostgreSQLTransport(wrong, app: "tests").account()
    } throws: { error in
      (error as? CloudError)?.code == .notSignedIn && !"\(error)".contains("hunter2")
    }
    for text in ["postgresql://ann:hunter2@[::1", "hunter2", "host=a password='hunter2"] {
      #expect {
        _ = try PostgreSQLTransport(text, app: "tests")
      } throws: { error in
        (error as? CloudError)?.code == .unsupported && !"\(error)".contains("hunter2")
      }
    }
  }

  @Test func aServerThatDoesNotListenIsSaidAtOnce() async throws {
    let transport = try PostgreSQLTransport("postgresql://ann@127.0.0.1:1/x", app: "tests")
    await #expect {
      _ = try await transport.account()
    } throws: { error in
      (error as? CloudError)?.code == .unreachable && (error as? CloudError)?.isClosed == true
    }
  }

  @Test func aDatabaseWithoutTheFunctionsSaysWhatInstallsThem() async throws {
    let name = "d" + UUID().uuidString.lowercased().replacing("-", with: "")
    try await TestServer.run("create database \(name)")
    let owner = try TestServer.address(.database).absoluteString
    let transport = try PostgreSQLTransport(owner + "/" + name, app: "tests", timeout: 60)
    await #expect {
      _ = try await transport.account()
    } throws: { error in
      (error as? CloudError)?.code == .unsupported && "\(error)".contains("install-sql")
    }
  }

  @Test func aCancelledStatementEndsAtOnceAndTheNextOneRuns() async throws {
    let connection = PostgreSQLConnection(
      try PostgreSQLAddress(try await TestServer.role()), timeout: 600)
    let process = try await connection.value("select pg_backend_pid()", [])
    let task = Task { try await connection.value("select pg_sleep(600)", []) }
    while try await TestServer.run(
      "select wait_event from pg_stat_activity where pid = $1::integer", process) != "PgSleep"
    {
      await Task.yield()
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await connection.value("select 1", []) == "1")
  }

  @Test func aStatementThatTakesTooLongIsEnded() async throws {
    let connection = PostgreSQLConnection(
      try PostgreSQLAddress(try await TestServer.role()), timeout: 3)
    #expect(
      await Self.code { _ = try await connection.value("select pg_sleep(600)", []) } == .unreachable
    )
    #expect(try await connection.value("select 1", []) == "1")
  }

  /// A statement that reads is asked once more; whether one that writes was done is not known.
  @Test func aConnectionThatTheServerEndedIsMadeAnew() async throws {
    let connection = PostgreSQLConnection(
      try PostgreSQLAddress(try await TestServer.role()), timeout: 60)
    for isRepeatable in [true, false] {
      let process = try await connection.value("select pg_backend_pid()", [])
      try await TestServer.run("select pg_terminate_backend($1::integer, 60000)", process)
      let ask = { _ = try await connection.value("select 1", [], isRepeatable: isRepeatable) }
      #expect(await Self.code(ask) == (isRepeatable ? nil : .unreachable))
      #expect(await Self.code(ask) == nil)
    }
  }
}
