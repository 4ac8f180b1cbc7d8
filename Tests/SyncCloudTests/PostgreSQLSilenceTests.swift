import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncCloud

/// A server that stands still: no call waits for longer than its timeout, and none for a task that
/// was cancelled.
@Suite(.timeLimit(.minutes(5)), .server(.database)) struct PostgreSQLSilenceTests {
  private static let zone = CloudZone("z")

  /// A backend of PostgreSQL that is stopped until this is gone.
  private final class Stopped {
    let process: pid_t

    init(_ process: String?) throws {
      self.process = try #require(process.flatMap { pid_t($0) })
      kill(self.process, SIGSTOP)
    }

    deinit { kill(process, SIGCONT) }
  }

  /// A port that takes connections and never answers; everything that is sent is swallowed.
  private final class Pit {
    let port: UInt16
    private let socket: CInt

    init() throws {
      socket = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
      var place = sockaddr_in()
      place.sin_family = sa_family_t(AF_INET)
      place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let (socket, size) = (socket, length)
      let isBound = withUnsafeMutablePointer(to: &place) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
          bind(socket, place, size) == 0 && listen(socket, 100) == 0
            && getsockname(socket, place, &length) == 0
        }
      }
      try #require(isBound)
      port = UInt16(bigEndian: place.sin_port)
    }

    deinit { close(socket) }
  }

  private func seconds(_ body: () async throws -> Void) async -> (error: (any Error)?, time: Double)
  {
    let start = ContinuousClock.now
    do {
      try await body()
      return (nil, start.duration(to: .now) / .seconds(1))
    } catch {
      return (error, start.duration(to: .now) / .seconds(1))
    }
  }

  /// Seconds, far above each timeout: under load everything takes longer.
  private static let soon = 120.0

  private func expectSilence(_ outcome: (error: (any Error)?, time: Double)) {
    #expect((outcome.error as? CloudError)?.code == .unreachable, "\(outcome)")
    #expect(outcome.time < Self.soon, "\(outcome)")
  }

  @Test func aBackendThatIsStoppedIsLeftAfterTheTimeout() async throws {
    let connection = PostgreSQLConnection(
      try PostgreSQLAddress(try await TestServer.role()), timeout: 3)
    let stopped = try Stopped(try await connection.value("select pg_backend_pid()", []))
    expectSilence(await seconds { _ = try await connection.value("select 1", []) })
    #expect(try await connection.value("select 1", []) == "1")
    withExtendedLifetime(stopped) {}
  }

  /// The statement is larger than the network's buffers between a sender and no reader.
  @Test func whatIsNotTakenIsLeftAfterTheTimeout() async throws {
    let connection = PostgreSQLConnection(
      try PostgreSQLAddress(try await TestServer.role()), timeout: 3)
    let stopped = try Stopped(try await connection.value("select pg_backend_pid()", []))
    let large = String(repeating: "x", count: 30_000_000)
    expectSilence(await seconds { _ = try await connection.value("select $1::text", [large]) })
    withExtendedLifetime(stopped) {}
  }

  @Test func anAnswerThatComesInPiecesMayTakeLongerThanTheTimeout() async throws {
    let connection = PostgreSQLConnection(
      try PostgreSQLAddress(try await TestServer.role()), timeout: 4)
    let question =
      "select repeat('x', 100000) || coalesce(pg_sleep(0.8)::text, '') from generate_series(1, 7)"
    let answer = await seconds { _ = try await connection.value(question, []) }
    #expect(answer.error == nil && answer.time > 4.5, "\(answer)")
  }

  @Test(arguments: [false, true])
  func aCancelledCallReturnsWhateverTheServerDoes(_ isConnected: Bool) async throws {
    let pit = try Pit()
    let address =
      isConnected
      ? try await TestServer.role() : "postgresql://ann@127.0.0.1:\(pit.port)/x?sslmode=disable"
    let connection = PostgreSQLConnection(try PostgreSQLAddress(address), timeout: 600)
    let backend = isConnected ? try await connection.value("select pg_backend_pid()", []) : nil
    // One runs, and one waits behind it.
    let tasks = (0..<2).map { _ in
      Task { try await connection.value("select pg_sleep(600)", []) }
    }
    if let backend {
      // A call that was not sent leaves the line as it is.
      let question =
        "select count(*) from pg_stat_activity where pid = $1::int and state = 'active'"
      while try await TestServer.run(question, backend) != "1" { await Task.yield() }
    }
    let stopped = isConnected ? try Stopped(backend) : nil
    let outcome = await seconds {
      for task in tasks { task.cancel() }
      for task in tasks {
        await #expect(throws: CancellationError.self) { try await task.value }
      }
    }
    #expect(outcome.time < Self.soon, "\(outcome)")
    if isConnected { #expect(try await connection.value("select 1", []) == "1") }
    withExtendedLifetime((pit, stopped)) {}
  }

  @Test func aServerThatNeverAnswersIsLeftAfterTheTimeout() async throws {
    let pit = try Pit()
    let transport = try PostgreSQLTransport(
      "postgresql://ann@127.0.0.1:\(pit.port)/x?connect_timeout=0", app: "tests", timeout: 3)
    expectSilence(await seconds { _ = try await transport.account() })
    let signals = try #require(transport.signals(for: Self.zone))
    for await _ in signals { Issue.record("a signal") }
  }

  @Test func whoListensHearsThatTheServerStandsStill() async throws {
    let role = try await TestServer.role()
    let transport = try PostgreSQLTransport(role, app: "tests", timeout: 2)
    _ = try await transport.open(Self.zone, create: true)
    let signals = try #require(transport.signals(for: Self.zone))
    let name = try #require(URL(string: role)?.user())
    // Which it is, once it has asked for a sign of life, too.
    let ask = """
      select pid from pg_stat_activity
      where usename = $1 and (query like 'listen %' or query = 'select 1')
      """
    var process: String?
    while process == nil { process = try await TestServer.run(ask, name) }
    let stopped = try Stopped(process)
    for await _ in signals { Issue.record("a signal") }
    withExtendedLifetime(stopped) {}
  }

  /// As an app sees it: a push that is cancelled, or not, while the server stands still.
  @Test func aPushEndsWhateverTheServerDoes() async throws {
    let role = try await TestServer.role()
    let transport = try PostgreSQLTransport(role, app: "tests", timeout: 3, listens: false)
    let client = try Client(transport, retry: RetryPolicy(attempts: 1, delay: 0))
    try client.insert("Note", ["title": "a"])
    try await client.engine.sync()
    let name = try #require(URL(string: role)?.user())
    let ask = "select pid from pg_stat_activity where usename = $1"
    let stopped = try Stopped(try await TestServer.run(ask, name))
    try client.insert("Note", ["title": "b"])
    let tasks = (0..<2).map { _ in Task { try await client.engine.push() } }
    for task in tasks { task.cancel() }
    let outcome = await seconds {
      for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
    }
    #expect(outcome.time < Self.soon, "\(outcome)")
    // Another line sends the waiting record.
    #expect(try await client.engine.push().sent == 1)
    withExtendedLifetime(stopped) {}
  }
}
