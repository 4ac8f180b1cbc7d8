import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncCloud

/// The commands of the page *Remote sync on PostgreSQL*, run as they stand there by a shell whose
/// `sudo -u postgres` is the owner of the server for tests.
@Suite(.timeLimit(.minutes(5)), .server(.database)) struct PostgreSQLExampleTests {
  private let folder: URL
  private let port: String

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appending(path: "example-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    port = String(try #require(try TestServer.address(.database).port))
    let sudo = folder.appending(path: "sudo")
    let script = """
      #!/bin/sh
      [ "$1 $2" = "-u postgres" ] || exit 1
      shift 2
      PGHOST=127.0.0.1 PGUSER=kinto exec "$@"
      """
    try script.write(to: sudo, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: sudo.path)
  }

  /// The sample of the page that has a text in it.
  private static func sample(with text: String) throws -> String {
    let page = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Sources/SyncStack/Documentation.docc/RemoteSyncOnPostgreSQL.md")
    let parts = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "\n```")
    let samples = parts.enumerated().filter { $0.offset % 2 == 1 && $0.element.contains(text) }
    try #require(samples.count == 1, "\(samples.count) samples have “\(text)”.")
    return samples[0].element
  }

  /// Runs commands until one fails, which the test does, too.
  private func run(_ commands: String, _ place: SourceLocation = #_sourceLocation) throws -> String
  {
    let output = folder.appending(path: "output")
    _ = FileManager.default.createFile(atPath: output.path, contents: nil)
    let file = try FileHandle(forWritingTo: output)
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-e", "-c", commands]
    var environment = ProcessInfo.processInfo.environment
    environment["PATH"] = "\(folder.path):\(environment["PATH"] ?? "/usr/bin:/bin")"
    environment["PGPORT"] = port
    process.environment = environment
    process.standardInput = FileHandle.nullDevice
    (process.standardOutput, process.standardError) = (file, file)
    try process.run()
    process.waitUntilExit()
    let text = try String(contentsOf: output, encoding: .utf8)
    #expect(process.terminationStatus == 0, "\(text)", sourceLocation: place)
    return text
  }

  @Test func theExampleOfReportsRunsAsItStandsOnThePage() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    _ = try TestServer.install(PostgreSQLTransport.schema, in: "sync")
    // As in the first example of the page, which installs packages.
    let role = "create role ann login password 'secret'"
    #expect(try Self.sample(with: "createdb sync").contains(role))
    _ = try run("sudo -u postgres psql -d sync -c \"\(role)\"")
    let client = try Client(
      try PostgreSQLTransport(
        "postgresql://ann:secret@127.0.0.1:\(port)/sync", app: "demo", timeout: 60))
    try client.insert("Note", ["title": "bread", "stars": 3])
    try await client.engine.sync()

    let reports = try run(try Self.sample(with: "create_views("))
    #expect(reports.contains("bread") && reports.contains("record_name"), "\(reports)")

    let write = folder.appending(path: "write.sql")
    try Self.sample(with: "select syncstack.write(").write(
      to: write, atomically: true, encoding: .utf8)
    let psql = "PGPASSWORD=secret psql -h 127.0.0.1 -U ann sync -v ON_ERROR_STOP=1"
    let view = try run(
      "\(psql) -f '\(write.path)'; \(psql) -c 'select title from demo_private.\"Note\"'")
    #expect(view.contains("New") && view.contains("bread"), "\(view)")
    try await client.engine.sync()
    #expect(Set(try client.values("Note", "title")) == ["bread", "New"])
    #expect(client.engine.status.problems.isEmpty)
  }
}
