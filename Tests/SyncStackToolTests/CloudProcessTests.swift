import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncStackTool

/// Remote sync by processes of their own: against a real server, and against one that never
/// answers.
@Suite(.timeLimit(.minutes(5))) struct CloudProcessTests {
  private let bench: ToolBench
  private let model: String

  init() throws {
    bench = try ToolBench()
    model = try bench.file("model.xml", BadInputTests.model)
  }

  private func importing(_ json: String) async throws {
    let file = try bench.file("users.json", json)
    let result = await bench.run(
      "import", file, "--model", model, "--entity", "User", "--store", bench.store, "--quiet")
    #expect(result.code == .done, "\(result.error)")
  }

  /// Sends the stored objects and fetches them into another store, twice.
  ///
  /// - Returns: The path of that.
  private func meet(_ address: [String], _ environment: [String: String] = [:]) async throws
    -> String
  {
    let push = try ToolProcess(
      ["push", "--store", bench.store] + address, environment: environment)
    #expect(await push.wait() == 0, "\(push.error)")
    #expect(push.output == "2 records sent.\n")
    let other = bench.folder.file("other.sqlite").path
    let pull = try ToolProcess(
      ["pull", "--store", other, "--model", model] + address, environment: environment)
    #expect(await pull.wait() == 0, "\(pull.error)")
    #expect(pull.output == "2 objects inserted, 0 updated, 0 deleted.\n")
    let again = try ToolProcess(["pull", "--store", other], environment: environment)
    #expect(await again.wait() == 0, "\(again.error)")
    #expect(again.output == "Nothing new.\n")
    return other
  }

  @Test(.enabled("no server: the output says why") { TestServer.isAvailable(.memory) })
  func twoStoresMeetOnARealServer() async throws {
    let url = try TestServer.address(.memory)
    let user = try await TestServer.account(on: url)
    let address = ["--server", url.absoluteString, "--app", "tool", "--user", user]
    let password = ["SYNCSTACK_PASSWORD": TestServer.password]
    try await importing(#"[{"id": 1, "name": "Ann"}, {"id": 2, "name": "Bob"}]"#)
    let wrong = try ToolProcess(
      ["push", "--store", bench.store] + address, environment: ["SYNCSTACK_PASSWORD": "wrong"])
    #expect(await wrong.wait() == 1)
    #expect(wrong.error.contains("does not accept"), "\(wrong.error)")
    let other = try await meet(address, password)
    for file in [bench.store, other] {
      let bytes = try Data(contentsOf: URL(filePath: file))
      #expect(bytes.range(of: Data(user.utf8)) != nil)
      #expect(
        bytes.range(of: Data(TestServer.password.utf8)) == nil, "the password is in the store")
    }
  }

  @Test(.enabled("no server: the output says why") { TestServer.isAvailable(.database) })
  func twoStoresMeetOnPostgreSQL() async throws {
    let url = try TestServer.address(.database).absoluteString.replacing("kinto@", with: "")
    let address = ["--server", url + "/kinto", "--app", "tool", "--user", "kinto"]
    try await importing(#"[{"id": 1, "name": "Ann"}, {"id": 2, "name": "Bob"}]"#)
    _ = try await meet(address)
  }

  @Test func theSQLThatADatabaseNeedsIsPrinted() async throws {
    let result = await bench.run("cloud", "install-sql")
    #expect(result.code == .done)
    #expect(result.output.contains("create schema if not exists syncstack;"))
    #expect(result.output.hasSuffix("commit;\n\n"))
    #expect(await bench.run("cloud", "uninstall").code == .usage)
  }

  @Test func withoutPasswordAndTerminalItSaysWhereToPutIt() async throws {
    try await importing(#"[{"id": 1}]"#)
    let push = try ToolProcess([
      "push", "--store", bench.store, "--server", "https://127.0.0.1:9", "--app", "a", "--user",
      "u",
    ])
    #expect(await push.wait() == 1)
    #expect(push.error.contains("SYNCSTACK_PASSWORD"), "\(push.error)")
  }

  @Test func anInterruptEndsAPushWhoseServerIsSilent() async throws {
    try await importing(#"[{"id": 1}]"#)
    let silent = try SilentServer()
    let push = try ToolProcess(
      [
        "push", "--store", bench.store, "--server", "http://127.0.0.1:\(silent.port)", "--app", "a",
        "--user", "u",
      ], environment: ["SYNCSTACK_PASSWORD": "x"])
    let status = await push.end(by: SIGINT) { silent.isAsked }
    #expect(status == 130, "\(push.error)")
    #expect(
      push.error.hasSuffix("Cancelled. What was sent is sent; the next push sends the rest.\n"))
  }
}

/// Takes connections and answers nothing.
private final class SilentServer: Sendable {
  private let socket: Int32
  let port: UInt16

  init() throws {
    #if canImport(Glibc)
      let kind = Int32(SOCK_STREAM.rawValue)
    #else
      let kind = SOCK_STREAM
    #endif
    socket = Foundation.socket(AF_INET, kind, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let (socket, size) = (socket, length)
    let bound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, size) == 0 && listen(socket, 8) == 0
          && getsockname(socket, $0, &length) == 0
      }
    }
    try #require(bound)
    port = UInt16(bigEndian: address.sin_port)
  }

  /// Whether a client has connected and waits.
  var isAsked: Bool {
    var request = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    return poll(&request, 1, 0) == 1
  }

  deinit { close(socket) }
}
