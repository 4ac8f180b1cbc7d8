package import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A real server, started once per kind when a test first asks for it, and ended with the tests.
package enum TestServer {
  package enum Kind: String, CaseIterable, Sendable {
    case memory
    case postgres
    case threads = "postgres-threads"
    /// PostgreSQL itself, with the functions of SyncStack.
    case database
  }

  package struct Unavailable: Error, CustomStringConvertible {
    package let description: String
  }

  private static let memory = Result { try start(.memory) }
  private static let postgres = Result { try start(.postgres) }
  private static let threads = Result { try start(.threads) }
  private static let database = Result { try start(.database) }

  package static func address(_ kind: Kind) throws -> URL {
    switch kind {
    case .memory: try memory.get()
    case .postgres: try postgres.get()
    case .threads: try threads.get()
    case .database: try database.get()
    }
  }

  private static func start(_ kind: Kind) throws -> URL { try launch(["start", kind.rawValue]) }

  /// Runs a script that ends with the tests, and says where its server is reached.
  private static func launch(
    _ arguments: [String], script: String = "cloud-server"
  ) throws -> URL {
    let parent = String(ProcessInfo.processInfo.processIdentifier)
    let address = try run(arguments + ["--parent", parent], script: script)
    guard let url = URL(string: address) else {
      throw Unavailable(description: "“\(address)” is no address.")
    }
    return url
  }

  /// A server on PostgreSQL for one test alone, whose database may be stopped.
  package static func startOwn() throws -> URL { try start(.postgres) }

  /// Ends a server of ``startOwn()``.
  package static func stop(_ url: URL) throws { _ = try run(["stop", url.absoluteString]) }

  /// Stops the database under a server of ``startOwn()``, or starts it again.
  package static func setDatabase(_ isRunning: Bool, of url: URL) throws {
    _ = try run([isRunning ? "start-database" : "stop-database", url.absoluteString])
  }

  /// Stops Kinto over the database of a server of ``startOwn()``, or starts it again.
  package static func setKinto(_ isRunning: Bool, of url: URL) throws {
    _ = try run([isRunning ? "start-kinto" : "stop-kinto", url.absoluteString])
  }

  /// A service beside a database.
  package enum Companion: String, Sendable {
    /// pgbouncer in transaction mode, where every account is the owner of the database.
    case pooler
    case replica
  }

  private static let pooler = Result { try start(.pooler) }
  private static let replica = Result { try start(.replica) }

  /// The address of the service beside the database; it ends with that.
  package static func address(_ companion: Companion) throws -> String {
    switch companion {
    case .pooler: try pooler.get()
    case .replica: try replica.get()
    }
  }

  private static func start(_ companion: Companion) throws -> String {
    try run([companion.rawValue, try address(.database).absoluteString]) + "/kinto"
  }

  /// Installs functions in a database of PostgreSQL, which is made when it is not there.
  ///
  /// - Returns: Where its owner reaches it.
  package static func install(_ functions: String, in name: String) throws -> String {
    let file = FileManager.default.temporaryDirectory
      .appending(path: "functions-\(UUID().uuidString).sql")
    defer { try? FileManager.default.removeItem(at: file) }
    try functions.write(to: file, atomically: true, encoding: .utf8)
    let owner = try address(.database).absoluteString
    _ = try run(["functions", owner, name, file.path])
    return "\(owner)/\(name)"
  }

  /// The certificate by which the database proves its identity; from then on it takes encrypted
  /// connections.
  package static let certificate = Result {
    try run(["encrypt", try address(.database).absoluteString])
  }

  /// Starts the stand-in for PostgREST before the database; see `Tests/postgrest-stand-in`.
  package static func startStandInForPostgREST() throws -> URL {
    try launch([address(.database).absoluteString + "/kinto"], script: "postgrest-stand-in")
  }

  /// Starts a proxy before a server, which makes faults; see `Tests/cloud-proxy`.
  package static func startProxy(of url: URL) throws -> URL {
    try launch([url.absoluteString], script: "cloud-proxy")
  }

  /// Runs a script.
  ///
  /// - Returns: The text that it printed.
  private static func run(
    _ arguments: [String], script name: String = "cloud-server"
  ) throws -> String {
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: name)
    let process = Process()
    process.executableURL = script
    process.arguments = arguments
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "cloud-server-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // Files, not pipes: the server keeps the handles that it was started with.
    let (out, err) = (folder.appending(path: "out"), folder.appending(path: "err"))
    for file in [out, err] { _ = FileManager.default.createFile(atPath: file.path, contents: nil) }
    process.standardOutput = try FileHandle(forWritingTo: out)
    process.standardError = try FileHandle(forWritingTo: err)
    do {
      try process.run()
    } catch {
      throw Unavailable(description: "\(error)")
    }
    process.waitUntilExit()
    let text = { (file: URL) in (try? String(contentsOf: file, encoding: .utf8)) ?? "" }
    guard process.terminationStatus == 0 else {
      throw Unavailable(description: text(err).suffix(500).description)
    }
    return text(out).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// The password of all accounts.
  package static let password = "secret"

  /// Makes an account of its own on a server, and gives its name.
  package static func account(
    _ name: String = "u-\(UUID().uuidString.lowercased())", on url: URL
  ) async throws -> String {
    var request = URLRequest(url: url.appending(path: "v1/accounts/\(name)"))
    request.httpMethod = "PUT"
    request.timeoutInterval = 120
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.httpBody = Data(#"{"data":{"password":"\#(password)"}}"#.utf8)
    let (_, response) = try await URLSession.shared.data(for: request)
    let status = (response as? HTTPURLResponse)?.statusCode ?? 0
    guard (200..<300).contains(status) else {
      throw Unavailable(description: "The account was refused with status \(status).")
    }
    return name
  }

  /// Whether a kind of server can be had. Where it cannot, the reason goes to the output; with
  /// `CI=true` it is true all the same, so that the tests that need it fail rather than being
  /// skipped.
  package static func isAvailable(_ kind: Kind) -> Bool {
    isAvailable(kind.rawValue) { _ = try address(kind) }
  }

  /// The same of a service beside a database.
  package static func isAvailable(_ companion: Companion) -> Bool {
    isAvailable(companion.rawValue) { _ = try address(companion) }
  }

  private static func isAvailable(_ name: String, _ start: () throws -> Void) -> Bool {
    do {
      try start()
      return true
    } catch {
      print("no server “\(name)”: \(error)")
      return ProcessInfo.processInfo.environment["CI"] == "true"
    }
  }
}
