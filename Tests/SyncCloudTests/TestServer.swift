import Foundation
import SyncCore
import Testing

@testable import SyncCloud

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A real server, started once per kind when a test first asks for it, and ended with the tests.
enum TestServer {
  enum Kind: String, CaseIterable, Sendable {
    case memory
    case postgres
    case threads = "postgres-threads"
  }

  struct Unavailable: Error, CustomStringConvertible {
    let description: String
  }

  private static let memory = Result { try start(.memory) }
  private static let postgres = Result { try start(.postgres) }
  private static let threads = Result { try start(.threads) }

  static func address(_ kind: Kind) throws -> URL {
    switch kind {
    case .memory: try memory.get()
    case .postgres: try postgres.get()
    case .threads: try threads.get()
    }
  }

  private static func start(_ kind: Kind) throws -> URL {
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "cloud-server")
    let process = Process()
    process.executableURL = script
    process.arguments = [
      "start", kind.rawValue, "--parent", String(ProcessInfo.processInfo.processIdentifier),
    ]
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "cloud-server-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // Files, not pipes: the server keeps what it was started with.
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
    let address = text(out).trimmingCharacters(in: .whitespacesAndNewlines)
    guard process.terminationStatus == 0, let url = URL(string: address) else {
      throw Unavailable(description: text(err).suffix(500).description)
    }
    return url
  }

  /// A transport for an account of its own.
  static func transport(
    _ kind: Kind, account: String = "u-\(UUID().uuidString.lowercased())"
  ) async throws -> KintoTransport {
    let url = try address(kind)
    var request = URLRequest(url: url.appending(path: "v1/accounts/\(account)"))
    request.httpMethod = "PUT"
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.httpBody = Data(#"{"data":{"password":"secret"}}"#.utf8)
    let answer = try await HTTPClient(timeout: 120).send(request)
    guard answer.status < 300 else {
      throw Unavailable(description: "The account was refused with status \(answer.status).")
    }
    return KintoTransport(url, app: "tests", signIn: .password(account, "secret"), timeout: 120)
  }
}

extension Trait where Self == ConditionTrait {
  /// Runs the test where the server can be had. Where it cannot, the test is skipped, and the reason stands in the
  /// output; with `CI=true` it runs, and fails.
  static func server(_ kind: TestServer.Kind) -> Self {
    .enabled("no server: the output says why") {
      do {
        _ = try TestServer.address(kind)
        return true
      } catch {
        print("no server “\(kind.rawValue)”: \(error)")
        return ProcessInfo.processInfo.environment["CI"] == "true"
      }
    }
  }
}
